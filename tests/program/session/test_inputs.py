"""Patterns, lists and standard streams as inputs and outputs of commands."""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import segy_files
import segy_forms
from program import TIMEOUT_S, clean_environment


@pytest.fixture
def three(tmp_path):
    files = [segy_files.make(20, 8, seed=seed) for seed in (1, 2, 3)]
    for i, file in enumerate(files):
        file.write(tmp_path / f"line_{i}.sgy")
    both = files[0].copy()
    both.rows = np.concatenate([f.rows for f in files])
    return both


@pytest.mark.parametrize("ranks", [None, 2])
def test_patterns_and_lists(sill, tmp_path, three, ranks):
    (tmp_path / "list.txt").write_text(f"# lines\n\n  {tmp_path}/line_0.sgy\n{tmp_path}/line_[12].sgy\n")
    for given in ([tmp_path / "line_*.sgy"], [f"@{tmp_path}/list.txt"], [tmp_path / "line_0.sgy", tmp_path / "*_[1-2].s*"]):
        sill.run("sort", *given, "-o", tmp_path / "out.sgy", "--by", "trace", "--keep-sorting-code", ranks=ranks)
        assert (tmp_path / "out.sgy").read_bytes() == three.to_bytes()


def test_a_file_named_twice_is_refused(sill, tmp_path, three):
    """Of one survey; commands that treat each file for itself take it twice."""
    path = tmp_path / "line_0.sgy"
    (tmp_path / "link.sgy").symlink_to(path)
    copy = tmp_path / "copy.sgy"
    copy.write_bytes(path.read_bytes())
    out = tmp_path / "out.sgy"
    for given in ([path, path], [path, tmp_path / "*.sgy"], [path, tmp_path / "link.sgy"]):
        run = sill.run("sort", *given, "-o", out, "--by", "tracl", expect=2)
        assert "twice" in run.err
        assert not out.exists()
    assert "same file as" in sill.run("scan", path, tmp_path / "link.sgy", "--keys", "cdp", expect=2, ranks=2).err
    sill.run("sort", path, copy, "-o", out, "--by", "tracl")
    assert sill.run("info", path, path).code == 0
    sill.run("compare", path, path)


@pytest.mark.parametrize(("revision", "scaled"), [((0, 0), False), ((1, 0), True)])
def test_bytes_215_scale_times_from_revision_1_on(sill, tmp_path, revision, scaled):
    """Revision 0 leaves bytes 181-240 unassigned."""
    file = segy_files.make(4, 10, revision=revision).put_word("delrt", np.arange(4) * 10).put(215, "i2", -10)
    path = file.write(tmp_path / "a.sgy")
    chosen = sill.run("cut", path, "-o", tmp_path / "b.sgy", "--where", "true(delrt) >= 10", expect=2 if scaled else 0)
    assert scaled or len((tmp_path / "b.sgy").read_bytes()) == 3600 + 3 * (240 + 4 * 10), chosen.out


def test_a_file_whose_name_is_a_pattern(sill, tmp_path):
    file = segy_files.make(4, 5)
    path = file.write(tmp_path / "a[1].sgy")
    assert "4" in sill.run("info", path).out
    path = file.write(tmp_path / "@b.sgy")
    assert sill.run("info", "@b.sgy", cwd=tmp_path).code == 0


def test_wrong_patterns_and_lists(sill, tmp_path):
    (tmp_path / "empty").write_text("# nothing\n")
    (tmp_path / "nested").write_text("@other\n")
    for given, code, said in [
        (tmp_path / "no*.sgy", 2, "no file matches"),
        (f"@{tmp_path}/missing", 4, "list of files"),
        (f"@{tmp_path}/empty", 2, "this list contains no file names"),
        (f"@{tmp_path}/nested", 2, "is the name of a list inside a list"),
    ]:
        for ranks in (None, 2):
            assert said in sill.run("info", given, expect=code, ranks=ranks).err


