"""`sill kernel mslio`: files against an independent writer, sizes by the paper's formula, the original's requests."""

import json
import os
import resource
import signal
import subprocess
import time

import pytest
from program import TIMEOUT_S, clean_environment, kill_group
from solution_files import found_files, indexes, points_of, solution_files, value

SMALL = ["--ccross", 2, "--sub-elements", 5]


def check(folder, phases: int = 1, dimensions: int = 1, ccross: int = 2, **layout) -> None:
    assert found_files(folder) == solution_files(ccross, phases, 5, dimensions, **layout)


@pytest.mark.parametrize("option", [[], ["--original"]])
@pytest.mark.parametrize("width", [13, 14])
def test_bytes_are_those_of_an_independent_writer(sill, tmp_path, option, width):
    out = tmp_path / "out"
    sizes = [*SMALL, "--dimensions", 3, "--phases", 2, "--record-width", width]
    result = sill.run("kernel", "mslio", "--out", out, *sizes, *option, "--verify")
    assert "verified" in result.out
    check(out, 2, 3, width=width)
    assert indexes(out) == ([] if option else ["solution000001.index", "solution000002.index"])
    for phase in (1, 2):
        for problem in range(16):
            numbers = (out / f"local{problem:06}" / f"solution{phase:06}.txt").read_text().split()
            expected = [value(problem, i, d, phase) for d in range(3) for i in range(points_of(5))]
            assert [float(number) for number in numbers] == pytest.approx(expected, rel=5.1e-6, abs=0)


@pytest.mark.parametrize("original", [["--original"], ["--against", "original,elected", "--repeat", 2]])
def test_a_pipe_in_the_place_of_a_file_does_not_hang_the_original(sill, tmp_path, original):
    for name, sizes, path in (
        ("mslio", SMALL, "local000003/solution000001.txt"),
        ("mslio", [*SMALL, "--files", "shared"], "solution000001.txt"),
    ):
        out = tmp_path / path.replace("/", "-")
        (out / path).parent.mkdir(parents=True)
        os.mkfifo(out / path)
        result = sill.run("kernel", name, "--out", out, *sizes, *original, expect=4)
        assert "not a regular file" in result.err and path in result.err
        assert found_files(out) == {}


def test_what_is_described_is_not_compared_with_the_original(sill, tmp_path):
    sizes = ["kernel", "mslio", "--out", tmp_path / "out", *SMALL, "--describe", "--repeat", 2, "--against"]
    result = sill.run(*sizes, "original,elected", expect=2)
    assert "--describe" in result.err and not (tmp_path / "out").exists()
    sill.run(*sizes, "elected,direct")


def test_a_terminal_shows_how_far_it_is(sill, tmp_path):
    own, other = os.openpty()
    for options in (["--verify"], ["--original"]):
        command = ["kernel", "mslio", "--out", tmp_path / "out", *SMALL, "--phases", 8, "--compute-ms", 250, *options]
        process = sill.start(*command, stderr=other)
        try:
            process.communicate(timeout=TIMEOUT_S)
        finally:
            kill_group(process)
        assert process.returncode == 0
        shown = os.read(own, 1 << 16).decode()
        assert "writing phases: " in shown and "left" in shown
        assert any(f" {percent} %" in shown for percent in (38, 50, 62, 75, 88))


