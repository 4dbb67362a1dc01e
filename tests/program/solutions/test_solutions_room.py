"""`sill solutions join` and `split`: what they take of the disk, of other files and of what a process may have open."""

import os
import shutil
import signal
import subprocess
import time

import pytest
from caught import ATTEMPTS
from program import TIMEOUT_S, clean_environment, kill_group
from solution_files import found_files, indexes, solution_files
from solution_runs import CCROSS, DIMENSIONS, SHARED, write


def writes_seen(sill, tmp_path, *command, expect):
    """Every path below the test's folder that a run makes or opens for writing, and its message."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    calls = ["strace", "-f", "-o", tmp_path / "calls", "-e", "trace=open,openat,creat,mkdir,mkdirat,rename,renameat"]
    result = subprocess.run(
        [*map(str, calls), *sill.command(*command)], env=clean_environment(), capture_output=True, timeout=TIMEOUT_S, text=True
    )
    assert result.returncode == expect
    lines = [line for line in (tmp_path / "calls").read_text().splitlines() if str(tmp_path) in line]
    return [line for line in lines if "O_RDONLY" not in line], result.stderr


def test_sizes_are_looked_at_before_anything_is_written(sill, tmp_path):
    for options, last in (([], "local000015/solution000001.txt"), (SHARED, "solution000001.txt")):
        out = tmp_path / f"out{len(options)}"
        write(sill, out, *options)
        with (out / last).open("ab") as file:
            file.write(b"x")
        written, told = writes_seen(sill, tmp_path, "solutions", "join", out, "-o", tmp_path / "all.case", expect=3)
        assert written == [] and "bytes instead of" in told and last in told
        os.remove(out / last)
        os.mkfifo(out / last)
        written, told = writes_seen(sill, tmp_path, "solutions", "join", out, "-o", tmp_path / "all.case", expect=4)
        assert written == [] and "not a regular file" in told and last in told


def test_a_small_disk_is_told_before_anything_is_written(sill, tmp_path, tiny_disk):
    write(sill, tmp_path / "out", sub_elements=90)
    command = ["solutions", "join", tmp_path / "out", "-o", tiny_disk / "all.case"]
    written, told = writes_seen(sill, tmp_path, *command, expect=4)
    assert written == [] and "are free" in told and "MB" in told
    result = sill.run(*command, ranks=2, expect=4)
    assert result.err.count("sill: error") == 1 and "are free" in result.err
    assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    for ranks in (None, 2):
        command = ["solutions", "split", tmp_path / "all.case", "-o", tiny_disk / "back"]
        result = sill.run(*command, ranks=ranks, expect=4)
        assert result.err.count("sill: error") == 1 and "are free" in result.err
        assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []


def test_files_that_are_there_leave_room_for_themselves(sill, tmp_path, tiny_disk):
    """Each is replaced before the next is written."""
    write(sill, tmp_path / "out", sub_elements=50)
    size = sum(path.stat().st_size for path in (tmp_path / "out").rglob("solution*.txt"))
    free = os.statvfs(tiny_disk)
    assert free.f_bavail * free.f_frsize / 2 < size < free.f_bavail * free.f_frsize
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    for _ in range(2):
        sill.run("solutions", "split", tmp_path / "all.case", "-o", tiny_disk / "back")
    assert found_files(tiny_disk / "back").keys() == solution_files(CCROSS, 1, 1, DIMENSIONS).keys()


def test_many_small_files_take_a_block_each(sill, tmp_path, tiny_disk):
    """1,024 files of 130 bytes do not fit on 1 MiB, nor do fewer of them; they do where larger ones were."""
    sizes = ["--ccross", 5, "--sub-elements", 3, "--phases", 1]
    out, case = tmp_path / "out", tmp_path / "all.case"
    sill.run("kernel", "mslio", "--out", out, *sizes, "--describe")
    sill.run("solutions", "join", out, "-o", case)
    for ranks in (None, 2):
        result = sill.run("solutions", "split", case, "-o", tiny_disk / "back", ranks=ranks, expect=4)
        assert "are free" in result.err
        assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_files_with_links_leave_no_room(sill, tmp_path, tiny_disk, link):
    """The place of what has another name, and of what a link points to, is not free when a name of it is gone."""
    write(sill, tmp_path / "out", sub_elements=60)
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    back = tiny_disk / "back"
    sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
    (tiny_disk / "copies").mkdir()
    for path in sorted(back.rglob("solution000001.txt")):
        copy = tiny_disk / "copies" / path.parent.name
        path.rename(copy)
        getattr(path, link)(copy)
    before = found_files(tiny_disk)
    result = sill.run("solutions", "split", tmp_path / "all.case", "-o", back, expect=4)
    assert "are free" in result.err
    assert found_files(tiny_disk) == before
    assert indexes(back) == ["solution000001.index"]


def test_links_are_replaced_not_written_through(sill, tmp_path):
    """As a run that writes solutions does it: what a link points to, or a copy by hard links, keeps its bytes."""
    write(sill, tmp_path / "out")
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    back = tmp_path / "back"
    sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
    other = tmp_path / "elsewhere.txt"
    linked = back / "local000003" / "solution000001.txt"
    text = linked.read_text()
    other.write_text("old" * 10000)
    for link in (linked.symlink_to, linked.hardlink_to):
        linked.unlink()
        link(other)
        sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
        assert not linked.is_symlink() and linked.read_text() == text
        assert other.read_text() == "old" * 10000


def test_a_disk_that_fills_up_leaves_no_case(sill, tmp_path):
    """What no look beforehand can tell: here by a limit on the sizes of files."""
    write(sill, tmp_path / "out", sub_elements=50)
    (tmp_path / "cases").mkdir()
    command = sill.command("solutions", "join", tmp_path / "out", "-o", tmp_path / "cases" / "all.case")
    result = subprocess.run(
        ["bash", "-c", 'ulimit -f 64; exec "$@"', "-", *command],
        env=clean_environment(), capture_output=True, timeout=TIMEOUT_S, text=True,
    )  # fmt: skip
    assert result.returncode == 4 and "File too large" in result.stderr
    assert os.listdir(tmp_path / "cases") == []


MANY = ["--ccross", 1, "--sub-elements", 2, "--dimensions", 1000]


def few_files(*command):
    """The command in a process that may have 96 files open."""
    return ["bash", "-c", 'ulimit -n 96; exec "$@"', "-", *command]


@pytest.mark.parametrize("options", [[], ["--files", "shared"]])
def test_a_thousand_dimensions_need_few_open_files(sill, tmp_path, options):
    """And the folder of the case is read once for what dead processes left, not once a file."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    out, cases = tmp_path / "out", tmp_path / "cases"
    cases.mkdir()
    left = [cases / f".{name}.sill-0123456789abcdef.part" for name in ("x.geo", "x.solution_7", "x.case")]
    for path in left:
        path.touch()
    sill.run("kernel", "mslio", "--out", out, *MANY, "--phases", 1, "--describe", *options)
    calls = ["strace", "-f", "-o", str(tmp_path / "calls"), "-e", "trace=openat"]
    commands = (["join", out, "-o", cases / "x.case"], ["split", cases / "x.case", "-o", tmp_path / "back"])
    looked = []
    for command in commands:
        result = subprocess.run(
            few_files(*calls, *sill.command("solutions", *command)),
            env=clean_environment(), capture_output=True, timeout=TIMEOUT_S, text=True,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        lines = (tmp_path / "calls").read_text().splitlines()
        looked.append(len([line for line in lines if f'"{cases}"' in line and "O_DIRECTORY" in line]))
    assert looked == [2, 0]  # the second time to remove what it found
    assert len(os.listdir(cases)) == 1002
    assert found_files(tmp_path / "back") == solution_files(1, 1, 2, 1000)


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_none_of_a_thousand_files(sill, tmp_path, which):
    out, cases = tmp_path / "out", tmp_path / "cases"
    cases.mkdir()
    sill.run("kernel", "mslio", "--out", out, *MANY, "--phases", 1, "--describe")
    for _ in range(ATTEMPTS):
        process = sill.start("solutions", "join", out, "-o", cases / "x.case")
        try:
            until = time.monotonic() + TIMEOUT_S
            while len(os.listdir(cases)) < 200 and process.poll() is None:
                assert time.monotonic() < until
            if process.poll() is None:
                os.kill(process.pid, which)
            process.communicate(timeout=TIMEOUT_S)
        finally:
            kill_group(process)
        left = os.listdir(cases)
        assert not [name for name in left if name.endswith(".part")]
        if left == []:
            assert process.returncode == 128 + which
            return
        for name in left:  # the signal came when files got their names, or not at all
            (cases / name).unlink()
    pytest.fail("no run could be caught while it joined")