def test_datasets_of_arrays_are_named(sill, tmp_path):
    path = segy_files.make(4, 5).write(tmp_path / "in.sgy")
    for ending, kind in [("zarr", "a Zarr dataset"), ("nc", "a netCDF file"), ("nc4", "an HDF5 file"), ("h5", "an HDF5 file")]:
        arrays = tmp_path / f"a.{ending}"
        sill.run("convert", path, "-o", arrays)
        for command in (["info", arrays], ["check", arrays], ["sort", path, arrays, "-o", tmp_path / "o.sgy", "--by", "cdp"]):
            said = sill.run(*command, expect=3).err
            assert f"this is {kind}, not a survey" in said and str(arrays) in said
            assert f"`sill arrays info {arrays}` shows it" in said
        sill.run("arrays", "info", arrays)
    (tmp_path / "folder").mkdir()
    assert "name a file, not a directory" in sill.run("info", tmp_path / "folder", expect=4).err


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_list_without_end_is_refused(sill, tmp_path, ranks):
    assert "bytes of 0" in sill.run("info", "@/dev/zero", expect=2, ranks=ranks).err
    endless = tmp_path / "pipe"
    os.mkfifo(endless)
    with subprocess.Popen(f"exec yes > '{endless}'", shell=True) as writer:
        try:
            assert "longer than" in sill.run("info", f"@{endless}", expect=2, ranks=ranks).err
        finally:
            writer.kill()


@pytest.mark.nightly
def test_control_characters_of_names_are_escaped(sill, tmp_path):
    """Terminals obey some: they colour, move the cursor, or clear the screen; an end of line fakes one of Sill's."""
    folder = tmp_path / "a\x1b[31mb\nsill: error: fake\x7f\u009bc"
    folder.mkdir()
    path = segy_files.make(5, 5).put_word("scalco", 7).write(folder / "in.sgy")
    log = tmp_path / "log"
    for command in (["info", path], ["check", path], ["sort", path, "-o", folder / "out.sgy", "--by", "cdp"],
                    ["sort", folder / "missing.sgy", "-o", folder / "out.sgy", "--by", "cdp"],
                    ["compare", path, folder / "out.sgy"], ["header", path, "1"], ["text", path],
                    ["info", folder / "no*.sgy"], ["cut", path, "-o", path, "--where", "cdp>0"],
                    ["scan", path, "--keys", "cdp"], ["edit", path, "--set", "cdp=1", "--dry-run"],
                    ["info", path, "--" + folder.name], ["info", path, "--report", tmp_path / "r.txt"],
                    ["info", path, "--policy", folder.name], ["sort", path, "-o", folder / "o", "--by", folder.name]):  # fmt: skip
        for ranks in (None, 2):
            done = sill.run(*command, "--log", log, expect=None, ranks=ranks)
            for text in (done.out, done.err):
                assert not re.search("[\\x00-\\x08\\x0b-\\x1f\\x7f\\x80-\\x9f]", text), (command, text)
                assert not re.search("^sill: error: fake", text, re.M), (command, text)
    assert "\x1b" not in log.read_text() and "\\x1B[31mb" in log.read_text()
    found = sill.run("info", path, "--json").out
    assert json.loads(found)["file"] == str(path)


def piped(sill, *arguments, data: bytes, expect=0, ranks=None) -> subprocess.CompletedProcess:
    done = subprocess.run(
        sill.command(*arguments, ranks=ranks), input=data, capture_output=True, timeout=TIMEOUT_S,
        env=clean_environment(),
    )
    assert done.returncode == expect, done.stderr.decode()
    return done


def test_standard_streams(sill, tmp_path):
    file = segy_files.make(30, 12, code=1)
    done = piped(sill, "sort", "-", "-o", "-", "--by", "-trace", "--keep-sorting-code", data=file.to_bytes())
    assert done.stdout == file.permuted(np.arange(30)[::-1]).to_bytes()
    assert b"30 traces sorted" in done.stderr, "what else is printed there is in the way"
    for options in (["-", "-o", tmp_path / "o.sgy"], [file.write(tmp_path / "f.sgy"), "-o", "-"]):
        done = piped(sill, "sort", *options, "--by", "cdp", data=file.to_bytes(), ranks=2, expect=2)
        assert b"a launcher of several ranks" in done.stderr