def test_sizes_are_those_of_the_paper(sill, tmp_path):
    """bytes = 4^ccross * 13 * (s+1)(s+2)/2: 1.7 MiB in 64 files for 3 and 64, 27.2 MiB in 1024 for 5 and 64."""
    for ccross, mib in ((3, 1.7), (5, 27.2)):
        out = tmp_path / str(ccross)
        report = tmp_path / "report.json"
        sill.run("kernel", "mslio", "--out", out, "--ccross", ccross, "--report", report)
        sizes = [path.stat().st_size for path in out.glob("local*/solution000001.txt")]
        assert sizes == [13 * 65 * 66 // 2] * 4**ccross
        assert sum(sizes) / 2**20 == pytest.approx(mib, abs=0.06)
        told = json.loads(report.read_text())
        assert (told["problems"], told["sub_elements"], told["file_bytes"]) == (4**ccross, 64, sum(sizes))


@pytest.mark.parametrize("align, stride", [([], 0), (["--chunk-align", "1K"], 1024), (["--chunk-align", 273], 273)])
def test_a_shared_file(sill, tmp_path, align, stride):
    for name, option in (("library", []), ("original", ["--original"])):
        out = tmp_path / name
        sizes = [*SMALL, "--phases", 2, "--files", "shared", *align, *option]
        sill.run("kernel", "mslio", "--out", out, *sizes, "--verify", ranks=2)
        check(out, 2, shared=True, stride=stride)
        numbers = (out / "solution000002.txt").read_text().split()
        assert len(numbers) == 16 * 21
        assert float(numbers[21 * 7 + 3]) == pytest.approx(value(7, 3, 0, 2), rel=5.1e-6)


def test_chunks_begin_at_stripes(sill, tmp_path):
    report = tmp_path / "report.json"
    layout = ["--files", "shared", "--chunk-align", "stripe"]
    sill.run("kernel", "mslio", "--out", tmp_path / "out", *SMALL, *layout, "--verify", "--report", report)
    stride = json.loads(report.read_text())["chunk_bytes"]
    assert stride % os.statvfs(tmp_path).f_bsize == 0
    check(tmp_path / "out", shared=True, stride=stride)


POLICIES = ["direct", "staged", "gathered", "elected", "aggregated", "independent", "elected,async=2", "burst=/tmp", "collective"]


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_the_same_bytes_for_every_policy(sill, tmp_path, ranks):
    for policy in POLICIES:
        sizes = ["--ccross", 1, "--sub-elements", 5, "--phases", 3, "--dimensions", 2, "--policy", policy]
        sill.run("kernel", "mslio", "--out", tmp_path / policy, *sizes, ranks=ranks)
        check(tmp_path / policy, 3, 2, ccross=1)
        sill.run("kernel", "mslio", "--out", tmp_path / (policy + "s"), *sizes, "--files", "shared", ranks=ranks)
        check(tmp_path / (policy + "s"), 3, 2, ccross=1, shared=True)


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_the_same_bytes_for_any_number_of_ranks_and_threads(sill, tmp_path, ranks):
    runs = {
        "elected": ["--policy", "elected,threads=3"],
        "staged": ["--policy", "staged,threads=1"],
        "original": ["--original"],
        "one": ["--policy", "gathered", "--ccross", 0],  # more ranks than problems
    }
    kernel = ["kernel", "mslio", "--sub-elements", 5, "--verify", "--out"]
    calls = [(*kernel, tmp_path / name, "--ccross", 2, *options) for name, options in runs.items() if name != "one"]
    sill.run_together([*calls, (*kernel, tmp_path / "one", *runs["one"])], ranks=ranks)
    for name in runs:
        check(tmp_path / name, ccross=0 if name == "one" else 2)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("policy", ["elected,async=2", "direct,async=1,threads=3", "gathered,async=2", "elected"])
def test_lent_values_make_the_same_bytes(sill, tmp_path, policy, ranks):
    for name, layout in (("each", []), ("shared", ["--files", "shared"])):
        sizes = [*SMALL, "--phases", 3, "--dimensions", 2, *layout, "--policy", policy, "--lend"]
        sill.run("kernel", "mslio", "--out", tmp_path / name, *sizes, "--verify", ranks=ranks)
        check(tmp_path / name, 3, 2, shared=name == "shared")


@pytest.mark.parametrize("option", [[], ["--original"]])
def test_two_runs_at_once_into_a_folder_are_refused(sill, tmp_path, option):
    """The first is stopped until the second has been refused; either may be the original."""
    out = tmp_path / "out"
    command = ["kernel", "mslio", "--out", out, *SMALL, "--phases", 2]
    first = sill.start(*command, *option, "--compute-ms", 2000)
    try:
        until = time.monotonic() + TIMEOUT_S
        while not (out / "local000015").exists():  # it has the folder
            assert time.monotonic() < until and first.poll() is None
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGSTOP)
        assert first.poll() is None
        for other in (["--files", "shared"], ["--original"]):
            result = sill.run(*command, *other, ranks=2, expect=4)
            assert "another run is writing or joining solutions in this folder" in result.err
        os.kill(first.pid, signal.SIGCONT)
        first.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(first)
    assert first.returncode == 0
    check(out, 2)
    assert indexes(out) == ([] if option else ["solution000001.index", "solution000002.index"])
    sill.run(*command, "--verify")
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("layout", [[], ["--files", "shared"]])
def test_elements_of_an_earlier_run_are_not_joined_with_this_one(sill, tmp_path, layout):
    out = tmp_path / "out"
    command = ["kernel", "mslio", "--out", out, "--sub-elements", 3, *layout]
    sill.run(*command, "--ccross", 2, "--describe")
    sill.run(*command, "--ccross", 2)
    result = sill.run("solutions", "join", out, "-o", tmp_path / "old.case", expect=3)
    assert "elements of the local problems were not written" in result.err
    sill.run(*command, "--ccross", 2, "--describe")
    sill.run("solutions", "join", out, "-o", tmp_path / "new.case")


