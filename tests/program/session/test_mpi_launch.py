"""Launchers: the right one, one of another MPI, and none, when MPI must stay asleep."""

import os
import re
import shutil

import pytest
import segy_files
from program import Program, find_mpiexec


def launcher_of(name: str) -> str:
    if not shutil.which(name):
        pytest.skip(f"no {name}")
    return name + (" --oversubscribe" if "openmpi" in name else "")


@pytest.fixture
def open_mpi_program(sill) -> Program:
    """The program, where it is known to be built with Open MPI: its own launcher says so."""
    if "openmpi" not in (find_mpiexec() or ""):
        pytest.skip("SILL_MPIEXEC is not Open MPI's launcher")
    return sill


@pytest.fixture
def mpich_program() -> str:
    path = os.environ.get("SILL_PROGRAM_MPICH")
    if not path or not os.access(path, os.X_OK):
        pytest.skip("no MPICH build: set SILL_PROGRAM_MPICH")
    return path


def refuses(program: Program, small, tmp_path, ranks, names, **options):
    _, path = small
    target = tmp_path / "out.sgy"
    failed = program.run("sort", path, "-o", target, "--by", "cdp", ranks=ranks, expect=2, **options)
    for name in names:
        assert re.search(name, failed.reason, re.I), failed.err
    assert not target.exists()
    assert sorted(os.listdir(tmp_path)) == [path.name]


def test_open_mpi_program_under_mpich(open_mpi_program, small, tmp_path):
    foreign = Program(open_mpi_program.path, launcher_of("mpirun.mpich"))
    refuses(foreign, small, tmp_path, 2, ["open ?mpi", "mpich"])


def test_open_mpi_program_alone_under_mpich(open_mpi_program, small, tmp_path):
    """One rank is one program whoever started it."""
    _, path = small
    foreign = Program(open_mpi_program.path, launcher_of("mpirun.mpich"))
    foreign.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", ranks=1)
    assert (tmp_path / "out.sgy").stat().st_size == path.stat().st_size


def test_mpich_program_under_open_mpi(mpich_program, small, tmp_path):
    foreign = Program(mpich_program, launcher_of("mpirun.openmpi"))
    refuses(foreign, small, tmp_path, 2, ["open ?mpi", "mpich"])


def test_mpich_program_under_mpich(mpich_program, small, tmp_path):
    file, path = small
    own = Program(mpich_program, launcher_of("mpirun.mpich"))
    own.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", "--keep-sorting-code", ranks=2)
    assert (tmp_path / "out.sgy").read_bytes() == file.permuted(segy_files.sort_order(file, ["cdp"])).to_bytes()


@pytest.mark.parametrize(
    "variables, names",
    [
        ({"PMI_SIZE": "2", "PMI_RANK": "0"}, ["open ?mpi", "mpich"]),
        ({"PMI_SIZE": "2"}, ["open ?mpi", "mpich"]),
        ({"OMPI_COMM_WORLD_SIZE": "2"}, ["open ?mpi"]),
        ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "0", "SLURM_JOB_ID": "7"}, ["open ?mpi", "slurm"]),
    ],
    ids=["PMI-rank-0", "PMI", "OMPI", "SLURM"],
)
def test_announced_ranks_that_are_not_there(open_mpi_program, small, tmp_path, variables, names):
    refuses(open_mpi_program, small, tmp_path, None, names, env=variables)


@pytest.mark.parametrize(
    "variables, name",
    [
        ({"PMIX_RANK": "0"}, "PMIX_RANK"),
        ({"PMIX_RANK": "2"}, "PMIX_RANK"),
        ({"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3"}, "OMPI_COMM_WORLD_SIZE"),
    ],
    ids=["PMIx-rank-0", "PMIx-rank-2", "OMPI-rank-3"],
)
def test_every_announced_rank_tells_why_it_refuses(open_mpi_program, small, tmp_path, variables, name):
    """Each is a process of its own, so none may count on rank 0 to speak."""
    refuses(open_mpi_program, small, tmp_path, None, [rf"sill: error: .*{name}"], env=variables)


def test_a_batch_job_is_no_launcher(sill, small, tmp_path):
    """A batch script of Slurm announces the tasks of the job, but starts the program once."""
    _, path = small
    batch = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_JOB_NUM_NODES": "2"}
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp", env=batch)
    assert (tmp_path / "out.sgy").stat().st_size == path.stat().st_size


def plugins_loaded(program: Program, folder, *arguments, ranks=None) -> set[str]:
    """Open MPI loads its components (mca_*.so) when it is initialized; the dynamic linker writes down what it loads."""
    env = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(folder / "linker")}
    program.run(*arguments, ranks=ranks, env=env)
    logs = list(folder.glob("linker.*"))
    assert logs
    found = {name for log in logs for name in re.findall(r"mca_\w+\.so", log.read_text(errors="replace"))}
    for log in logs:
        log.unlink()
    return found


def test_alone_mpi_is_not_initialized(open_mpi_program, small, tmp_path):
    _, path = small
    logs = tmp_path / "logs"
    logs.mkdir()
    target = tmp_path / "out.sgy"
    if not plugins_loaded(open_mpi_program, logs, "info", path, ranks=2):
        pytest.skip("this Open MPI has its components built in, so that loading them shows nothing")
    for arguments in [
        ("info", path),
        ("scan", path, "--keys", "cdp", "--stats"),
        ("sort", path, "-o", target, "--by", "cdp"),
        ("compare", path, path),
        ("make-survey", tmp_path / "made.sgy", "--traces", 20, "--samples", 10),
        ("--version",),
    ]:
        assert not plugins_loaded(open_mpi_program, logs, *arguments), arguments


@pytest.fixture
def limited(sill) -> Program:
    """Runs the program that its arguments name with the limits before it."""
    prlimit = Program(shutil.which("prlimit") or pytest.skip("no prlimit"), None)
    prlimit.mpiexec = sill.mpiexec
    return prlimit


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_too_few_descriptors_for_mpi_are_told(sill, limited, small, ranks):
    """MPI would end the program while it starts, with an exit code and messages of its own."""
    _, path = small
    arguments = ("--nofile=20", sill.path, "compare", path, path, "--policy", "independent")
    failed = limited.run(*arguments, ranks=ranks, expect=4)
    assert re.search(r"sill: error: this process may open 20 files.*\n.*ulimit -n\) to 64 or more", failed.err)


def test_few_descriptors_are_enough_without_mpi(sill, limited, small):
    _, path = small
    limited.run("--nofile=20", sill.path, "compare", path, path)
