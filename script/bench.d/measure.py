"""Measuring: one run from a defined state of the page cache, and two jobs in turns."""

import ctypes
import mmap
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

CHILD = pathlib.Path(__file__).resolve().parent / "child.py"
BLOCK = 1 << 20
LAUNCHER_VARIABLES = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "HYDI_", "HYDRA_", "MPI_LOCAL")


class BenchError(Exception):
    """A run that failed, or a case that cannot be measured here."""


class Skipped(Exception):
    """A case that this machine cannot run, with the reason."""


@dataclass
class Job:
    """A command with what it reads and writes. `output_of` names the file that the output must be as long as."""

    command: list
    inputs: list = field(default_factory=list)
    output: pathlib.Path | None = None
    output_of: pathlib.Path | None = None
    cold: bool = False  # inputs evicted from the page cache before each run, otherwise read into it
    limited: bool = False  # runs in the memory group
    check: Callable | None = None  # called after each run, while the output is there; raises BenchError

    def shown(self, folder) -> str:
        words = [str(word) for word in self.command]
        words = [pathlib.Path(word).name if word.startswith("/") else word for word in words]
        return shlex.join(words).replace(f"{folder}/", "")


@dataclass
class Run:
    seconds: float
    user_s: float
    system_s: float
    peak_bytes: int
    peak_is_bound: bool  # the true peak is at most peak_bytes
    text: str  # standard output


