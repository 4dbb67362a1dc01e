"""An output is there whole or not at all: full disks, signals, kills, and inputs named as outputs."""

import os
import re
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest
import segy_files
from caught import OLD, catch_in_the_act, clean_up_limit_s, end_and_errors_of, end_of, wait_until_gone
from program import TIMEOUT_S, descendants_of, kill_group, leftovers, signal_all

# Signals --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "which, code, method",
    [
        (signal.SIGTERM, 143, "gather"), (signal.SIGTERM, 143, "buckets"), (signal.SIGINT, 130, "gather"),
        (signal.SIGINT, 130, "buckets"), (signal.SIGUSR1, 138, "gather"), (signal.SIGQUIT, 131, "buckets"),
        (signal.SIGALRM, 142, "gather"), (signal.SIGTERM, 143, "scatter"),
    ],
)  # fmt: skip
def test_a_signal_cleans_up(sill, large, target, which, code, method):
    _, path = large
    process, part = catch_in_the_act(sill, path, target, "--method", method, "--memory", "16M")
    try:
        os.kill(process.pid, which)
        os.kill(process.pid, signal.SIGCONT)
        ended_with, seconds, errors = end_and_errors_of(process)
    finally:
        kill_group(process)
    assert ended_with == code
    assert seconds <= clean_up_limit_s(sill)
    says = which in (signal.SIGTERM, signal.SIGINT)
    assert ("each target is complete or unchanged" in errors) == says
    assert not part.exists()
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


