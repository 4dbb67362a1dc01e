"""The memory that many short traces take: what is known of each, not buffers, is most of it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import segy_files
from program import MEASURE_EACH, TIMEOUT_S, clean_environment, kill_group

pytestmark = pytest.mark.nightly

OF_THE_PROGRAM = 60 << 20
A_TRACE = 32
MEMORY = 64 << 20


@pytest.fixture(scope="module", autouse=True)
def without_address_sanitizer(sill):
    if b"__asan_init" in sill.path.read_bytes():
        pytest.skip("the address sanitizer needs memory of its own")


@pytest.fixture(scope="module")
def million(sill, tmp_path_factory):
    """1,000,000 traces of one sample, 244 MB."""
    path = tmp_path_factory.mktemp("million") / "in.sgy"
    sill.run("make-survey", path, "--traces", 1_000_000, "--samples", 1)
    yield path
    path.unlink()


def peaks(sill, folder, *arguments, ranks=None) -> list[int]:
    """Peak resident memory of each rank, in bytes."""
    folder.mkdir()
    command = sill.command(*arguments, ranks=ranks)
    at = command.index(str(sill.path))
    command[at:at] = [sys.executable, "-I", "-S", "-c", MEASURE_EACH, str(folder)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=clean_environment(), start_new_session=True, **pipes)
    try:
        _, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert process.returncode == 0, err
    return [int((folder / name).read_text()) * 1024 for name in os.listdir(folder)]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [None, 2])
def test_long_keys_of_many_traces(sill, million, tmp_path, ranks):
    target = tmp_path / "o.sgy"
    arguments = ("sort", million, "-o", target, "--by", "calc_offset,azimuth,midpoint_x", "--memory", "64M")
    found = peaks(sill, tmp_path / "peaks", *arguments, ranks=ranks)
    target.unlink()
    assert len(found) == (ranks or 1)
    assert max(found) <= MEMORY + A_TRACE * 1_000_000 // len(found) + OF_THE_PROGRAM


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [("--where", "tracl > 0"), ("--where", "trace > 1", "--time", "0s:")], ids=["index", "seek"]
)
def test_chosen_traces_are_looked_at_in_parts(sill, million, tmp_path, monkeypatch, options):
    """What is known of all at once is a list, of a few bytes."""
    monkeypatch.setenv("SILL_OPTIONS", "memory=16M")
    path, report = tmp_path / "in.sgy", tmp_path / "r.json"
    path.hardlink_to(million)
    of_index = options[1] == "tracl > 0"
    if of_index:
        sill.run("index", "--words", "tracl", path)
    arguments = ("cut", path, "-o", tmp_path / "o.sgy", *options, "--threads", 2, "--report", report)
    (found,) = peaks(sill, tmp_path / "peaks", *arguments, *(() if of_index else ("--seek",)))
    (tmp_path / "o.sgy").unlink()
    assert json.loads(report.read_text())["index_used"] == of_index
    assert found <= (16 << 20) + OF_THE_PROGRAM


def test_the_smallest_stage(sill, tmp_path):
    traces = 200_000
    path = tmp_path / "in.sgy"
    sill.run("make-survey", path, "--traces", traces, "--samples", 1)
    options = ("--memory", "64M", "--policy", "stage=512", "--method", "gather")
    (found,) = peaks(sill, tmp_path / "peaks", "sort", path, "-o", tmp_path / "o.sgy", "--by", "offset,cdp", *options)
    (tmp_path / "o.sgy").unlink()
    path.unlink()
    assert found <= MEMORY + A_TRACE * traces + OF_THE_PROGRAM


def min_memory(refused) -> int:
    (told,) = re.findall(r"give at least --memory (\d+)", refused.err)
    return int(told)


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize(
    "policy, method",
    [("direct", "gather"), ("direct", "scatter"), ("direct", "buckets"), ("direct", "auto"), ("aggregated", "gather"),
     ("aggregated", "buckets"), ("collective", "auto")],
)  # fmt: skip
def test_the_least_memory_is_told(sill, tmp_path, policy, method, ranks):
    path = segy_files.make(30, 100).write(tmp_path / "in.sgy")
    options = ("--by", "cdp", "--policy", policy, "--method", method, "--memory")
    arguments = ("sort", path, "-o", tmp_path / "o.sgy", *options)
    least = min_memory(sill.run(*arguments, 1, ranks=ranks, expect=2))
    assert min_memory(sill.run(*arguments, least - 1, ranks=ranks, expect=2)) == least
    assert os.listdir(tmp_path) == ["in.sgy"]
    sill.run(*arguments, least, ranks=ranks)


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_keys_that_exceed_the_memory_are_refused(sill, tmp_path, method):
    path = segy_files.make(30_000, 1, code=8).write(tmp_path / "in.sgy")
    keys = ",".join(f"@{byte}:f8" for byte in range(1, 65, 8))
    arguments = ("sort", path, "-o", tmp_path / "o.sgy", "--by", keys, "--method", method)
    refused = sill.run(*arguments, "--memory", "1M", expect=2)
    least = re.search(r"--memory (\d+)", refused.reason)
    assert least, refused.err
    assert os.listdir(tmp_path) == ["in.sgy"]
    if method == "gather":  # no less than it says, and not much more
        sill.run(*arguments, "--memory", int(least.group(1)) + (64 << 10))


# Limits of a control group ------------------------------------------------------------------------------------------

LIMIT = 64 << 20
FAR_TRACES = 2_000_000


@pytest.fixture(scope="module")
def two_million(sill, tmp_path_factory):
    """2,000,000 traces of one sample, 488 MB, in ensembles that are not in a row."""
    path = tmp_path_factory.mktemp("two_million") / "in.sgy"
    sill.run("make-survey", path, "--traces", FAR_TRACES, "--samples", 1)
    yield path
    path.unlink()


@pytest.fixture
def limited():
    """Runs a command in a control group of its own, with little memory: its result."""
    root = Path("/sys/fs/cgroup/memory")
    if not (root / "memory.limit_in_bytes").exists():
        pytest.skip("this needs control groups of version 1")
    group = root / f"sill-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    try:
        (group / "memory.limit_in_bytes").write_text(str(LIMIT))

        def run(command):
            enter = ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *map(str, command)]
            return subprocess.run(enter, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT_S)

        yield run
    finally:
        group.rmdir()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["scan"],
        ["scan", "--keys", "tracl,cdp,offset", "--stats"],
        ["scan", "--stats"],
        ["cut", "-o", "OUT", "--where", "trace > 1", "--renumber"],
        ["cut", "-o", "OUT", "--where", "tracl % 2 == 0"],
        ["cut", "-o", "OUT", "--time", "0s:"],
        ["split", "-o", "{offset}.sgy", "--by", "offset"],
        ["edit", "--renumber", "-o", "OUT"],
        ["edit", "--renumber"],
    ],
    ids=lambda command: " ".join(command),
)
def test_many_traces_under_a_limit(sill, two_million, limited, tmp_path, command):
    arguments = [tmp_path / "out.sgy" if word == "OUT" else word for word in command]
    arguments = [tmp_path / word if "{" in str(word) else word for word in arguments]
    done = limited(sill.command(arguments[0], two_million, *arguments[1:]))
    for made in tmp_path.iterdir():
        made.unlink()
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", [["sort", "--by", "cdp,offset", "-o", "OUT"], ["info", "--geometry"]])
def test_what_does_not_fit_a_limit_is_refused_first(sill, two_million, limited, tmp_path, command):
    arguments = [tmp_path / "out.sgy" if word == "OUT" else word for word in command]
    refused = limited(sill.command(arguments[0], two_million, *arguments[1:]))
    assert refused.returncode == 2, refused.stderr
    assert "raise the limit" in refused.stderr or "raise the memory limit" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_check_tells_the_rest_without_memory_for_geometry(sill, two_million, limited):
    done = limited(sill.command("check", two_million, "--json", "-"))
    (checked,) = json.loads(done.stdout)["files"]
    assert checked["geometry"] is None and "raise the memory limit" in checked["no_geometry"]
    assert checked["amplitudes"]["samples"] == FAR_TRACES