class MemoryGroup:
    """A memory limit by cgroup v1, in a group of our own that is removed at the end."""

    def __init__(self):
        self.folder = None

    def make(self, limit_bytes: int) -> None:
        if self.folder is None:
            parent = self._parent()
            folder = parent / "sill_bench"
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise Skipped(f"cannot create a memory group of cgroup v1: {error}") from None
            self.folder = folder
        try:
            (self.folder / "memory.limit_in_bytes").write_text(str(limit_bytes))
        except OSError as error:
            raise Skipped(f"cannot set a memory limit in {self.folder}: {error}") from None

    @staticmethod
    def _parent() -> pathlib.Path:
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            _, place, kind, options = line.split()[:4]
            if kind == "cgroup" and "memory" in options.split(","):
                own = ""
                for entry in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
                    _, controllers, path = entry.split(":", 2)
                    if "memory" in controllers.split(","):
                        own = path.strip("/")
                inside = pathlib.Path(place) / own
                return inside if inside.is_dir() else pathlib.Path(place)
        raise Skipped("there is no memory controller of cgroup v1 here")

    def empty(self) -> None:
        """Gives back what earlier runs left charged to the group."""
        (self.folder / "memory.force_empty").write_text("0")
        (self.folder / "memory.max_usage_in_bytes").write_text("0")

    def max_used_bytes(self) -> int:
        return int((self.folder / "memory.max_usage_in_bytes").read_text())

    def remove(self) -> None:
        if self.folder is not None:
            try:
                self.folder.rmdir()
            except OSError as error:
                say(f"could not remove {self.folder}: {error}")
            self.folder = None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def warm(path) -> None:
    """Reads a file, so that it is in the page cache."""
    buffer = bytearray(BLOCK)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def evict(path) -> None:
    """Drops a file from the page cache; what is not yet on the disk has to be synced before."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached_fraction(path) -> float:
    """How much of a file is in the page cache, by mincore(2)."""
    size = os.path.getsize(path)
    if size == 0:
        return 0.0
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    pages = -(-size // mmap.PAGESIZE)
    states = (ctypes.c_ubyte * pages)()
    with open(path, "rb") as file:
        address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise BenchError(f"mmap of {path} failed: {os.strerror(ctypes.get_errno())}")
    try:
        if libc.mincore(address, size, states) != 0:
            raise BenchError(f"mincore of {path} failed: {os.strerror(ctypes.get_errno())}")
    finally:
        libc.munmap(address, size)
    return sum(bytes(states).translate(bytes(i & 1 for i in range(256)))) / pages


def checksum(path, start: int) -> int:
    """Of the bytes from `start` on."""
    value = 0
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        while block := file.read(8 * BLOCK):
            value = zlib.crc32(block, value)
    return value


def touch_memory(wanted: int) -> None:
    """Has the host back this many bytes of memory, or what there is: on a virtual machine the first touch of a page is
    slow, and pages that are free for some seconds may go back to the host. So this is done before every run."""
    available = 0
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            available = int(line.split()[1]) * 1024
    block = 64 << 20
    count = min(wanted, available * 6 // 10) // block
    if count > 0:
        # in a process of its own, which gives all of it back by ending, and which is not a child of this one: what a
        # process waited for counts as its memory
        program = f"blocks = [b'\\1' * {block} for _ in range({count})]"
        in_background = ["sh", "-c", '"$0" -I -S -c "$1" &', sys.executable, program]
        subprocess.run(in_background, stdout=subprocess.PIPE, check=False)  # returns when that process has ended


def environment() -> dict:
    """The caller's environment without what a launcher around the bench may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER_VARIABLES)}
    return kept | {"LC_ALL": "C.UTF-8", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Bench:
    """Where the files are, what may be removed, and how one job is run."""

    def __init__(self, folder: pathlib.Path, timeout_s: float, touch: float):
        self.folder = folder
        self.touch = touch
        self.timeout_s = timeout_s
        self.group = MemoryGroup()
        self.outputs = set()  # every target a job has had: only these are removed between runs
        self.worst_eviction = 0.0
        self.timed_s = 0.0
        self.others_s = 0.0  # processor time that others took meanwhile: processes, the kernel, the host

    def others_cores(self) -> float:
        """How many processors were busy with something else while runs were timed, on average."""
        return max(0.0, self.others_s) / self.timed_s if self.timed_s > 0 else 0.0

    def remove_outputs(self) -> None:
        for path in self.outputs:
            path.unlink(missing_ok=True)

    def require_space(self, wanted_bytes: int) -> None:
        free = shutil.disk_usage(self.folder).free
        if free < wanted_bytes:
            raise Skipped(f"needs {wanted_bytes / 1e9:.1f} GB in {self.folder}, {free / 1e9:.1f} GB are free")

    def run(self, job: Job) -> Run:
        """One run of a job: outputs removed, all synced, inputs warm or evicted; only the command itself is timed."""
        if job.output is not None:
            self.outputs.add(job.output)
        self.remove_outputs()
        os.sync()
        for path in job.inputs:
            if job.cold:
                evict(path)
                self.worst_eviction = max(self.worst_eviction, cached_fraction(path))
            else:
                warm(path)
        group = ""
        if job.limited:
            self.group.empty()
            group = str(self.group.folder)
        touch_memory(int(self.touch * sum(path.stat().st_size for path in job.inputs)))
        run = self._timed(job, group)
        if job.output is not None and job.output_of is not None:
            found = job.output.stat().st_size if job.output.exists() else -1
            wanted = job.output_of.stat().st_size
            if found != wanted:
                raise BenchError(f"the output has {found} bytes, not {wanted}: {job.shown(self.folder)}")
        if job.check is not None:
            job.check()
        self.remove_outputs()
        return run

    def _timed(self, job: Job, group: str) -> Run:
        out, err = self.folder / "stdout.txt", self.folder / "stderr.txt"
        out.write_text("")
        err.write_text("")
        child = [sys.executable, "-I", "-S", str(CHILD), group, str(out), str(err), *map(str, job.command)]
        process = subprocess.Popen(
            child,
            cwd=self.folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            told, complaint = process.communicate(timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            raise BenchError(f"no end after {self.timeout_s:.0f} s: {job.shown(self.folder)}") from None
        finally:
            end(process)
        words = told.split()
        if len(words) != 7:
            reason = complaint.strip().splitlines()[-1:] or ["it was killed, perhaps for lack of memory"]
            raise BenchError(f"{reason[0]}: {job.shown(self.folder)}")
        seconds, user_s, system_s, busy_s = map(float, words[:4])
        peak_kib, own_kib, code = map(int, words[4:])
        self.timed_s += seconds
        self.others_s += busy_s - user_s - system_s
        if code != 0:
            lines = [line for line in err.read_text(errors="replace").splitlines() if line.strip()]
            detail = " / ".join(lines[:3]) if lines else "it said nothing"
            ended = f"status {code}" if code > 0 else signal.Signals(-code).name
            raise BenchError(f"{ended} ended {job.shown(self.folder)}: {detail}")
        return Run(seconds, user_s, system_s, peak_kib * 1024, peak_kib <= own_kib, out.read_text(errors="replace"))

    def in_turns(self, jobs: list, pairs: int) -> list:
        """Runs the jobs in turns, the first two in swapped order every second time: a list of runs for each.

        Where there are several pairs, an untimed run of each goes before.
        """
        if pairs > 1:
            for job in jobs:
                self.run(job)
        runs = [[] for _ in jobs]
        order = list(range(len(jobs)))
        for pair in range(pairs):
            swapped = order[:2][::-1] + order[2:] if pair % 2 else order
            for index in swapped:
                runs[index].append(self.run(jobs[index]))
        return runs


def guarded(row, fill):
    """The row that `fill` completes, or the same row with the reason why not."""
    say(f"{row.case}: {row.text}")
    try:
        fill()
    except Skipped as reason:
        row.skipped = str(reason)
        say(f"  skipped: {reason}")
    except (BenchError, OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        row.problem = str(error)
        say(f"  failed: {error}")
    return row


def end(process: subprocess.Popen) -> None:
    """Ends what a child process started; a launcher passes the request on to its ranks."""
    if process.poll() is not None:
        return
    for which in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 5
        try:
            os.killpg(process.pid, which)
            while time.monotonic() < deadline:
                process.poll()
                os.killpg(process.pid, 0)  # is anyone of the group left?
                time.sleep(0.05)
        except ProcessLookupError:
            break
    process.wait()
