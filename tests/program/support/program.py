"""Runs the program as a user does: alone or under a launcher, never longer than `TIMEOUT_S`."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

TIMEOUT_S = 600  # only a hang meets it, however slow or busy the machine is
NEEDS_MPI = re.compile(r"\b(mpiio|independent|collective)\b|^--hints$")
LAUNCHER_VARIABLES = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "HYDI_", "HYDRA_", "MPI_LOCAL")
REPOSITORY = Path(__file__).resolve().parents[3]
# What launchers need in containers; the tests have time limits of their own.
OF_LAUNCHERS = dict(re.findall(r"^(?!MPIEXEC_TIMEOUT)(\w+)=(.*)$", (REPOSITORY / "cmake/mpi_environment").read_text(), re.M))


@dataclass
class Result:
    command: str
    code: int
    out: str
    err: str
    seconds: float

    @property
    def text(self) -> str:
        """Both streams, for statements that may be printed on either."""
        return self.out + self.err

    @property
    def reason(self) -> str:
        """Standard error without absolute paths: pytest names folders after tests, and their words are no reason."""
        return without_paths(self.err)

    @property
    def said(self) -> str:
        """Both streams without absolute paths."""
        return without_paths(self.text)


def without_paths(text: str) -> str:
    return re.sub(r"(?<!\w)/\S+", "PATH", text)


def clean_environment() -> dict[str, str]:
    """The caller's environment without what a launcher around the tests may have set."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_VARIABLES)}
    return kept | OF_LAUNCHERS | {
        "LC_ALL": "C.UTF-8",
        # What is chosen depends on profiles of file systems.
        "XDG_CONFIG_HOME": "/nonexistent",
        "XDG_CONFIG_DIRS": "/nonexistent",
    }


def children_of(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # ended meanwhile
        return []


def descendants_of(pid: int) -> list[int]:
    found = children_of(pid)
    return found + [deeper for child in found for deeper in descendants_of(child)]


def signal_all(pids: list[int], which: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, which)
        except ProcessLookupError:
            pass


def kill_group(process: subprocess.Popen) -> None:
    """Ends at once a process of `Program.start` and all it started: launchers give ranks groups of their own."""
    if process.poll() is None:
        signal_all([*descendants_of(process.pid), process.pid], signal.SIGKILL)
        process.wait()


class Program:
    def __init__(self, path: Path, mpiexec: str | None):
        self.path = Path(path)
        self.mpiexec = shlex.split(mpiexec) if mpiexec else None
        self.has_mpi = os.environ.get("SILL_MPIEXEC") != "none"  # which states a build without MPI

    def command(self, *arguments, ranks: int | None = None) -> list[str]:
        """`ranks=None` is without a launcher; `ranks=1` is under the launcher."""
        if ranks is not None and not self.mpiexec:
            pytest.skip("no MPI launcher: set SILL_MPIEXEC")
        if not self.has_mpi and any(NEEDS_MPI.search(str(argument)) for argument in arguments):
            pytest.skip("MPI-IO, in a build without MPI")
        launcher = [] if ranks is None else [*self.mpiexec, "-n", str(ranks)]
        return [*launcher, str(self.path), *map(str, arguments)]

    def start(self, *arguments, ranks: int | None = None, env: dict[str, str] | None = None, **options):
        """Starts without waiting; the caller ends it with `kill_group` in a `finally`."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(
            self.command(*arguments, ranks=ranks),
            env=clean_environment() | (env or {}),
            start_new_session=True,
            **options,
        )

    def run(self, *arguments, ranks=None, expect=0, timeout_s: float = TIMEOUT_S, **options) -> Result:
        """Runs to the end. `expect` is an exit code, several, or None for any that is no crash."""
        began = time.monotonic()
        process = self.start(*arguments, ranks=ranks, **options)
        shown = shlex.join(map(str, process.args))
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            kill_group(process)
            raise AssertionError(f"no end after {timeout_s} s: {shown}") from None
        except BaseException:
            kill_group(process)
            raise
        result = Result(shown, process.returncode, out.decode(), err.decode(), time.monotonic() - began)
        allowed = range(0, 5) if expect is None else (expect,) if isinstance(expect, int) else expect
        assert result.code in allowed, (
            f"exit {result.code}, expected {list(allowed)}: {shown}\n--- stdout\n{result.out}\n--- stderr\n{result.err}"
        )
        return result

    def run_together(self, jobs: list[tuple], **options) -> list[Result]:
        """Runs of the same options at once: Open MPI's launcher idles two seconds after ranks that failed.

        All ranks of MPICH spin while they wait, so there one run follows the other.
        """
        at_once = 6 if self.mpiexec and "openmpi" in self.mpiexec[0] else 1
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda arguments: self.run_apart(*arguments, **options), jobs))

    def run_apart(self, *arguments, env: dict[str, str] | None = None, **options) -> Result:
        """With a folder of its own for Open MPI's launcher: one that ends removes what another is about to use."""
        with tempfile.TemporaryDirectory(prefix="sill-mpi-") as folder:
            os.chmod(folder, 0o777)
            return self.run(*arguments, env={**(env or {}), "OMPI_MCA_orte_tmpdir_base": folder}, **options)

    def run_measured(self, *arguments) -> tuple[int, int]:
        """Exit code and peak resident memory in bytes of a run without a launcher.

        Between fork and exec a child counts the memory of its parent, so that a small process has to start it.
        """
        command = [sys.executable, "-I", "-S", "-c", MEASURE, *self.command(*arguments)]
        done = subprocess.run(
            command, env=clean_environment(), capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
        code, peak_kib = map(int, done.stderr.split()[-2:])
        return code, peak_kib * 1024


MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=sys.stderr)
"""

# The same on each rank of a launcher, where ranks share standard error: the peak goes to a file in a folder.
MEASURE_EACH = """
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(os.path.join(sys.argv[1], str(os.getpid())), "w") as told:
    told.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def find_program() -> Path:
    return Path(os.environ.get("SILL_PROGRAM") or REPOSITORY / "build/release/bin/sill").resolve()


def find_mpiexec() -> str | None:
    told = os.environ.get("SILL_MPIEXEC")
    if told:
        return told if shutil.which(shlex.split(told)[0]) else None
    return "mpirun.openmpi --oversubscribe" if shutil.which("mpirun.openmpi") else None


def leftovers(folder) -> list[str]:
    """Names of unfinished outputs in a folder."""
    return sorted(name for name in os.listdir(folder) if name.endswith(".part"))