def test_a_pipe_of_two_commands(sill, tmp_path):
    file = segy_files.make(30, 12)
    path = file.write(tmp_path / "f.sgy")
    su = subprocess.run(
        sill.command("convert", path, "-o", "-", "--to", "su"), capture_output=True, timeout=TIMEOUT_S, env=clean_environment()
    )
    assert su.returncode == 0 and len(su.stdout) == 30 * (240 + 48)
    sill.run("convert", path, "-o", tmp_path / "f.su")
    assert su.stdout == (tmp_path / "f.su").read_bytes()
    back = piped(sill, "cut", "-", "-o", "-", "--where", "trace <= 3", data=su.stdout)
    assert back.stdout == su.stdout[: 3 * (240 + 48)]


def test_errors_name_the_stream(sill, tmp_path):
    file = segy_files.make(30, 12)
    made = piped(sill, "make-survey", "-", "--traces", "10", "--samples", "10", data=b"")
    sill.run("make-survey", tmp_path / "made.sgy", "--traces", "10", "--samples", "10")
    assert made.stdout == (tmp_path / "made.sgy").read_bytes()
    done = piped(sill, "info", "-", data=b"no file at all", expect=3)
    assert b"standard input" in done.stderr and b"/proc" not in done.stderr
    done = piped(sill, "sort", "-", "-", "-o", tmp_path / "o", "--by", "cdp", data=file.to_bytes(), expect=2)
    assert b"can be read only once" in done.stderr
    with open("/dev/full", "wb") as full:
        done = subprocess.run(sill.command("sort", "-", "-o", "-", "--by", "cdp"), input=file.to_bytes(), stdout=full,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S, env=clean_environment())  # fmt: skip
    assert done.returncode == 4 and b"standard output" in done.stderr and b"No space left" in done.stderr


def test_what_is_told_names_the_stream(sill, tmp_path):
    file = segy_files.make(30, 12)
    report = tmp_path / "r.json"
    other = segy_files.make(5, 12, interval_us=1000).write(tmp_path / "other.sgy")
    refused = piped(sill, "merge", other, "-", "-o", tmp_path / "o.sgy", data=file.to_bytes(), expect=3)
    shown = piped(sill, "merge", other, "-", "--dry-run", "--report", report, data=file.to_bytes(), expect=3)
    done = piped(sill, "split", "-", "-o", tmp_path / "{cdp}.sgy", "--by", "cdp", data=file.to_bytes())
    assert b"from standard input" in done.stdout
    for told in (refused.stderr, shown.stdout, shown.stderr, report.read_bytes(), done.stdout):
        assert b"/proc/" not in told
    for told in (refused.stderr, shown.stdout, report.read_bytes()):
        assert b"us in standard input" in told


def test_seismic_unix_from_standard_input(sill):
    file = segy_forms.make_su(10, 7)
    assert b"Seismic Unix" in piped(sill, "info", "-", data=file.to_bytes()).stdout


def test_standard_input_of_commands_that_take_one_file(sill, tmp_path):
    path = segy_files.make(5, 4).write(tmp_path / "f.sgy")
    with path.open("rb") as content:
        assert "equal" in sill.run("compare", "-", path, stdin=content).out
    with path.open("rb") as content:
        sill.run("header", "-", "1", stdin=content)
    assert "-" in sill.run("compare", "-", "-", expect=2).reason


def test_what_cannot_be_is_told_before_anything_is_read(sill, tmp_path):
    with Path("/dev/zero").open("rb") as endless:
        assert "edited in place" in sill.run("edit", "-", "--set", "ep=3", stdin=endless, expect=2).reason


def test_streams_without_proc(sill, small, tmp_path):
    """Containers may have no /proc: streams then pass through files with names, which go."""
    path = small[1]
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-cdp")
    script = 'mount -t tmpfs none /proc && exec "$0" sort - -o - --by=-cdp'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, *map(str, sill.command())],
        stdin=path.open("rb"), capture_output=True, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    if b"mount" in done.stderr or b"unshare" in done.stderr:
        pytest.skip("no mounts of its own for a test here")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "o.sgy").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["o.sgy", path.name]
