"""Logs of Darshan: those that come with PyDarshan are all read, with the counts that it finds; and advice on them."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(importlib.util.find_spec("darshan").origin).parent
LOGS = sorted({path.name: path for path in FOLDER.rglob("*.darshan")}.values())
FIGURES = {
    "POSIX": [("opens", "POSIX_OPENS"), ("requests_read", "POSIX_READS"), ("requests_written", "POSIX_WRITES"),
              ("bytes_read", "POSIX_BYTES_READ"), ("bytes_written", "POSIX_BYTES_WRITTEN")],
    "STDIO": [("opens", "STDIO_OPENS"), ("requests_read", "STDIO_READS"), ("requests_written", "STDIO_WRITES"),
              ("bytes_read", "STDIO_BYTES_READ"), ("bytes_written", "STDIO_BYTES_WRITTEN")],
    "MPI-IO": [("bytes_read", "MPIIO_BYTES_READ"), ("bytes_written", "MPIIO_BYTES_WRITTEN")],
}


@pytest.fixture(autouse=True)
def python_of_tests(monkeypatch):
    monkeypatch.setenv("PATH", f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")


# In a process of its own: a DarshanReport that is collected while another is made waits for itself.
COUNT = """
import json, sys
import darshan
log = darshan.DarshanReport(sys.argv[1], read_all=True)
sums = {"ranks": log.metadata["job"]["nprocs"]}
for module in {"POSIX", "STDIO", "MPI-IO"} & set(log.records):
    counters = log.records[module].to_df()["counters"]
    # A version, or a file, that does not count something says -1.
    sums[module] = {name: int(counters[name][counters[name] > 0].sum()) for name in counters if name not in ("id", "rank")}
print(json.dumps(sums))
"""


def counted_by_pydarshan(path):
    return json.loads(subprocess.run([sys.executable, "-c", COUNT, path], check=True, stdout=subprocess.PIPE).stdout)


def test_there_are_logs():
    assert len(LOGS) > 5


# PyDarshan takes seconds to start, four times a log.
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=[pytest.mark.nightly] if i % 4 else []) for i, path in enumerate(LOGS)]
)
def test_counts_are_those_of_pydarshan(sill, path):
    sums = counted_by_pydarshan(path)
    report = json.loads(sill.run("report", path, "--json").out)
    assert report["ranks"] == sums["ranks"]
    for module, figures in FIGURES.items():
        counters = sums.get(module, {})
        output = report["outputs"].get(module)
        if output is None:
            assert all(counters.get(counter, 0) == 0 for _, counter in figures)
            continue
        for figure, counter in figures:
            assert output[figure] == counters[counter], (module, figure)
        for kind, word in [("sizes_read", "READ"), ("sizes_written", "WRITE")] if module == "POSIX" else []:
            expected = sum(count for name, count in counters.items() if f"_SIZE_{word}_" in name)
            assert sum(each["requests"] for each in output[kind]) == expected
    text = sill.run("report", path).out
    assert f"{report['ranks']:,} rank" in text
    sill.run("advise", path)


def test_small_writes_of_a_shared_file_are_advised_on(sill):
    (path,) = [each for each in LOGS if each.name.startswith("shane_macsio")]
    advice = sill.run("advise", path).out
    assert "small requests: let Sill choose writers and stages" in advice
    assert "1 of them used by all ranks" in sill.run("report", path).out


def test_damaged_logs_and_a_missing_pydarshan_are_named(sill, tmp_path, monkeypatch):
    (tmp_path / "a.darshan").write_bytes(LOGS[0].read_bytes()[:200])
    assert "PyDarshan did not read" in sill.run("report", tmp_path / "a.darshan", expect=4).err
    assert "opening" in sill.run("report", tmp_path / "none.darshan", expect=4).err
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "pip install darshan" in sill.run("report", LOGS[0], expect=4).err


def test_a_report_of_sill_is_shown_as_its_tables(sill, tmp_path):
    sizes = ["--grid", "8x8x8", "--snapshots", 3, "--out", tmp_path / "k"]
    sill.run("kernel", "grid-rows", *sizes, "--report", tmp_path / "r.json")
    shown = sill.run("report", tmp_path / "r.json").out
    assert "bytes per request" in shown and "volumes" in shown
    sill.run("kernel", "grid-rows", *sizes, "--original", "--report", tmp_path / "original.json")
    assert "bytes per request" in sill.run("report", tmp_path / "original.json").out
    assert "no policy changes" in sill.run("advise", tmp_path / "original.json", expect=3).err
    shutil.copy(tmp_path / "r.json", tmp_path / "broken.json")
    (tmp_path / "broken.json").write_text((tmp_path / "r.json").read_text().replace("sizes_written", "sizes"))
    assert "not a report" in sill.run("report", tmp_path / "broken.json", expect=3).err