def test_the_report(sill, tmp_path):
    report = tmp_path / "report.json"
    sizes = ["--out", tmp_path / "out", *SMALL, "--dimensions", 2, "--phases", 3]
    sill.run("kernel", "mslio", *sizes, "--policy", "elected", "--report", report, ranks=2)
    told = json.loads(report.read_text())
    assert (told["kernel"], told["ccross"], told["sub_elements"], told["dimensions"]) == ("mslio", 2, 5, 2)
    assert (told["phases"], told["problems"], told["original"], told["shared"]) == (3, 16, False, 0)
    assert told["file_bytes"] == 3 * 16 * 13 * 21 * 2
    assert told["opens"] == 3 * (16 + 1) + 1  # with the indexes, and the report
    assert told["requests_written"] == 3 * (16 + 1)
    sill.run("kernel", "mslio", *sizes, "--original", "--report", report, ranks=2)
    told = json.loads(report.read_text())
    assert told["opens"] == 3 * 16 + 1
    assert told["requests_written"] == 3 * 16 * 21 * 2  # a print a value


def test_an_earlier_run_is_replaced(sill, tmp_path):
    out = tmp_path / "out"
    sill.run("kernel", "mslio", "--out", out, "--ccross", 2, "--sub-elements", 9, "--phases", 2)
    sill.run("kernel", "mslio", "--out", out, *SMALL, "--phases", 2, "--verify")
    check(out, 2)
    sill.run("kernel", "mslio", "--out", out, *SMALL, "--phases", 2, "--original")
    check(out, 2)
    assert indexes(out) == []  # they were the library's


def test_a_wrong_byte_is_found(sill, tmp_path):
    """Two problems write to one folder."""
    out = tmp_path / "out"
    (out / "local000004").mkdir(parents=True)
    (out / "local000003").symlink_to("local000004")
    result = sill.run("kernel", "mslio", "--out", out, *SMALL, "--original", "--verify", expect=3)
    assert "/solution000001.txt" in result.err and "byte:" in result.err
    # One replaces the other's, which the library may notice while it writes.
    result = sill.run("kernel", "mslio", "--out", out, *SMALL, "--verify", expect=(3, 4))
    assert "/solution000001.txt" in result.err


FULL = [["--policy", "elected"], ["--policy", "direct,async=2"], ["--files", "shared"], ["--original"]]


@pytest.mark.parametrize("option", FULL)
def test_a_limit_of_file_sizes_is_told_once(sill, tmp_path, option):
    out = tmp_path / "out"
    sizes = [*SMALL, "--phases", 2]

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    result = sill.run("kernel", "mslio", "--out", out, *sizes, *option, expect=4, preexec_fn=limited)
    assert result.err.count("sill: error") == 1
    assert "solution000001.txt" in result.err and "File too large" in result.err
    assert indexes(out) == []