@pytest.mark.parametrize("which, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_to_all_ranks_cleans_up(sill, large, target, which, code):
    _, path = large
    process, part = catch_in_the_act(sill, path, target, ranks=2)
    try:
        ranks = descendants_of(process.pid)
        signal_all(ranks, which)
        signal_all(ranks, signal.SIGCONT)
        ended_with, _ = end_of(process)
        wait_until_gone(part)
    finally:
        kill_group(process)
    assert ended_with == code
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


def test_a_signal_to_the_launcher_leaves_nothing(sill, large, target, tmp_path_factory):
    """Open MPI lets the ranks go on for a second, passes the signal on, and kills them a second later.

    They may be done by then, so the target is the old one or whole. (Stopping them to gain time would cut short the
    launcher's own waiting.)
    """
    if "openmpi" not in (sill.mpiexec or [""])[0]:
        pytest.skip("only Open MPI's launcher is known to pass the signal on")
    _, path = large
    copies = tmp_path_factory.mktemp("copies")
    inputs = [path, *(shutil.copyfile(path, copies / f"{i}.sgy") for i in range(4))]
    try:
        # A rank that waits for a busy disk for all of that second is killed before it can remove anything.
        for attempts_left in (2, 1, 0):
            process = sill.start("sort", *inputs, "-o", target, "--by", "offset,cdp", "--threads", 1, ranks=2)
            try:
                until = time.monotonic() + TIMEOUT_S
                while process.poll() is None and not leftovers(target.parent) and time.monotonic() < until:
                    time.sleep(0.001)
                process.send_signal(signal.SIGTERM)
                end_of(process)
            finally:
                kill_group(process)
            until = time.monotonic() + 10
            while leftovers(target.parent) and time.monotonic() < until:
                time.sleep(0.01)
            left = leftovers(target.parent)
            if not left:
                break
            assert attempts_left, left
            for name in left:
                (target.parent / name).unlink()
    finally:
        shutil.rmtree(copies)
    assert os.listdir(target.parent) == [target.name]
    assert target.read_bytes() == OLD or target.stat().st_size == 3600 + 5 * (path.stat().st_size - 3600)
    target.unlink()


def test_the_unfinished_output_is_named_after_the_target(sill, large, target):
    _, path = large
    process, part = catch_in_the_act(sill, path, target)
    kill_group(process)
    assert re.fullmatch(r"\.target\.sgy\.sill-[^/]+\.part", part.name)


def test_a_killed_run_leaves_the_old_target_and_the_next_removes_its_leftover(sill, large, small, target):
    _, path = large
    file, small_path = small
    process, part = catch_in_the_act(sill, path, target)
    kill_group(process)
    assert target.read_bytes() == OLD
    assert part.exists()
    of_another_target = part.with_name(part.name.replace("target", "another"))
    of_another_target.write_bytes(b"not ours to remove")
    sill.run("sort", small_path, "-o", target, "--by", "tracl", "--keep-sorting-code")
    assert target.read_bytes() == file.to_bytes()
    assert not part.exists()
    assert of_another_target.exists()


def test_the_unfinished_output_of_a_living_run_is_not_removed(sill, large, small, target):
    file, path = large
    _, small_path = small
    process, part = catch_in_the_act(sill, path, target)
    try:
        # The other run may write the target or say why not, but it leaves the living run alone.
        sill.run("sort", small_path, "-o", target, "--by", "tracl", expect=None)
        assert part.exists()
        os.kill(process.pid, signal.SIGCONT)
        code, _ = end_of(process)
    finally:
        kill_group(process)
    assert code == 0
    assert target.stat().st_size == len(file.head) + file.rows.size
    assert leftovers(target.parent) == []


OWN_ID = "0123456789abcdef"


def test_only_names_with_16_digits_are_leftovers(sill, small, target):
    file, path = small
    kept = ["notes", OWN_ID[:-1], OWN_ID + "0", OWN_ID.upper()]
    kept = [target.with_name(f".{target.name}.sill-{word}.part") for word in kept]
    leftover = target.with_name(f".{target.name}.sill-{OWN_ID}.part")
    for other in [*kept, leftover]:
        other.write_bytes(OLD)
    sill.run("sort", path, "-o", target, "--by", "tracl", "--keep-sorting-code")
    assert target.read_bytes() == file.to_bytes()
    assert not leftover.exists()
    assert all(other.read_bytes() == OLD for other in kept)


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
@pytest.mark.parametrize("word", ["notes", OWN_ID])
def test_an_input_named_as_an_unfinished_output_survives(sill, small, target, word, method):
    """Someone rescues what a killed run left behind."""
    file, _ = small
    rescued = file.write(target.with_name(f".{target.name}.sill-{word}.part"))
    sill.run("sort", rescued, "-o", target, "--by", "tracl", "--keep-sorting-code", "--method", method)
    assert target.read_bytes() == file.to_bytes()
    assert rescued.read_bytes() == file.to_bytes()
    assert leftovers(target.parent) == [rescued.name]


# Failures -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich), 3])
def test_full_disk(sill, tmp_path, tiny_disk, ranks):
    path = segy_files.make(500, 1500).write(tmp_path / "in.sgy")
    target = tiny_disk / "out.sgy"
    target.write_bytes(OLD)
    failed = sill.run("sort", path, "-o", target, "--by", "cdp", ranks=ranks, expect=4)
    assert "out.sgy" in failed.err
    assert re.search("(?i)no space|full", failed.reason), failed.err
    assert target.read_bytes() == OLD
    assert os.listdir(tiny_disk) == ["out.sgy"]


def test_full_disk_under_other_outputs(sill, tmp_path, tiny_disk):
    file = segy_files.make(60_000, 1, code=8)
    path = file.write(tmp_path / "in.sgy")
    keys = "cdp,offset,sx,sy,gx,gy"
    failed = sill.run("scan", path, "--keys", keys, "--csv", tiny_disk / "out.csv", expect=4)
    assert re.search("(?i)no space|full", failed.reason), failed.err
    failed = sill.run("make-survey", tiny_disk / "s.sgy", "--traces", 1000, "--samples", 1000, expect=4)
    assert re.search("(?i)no space|full", failed.reason), failed.err
    assert not (tiny_disk / "s.sgy").exists()
    assert leftovers(tiny_disk) == []


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_limit_on_the_size_of_files(sill, small, target, method):
    """SIGXFSZ would end the program without a word. (MPI has files of its own, so this is without ranks.)"""
    _, path = small

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    arguments = ("sort", path, "-o", target, "--by", "cdp", "--method", method)
    failed = sill.run(*arguments, expect=4, preexec_fn=limit)
    assert target.name in failed.err
    assert re.search("(?i)too large|limit", failed.reason), failed.err
    assert target.read_bytes() == OLD
    assert leftovers(target.parent) == []


@pytest.mark.parametrize("place", ["missing/r.json", "/dev/full"])
@pytest.mark.parametrize("ranks", [None, 2])
def test_a_report_that_cannot_be_written_leaves_the_old_target(sill, small, tmp_path, target, place, ranks):
    """What can be known before the work is: the report is opened before the target is replaced."""
    _, path = small
    report = tmp_path / place
    failed = sill.run("sort", path, "-o", target, "--by", "cdp", "--report", report, ranks=ranks, expect=4)
    assert str(report) in failed.err
    assert target.read_bytes() == OLD
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("ranks", [None, 2])
def test_damaged_input_leaves_the_old_target(sill, tmp_path, target, ranks):
    file = segy_files.make(9, 10)
    file.tail = bytes(68)
    path = file.write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", target, "--by", "cdp", ranks=ranks, expect=3)
    assert target.read_bytes() == OLD
    assert leftovers(tmp_path) == []


# The target -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
@pytest.mark.parametrize("ranks", [None, 2])
def test_mode_of_the_target_is_kept(sill, small, target, mode, ranks):
    _, path = small
    target.chmod(mode)
    sill.run("sort", path, "-o", target, "--by", "cdp", ranks=ranks)
    assert target.stat().st_mode & 0o7777 == mode


def test_a_new_target_obeys_the_umask(sill, small, tmp_path):
    _, path = small
    sill.run("sort", path, "-o", tmp_path / "new.sgy", "--by", "cdp", umask=0o027)
    assert (tmp_path / "new.sgy").stat().st_mode & 0o7777 == 0o640


def test_a_link_stays_a_link(sill, small, tmp_path, target):
    _, path = small
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = target.rename(elsewhere / "real.sgy")
    target.symlink_to(real)
    sill.run("sort", path, "-o", target, "--by", "cdp", "--keep-sorting-code")
    assert target.is_symlink()
    assert real.stat().st_size == path.stat().st_size
    assert leftovers(tmp_path) == leftovers(elsewhere) == []


def test_target_in_the_current_folder(sill, small, tmp_path):
    _, path = small
    sill.run("sort", path.name, "-o", "out.sgy", "--by", "cdp", cwd=tmp_path)
    assert (tmp_path / "out.sgy").stat().st_size == path.stat().st_size


# Inputs named as outputs ----------------------------------------------------------------------------------------------


def other_name(path: Path, kind: str) -> Path:
    other = path.with_name(f"{kind}.sgy")
    if kind == "symlink":
        other.symlink_to(path)
    elif kind == "hard-link":
        other.hardlink_to(path)
    elif kind == "dotted":
        return path.parent / "." / ".." / path.parent.name / path.name
    else:
        return path
    return other


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_input_as_target(sill, small, ranks):
    file, path = small
    kinds = ["same", "symlink", "hard-link", "dotted"]
    jobs = [("sort", path, "-o", other_name(path, kind), "--by", "cdp") for kind in kinds]
    for kind, refused in zip(kinds, sill.run_together(jobs, ranks=ranks, expect=2), strict=True):
        assert path.name in refused.err or f"{kind}.sgy" in refused.err
    assert path.read_bytes() == file.to_bytes()
    assert leftovers(path.parent) == []


@pytest.mark.parametrize("kind", ["same", "symlink", "hard-link"])
@pytest.mark.parametrize("option", ["--report", "--log"])
def test_input_as_report_or_log(sill, small, tmp_path, option, kind):
    file, path = small
    arguments = ("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", option, other_name(path, kind))
    sill.run(*arguments, expect=2)
    assert path.read_bytes() == file.to_bytes()
    assert not (tmp_path / "out.sgy").exists()


@pytest.mark.parametrize("command", ["info", "scan", "compare"])
@pytest.mark.parametrize("option", ["--report", "--log"])
def test_input_as_report_or_log_of_other_commands(sill, small, command, option):
    file, path = small
    inputs = (path, path) if command == "compare" else (path,)
    sill.run(command, *inputs, option, path, expect=2)
    assert path.read_bytes() == file.to_bytes()


@pytest.mark.parametrize("kind", ["same", "symlink", "hard-link"])
def test_input_as_csv(sill, small, kind):
    file, path = small
    sill.run("scan", path, "--keys", "cdp", "--csv", other_name(path, kind), expect=2)
    assert path.read_bytes() == file.to_bytes()


def test_second_input_as_target(sill, small, tmp_path):
    file, path = small
    second = file.write(tmp_path / "second.sgy")
    sill.run("sort", path, second, "-o", second, "--by", "cdp", expect=2)
    assert second.read_bytes() == file.to_bytes()
