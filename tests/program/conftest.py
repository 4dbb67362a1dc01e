"""Fixtures of the program's tests. What the environment variables mean is in tests/README.md."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

# Tests of one folder use what those of another define.
sys.path[:0] = [str(folder) for folder in Path(__file__).parent.iterdir() if folder.is_dir()]

import segy_files  # noqa: E402
from caught import OLD  # noqa: E402
from program import Program, find_mpiexec, find_program  # noqa: E402

NOBODY = 65534


def pytest_configure(config):
    # What a shell starts in the background ignores these, and so would every program that is started here.
    for which in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(which) == signal.SIG_IGN:
            signal.signal(which, signal.SIG_DFL if which == signal.SIGQUIT else signal.default_int_handler)
    config.addinivalue_line("markers", "mpich: also worth running with the MPICH build (at most 2 ranks)")
    config.addinivalue_line("markers", "nightly: takes long; script/test leaves it out unless --nightly is given")
    config.addinivalue_line("markers", "slow: takes some seconds and some hundred megabytes of disk")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test on several numbers of ranks, one rank under a launcher and four are for the night, and three beside two."""
    ranks_of = {}
    for item in items:
        ranks = getattr(item, "callspec", None) and item.callspec.params.get("ranks")
        ranks_of.setdefault(item.function, set()).add(ranks)
    for item in items:
        ranks = getattr(item, "callspec", None) and item.callspec.params.get("ranks")
        if ranks in (1, 4) or (ranks == 3 and 2 in ranks_of[item.function]):
            item.add_marker(pytest.mark.nightly)


@pytest.fixture(scope="session")
def sill() -> Program:
    path = find_program()
    if not os.access(path, os.X_OK):
        pytest.fail(f"no program at {path}: build it, or set SILL_PROGRAM", pytrace=False)
    return Program(path, find_mpiexec())


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real files with its MANIFEST.tsv."""
    told = os.environ.get("SILL_SAMPLES")
    if not told or not (Path(told) / "MANIFEST.tsv").is_file():
        pytest.skip("no real files: set SILL_SAMPLES to a folder with MANIFEST.tsv")
    return Path(told)


@pytest.fixture
def small(tmp_path):
    """120 traces of 20 IEEE samples, and the path it is written to."""
    file = segy_files.make(120, 20)
    return file, file.write(tmp_path / "small.sgy")


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """100 MB, so that a sort takes long enough to be caught in the act: (file, path). Read only."""
    file = segy_files.make(16_000, 1_500)
    path = file.write(tmp_path_factory.mktemp("large") / "large.sgy")
    yield file, path
    path.unlink()


@pytest.fixture(scope="session")
def small_memory(sill, tmp_path_factory) -> str:
    """The smallest of a few memory limits that the program takes for a file of 12 MB."""
    folder = tmp_path_factory.mktemp("memory")
    path = segy_files.make(60, 50).write(folder / "in.sgy")
    for size in ("1M", "2M", "4M", "8M"):
        if sill.run("sort", path, "-o", folder / "out.sgy", "--by", "cdp", "--memory", size, expect=(0, 2)).code == 0:
            return size
    pytest.fail("the program refuses --memory 8M for a file of 30 kB")


@pytest.fixture
def open_folder():
    """A folder that every user can enter and read, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="sill-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def unprivileged(sill, open_folder) -> tuple[Program, dict, Path]:
    """The program where an unprivileged user reaches it, the options that run it as that user, a folder of theirs."""
    home = open_folder / "home"
    home.mkdir()
    options = {"env": {"HOME": str(home), "TMPDIR": str(home)}, "cwd": open_folder}
    if os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
        options |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    copy = Program(Path(shutil.copy(sill.path, open_folder / "sill")), None)
    copy.mpiexec = sill.mpiexec
    copy.path.chmod(0o755)
    return copy, options, home


@pytest.fixture
def closed_folder(open_folder) -> tuple[Path, Path]:
    """A file that everyone may read, and a folder that nobody but root may write to."""
    path = segy_files.make(9, 10).write(open_folder / "in.sgy")
    path.chmod(0o444)
    closed = open_folder / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    return path, closed


@pytest.fixture
def target(tmp_path) -> Path:
    """A target that exists, so that a test can see whether it was left alone."""
    path = tmp_path / "target.sgy"
    path.write_bytes(OLD)
    return path


def mount_disk(place: Path, size: str):
    """A file system of its own, in memory. Needs the right to mount."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "sill-test", str(place)],
        capture_output=True, text=True, check=False,
    ) if shutil.which("mount") else None  # fmt: skip
    if mounted is None or mounted.returncode:
        pytest.skip("cannot mount a small file system: " + (mounted.stderr.strip() if mounted else "no mount"))
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def tiny_disk(tmp_path):
    """A file system of 1 MiB."""
    yield from mount_disk(tmp_path / "disk", "1M")


@pytest.fixture
def disk_for_large(tmp_path, large):
    """A file system with room for `large`, and little more."""
    yield from mount_disk(tmp_path / "disk", str(large[1].stat().st_size + (4 << 20)))