@pytest.mark.parametrize("option", FULL)
def test_a_full_disk_is_told_once_and_leaves_earlier_phases(sill, tiny_disk, option):
    """Room for a phase and a half; of two phases in flight, for both and a half. A file takes a page."""
    out = tiny_disk / "out"
    shared = option == ["--files", "shared"]
    sizes = ["--ccross", 2, "--sub-elements", 50 if shared else 5]
    sill.run("kernel", "mslio", "--out", out, *sizes, *option)
    before = found_files(out)
    assert len(before) == (1 if shared else 16)
    room = os.statvfs(tiny_disk)
    in_flight = "direct,async=2" in option
    spare = 20 if shared else 24 if in_flight else 8
    (tiny_disk / "filler").write_bytes(bytes((room.f_bfree - spare) * room.f_bsize))
    result = sill.run("kernel", "mslio", "--out", out, *sizes, "--phases", 3, *option, ranks=2, expect=4)
    assert result.err.count("sill: error") == 1
    assert "solution00000" in result.err and "No space left" in result.err
    found = found_files(out)
    if not shared:  # those were written again, each in the place of the old one
        assert {path: text for path, text in found.items() if path in before} == before
    # A shared file needs room beside the one it replaces.
    one, two = [["solution000001.index", "solution000002.index"][:phases] for phases in (1, 2)]
    assert indexes(out) in ([one, two] if in_flight else [[] if shared or option == ["--original"] else one])


def test_what_contradicts_itself_is_refused(sill, tmp_path):
    out = ["--out", tmp_path / "out"]
    for wrong in (
        ["--original", "--policy", "staged"],
        ["--original", "--describe"],
        ["--original", "--lend"],
        ["--ccross", -1],
        ["--ccross", 13],
        ["--sub-elements", 0],
        ["--dimensions", 0],
        ["--phases", 0],
        ["--record-width", 12],
        ["--files", "some"],
        ["--chunk-align", "1M"],
        ["--chunk-align", "wide", "--files", "shared"],
        ["--paper", "--ccross", 3],
    ):
        sill.run("kernel", "mslio", *out, *wrong, expect=2)
    assert not (tmp_path / "out").exists()


def test_a_report_is_none_of_the_files(sill, tmp_path):
    out = tmp_path / "out"
    kernel = ["kernel", "mslio", "--ccross", 1, "--sub-elements", 2, "--describe", "--out", out]
    sill.run(*kernel)
    for name in ("solution000001.index", "local000000/element.txt", "local000003/mesh.txt", "local000002/solution000001.txt"):
        assert name in sill.run(*kernel, "--report", out / name, expect=2).err
    sill.run(*kernel, "--files", "shared", "--verify")
    assert "elements.txt" in sill.run(*kernel, "--files", "shared", "--report", out / "elements.txt", expect=2).err


@pytest.mark.parametrize("policy", ["sync=phase,async=4,threads=8", "direct,async=4,threads=8"])
def test_phases_in_flight_share_the_files_that_may_be_open(sill, tmp_path, policy):
    sizes = ["--ccross", 4, "--sub-elements", 4, "--phases", 12]
    command = sill.command("kernel", "mslio", "--out", tmp_path, *sizes, "--policy", policy, "--verify")
    limited = ["bash", "-c", 'ulimit -n 64; exec "$@"', "-", *command]
    for _ in range(3):
        result = subprocess.run(limited, env=clean_environment(), capture_output=True, timeout=TIMEOUT_S, text=True)
        assert result.returncode == 0, result.stderr


def test_times_of_computation_are_possible_ones(sill, tmp_path):
    for wrong in ("nan", "inf", "1e300", "-1", "1x", ""):
        result = sill.run("kernel", "mslio", "--out", tmp_path, f"--compute-ms={wrong}", expect=2)
        assert "compute-ms" in result.err
