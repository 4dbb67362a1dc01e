"""Catches a sort while it writes, so that a test can end it then and see what is left."""

import fcntl
import os
import re
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest
from program import TIMEOUT_S, descendants_of, kill_group, leftovers, signal_all, without_paths

OLD = b"what was there before"
CLEAN_UP_S = 0.5  # on an idle machine
ATTEMPTS = 8


def catch_in_the_act(sill, path, target: Path, *options, ranks=None, command=("sort", "--by", "offset,cdp")):
    """A sort, or another command, that has created its unfinished output and is stopped (SIGSTOP) before it finished; with the output.

    The caller lets it go on with SIGCONT, and ends it with `kill_group`. Of a launcher only the ranks are stopped.
    """
    folder = target.parent
    for _ in range(ATTEMPTS):
        old = set(os.listdir(folder))
        arguments = (command[0], path, "-o", target, *command[1:], "--threads", 1, *options)
        process = sill.start(*arguments, ranks=ranks)
        until = time.monotonic() + TIMEOUT_S
        while process.poll() is None and time.monotonic() < until:
            if any(name.endswith(".part") for name in os.listdir(folder) if name not in old):
                stopped = [process.pid] if ranks is None else descendants_of(process.pid)
                signal_all(stopped, signal.SIGSTOP)
                while not all(is_stopped(pid) for pid in stopped):
                    time.sleep(0.001)
                new = [name for name in leftovers(folder) if name not in old]
                # Between its creation and its lock another run may take it for a leftover.
                if new and is_locked(folder / new[0]):
                    return process, folder / new[0]
                break
        kill_group(process)
        target.write_bytes(OLD)
        for name in set(os.listdir(folder)) - old - {target.name}:
            (folder / name).unlink()
    pytest.fail("the sort could not be caught while it wrote: was no .NAME.sill-ID.part made beside the target?")


def is_locked(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


@dataclass
class Caught:
    """A sort that is stopped while it writes: its processes but for a launcher, and the unfinished output."""

    process: Popen
    pids: list[int]
    part: Path

    def end(self) -> tuple[int, str]:
        """Lets it go on to its end: the exit code, and standard error without paths."""
        signal_all(self.pids, signal.SIGCONT)
        _, err = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, without_paths(err.decode())


@contextmanager
def caught(sill, path, target: Path, *options, ranks=None):
    process, part = catch_in_the_act(sill, path, target, *options, ranks=ranks)
    try:
        yield Caught(process, [process.pid] if ranks is None else descendants_of(process.pid), part)
    finally:
        kill_group(process)


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped or has ended."""
    try:
        return re.search(r"^State:\s*[TZX]", Path(f"/proc/{pid}/status").read_text(), re.M) is not None
    except OSError:
        return True


def end_of(process) -> tuple[int, float]:
    code, seconds, _ = end_and_errors_of(process)
    return code, seconds


def end_and_errors_of(process) -> tuple[int, float, str]:
    began = time.monotonic()
    _, errors = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, time.monotonic() - began, (errors or b"").decode()


def clean_up_limit_s(sill) -> float:
    """Cleaning up takes less than the second after which Open MPI kills ranks; longer where processes start slowly."""
    return max(CLEAN_UP_S, 15 * sill.run("--version").seconds)


def wait_until_gone(part: Path) -> None:
    """The launcher may end a moment before the last rank."""
    until = time.monotonic() + 60
    while part.exists() and time.monotonic() < until:
        time.sleep(0.002)
