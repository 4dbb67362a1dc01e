"""What every kernel does when a rank is killed between phases, or its folder vanishes: phases before it stay whole."""

import os
import shutil
import signal
import time

import pytest
from program import TIMEOUT_S, descendants_of, kill_group

pytestmark = pytest.mark.nightly

# Each has a phase every 300 ms of computing; a phase itself takes a few.
PACE = ["--compute-ms", 30]
KERNELS = {
    "ondes3d-stations": ["--stations", 7, "--steps", 60, "--every", 10],
    "ondes3d-surfaces": ["--grid", "40x30x12", "--steps", 60, "--every", 10, "--displacement"],
    "awp-volume": ["--grid", "30x20x12", "--steps", 60, "--every", 2, "--batch", 5],
    "mslio": ["--ccross", 2, "--sub-elements", 6, "--phases", 6, "--compute-ms", 300],
}
# Files of the first two phases and what they are when the third has not begun.
FIRST_PHASES = {
    "ondes3d-stations": [f"obs{n}.dat" for n in range(1, 8)],
    "ondes3d-surfaces": [f"surface{p}{q}00{s}00.vtk" for p in ("xy", "xz", "yz") for q in ("vel", "disp") for s in (10, 20)],
    "awp-volume": [f"S{c}{step:07d}" for c in "XYZ" for step in (10, 20)],
    "mslio": [f"local{n:06}/solution{p:06}.txt" for n in range(16) for p in (1, 2)] + ["solution000001.index"],
}


def command(kernel: str, out, policy: str) -> list:
    pace = [] if kernel == "mslio" else PACE
    return ["kernel", kernel, *KERNELS[kernel], *pace, "--out", out, "--policy", policy]


def has_begun(kernel: str, out) -> bool:
    """Whether the first two phases are there."""
    files = [out / name for name in FIRST_PHASES[kernel]]
    if not all(file.exists() for file in files):
        return False
    if kernel != "ondes3d-stations":
        return True
    headers = [file.read_text().split("\n")[:2] for file in files]
    # Several ranks may write a new file, its header last.
    return all(header[0].startswith("\0") is False and len(header[-1].split()) == 2 for header in headers) and all(
        int(header[1].split()[0]) >= 20 for header in headers
    )


def wait_for(kernel: str, out, process) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not has_begun(kernel, out):
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.01)


def ranks_of(process) -> list[int]:
    """The processes of the program under a launcher."""
    found = []
    for pid in descendants_of(process.pid):
        with open(f"/proc/{pid}/comm") as comm:
            if comm.read().strip() == "sill":
                found.append(pid)
    return found


def check_first_phases(sill, kernel: str, out, whole) -> None:
    """`whole` holds the files of a run that ended."""
    for name in FIRST_PHASES[kernel]:
        left, ended = (out / name).read_bytes(), (whole / name).read_bytes()
        if kernel == "ondes3d-stations":
            lines = left.splitlines(keepends=True)
            steps = int(lines[1].split()[0])
            assert steps >= 20 and lines[0] == ended.splitlines(keepends=True)[0]
            assert lines[2 : 2 + steps] == ended.splitlines(keepends=True)[2 : 2 + steps]
        else:
            assert left == ended


@pytest.mark.parametrize("policy", ["elected", "direct,async=2"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_rank_killed_between_phases_ends_all_and_earlier_phases_are_whole(sill, tmp_path, kernel, policy):
    sill.run("kernel", kernel, *KERNELS[kernel][: 6 if kernel == "mslio" else None], "--out", tmp_path / "whole")
    out = tmp_path / "out"
    process = sill.start(*command(kernel, out, policy), ranks=3)
    try:
        wait_for(kernel, out, process)
        ranks = ranks_of(process)
        assert len(ranks) == 3
        os.kill(ranks[1], signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert process.returncode != 0
    check_first_phases(sill, kernel, out, tmp_path / "whole")
    # The folder is good for another run, which leaves nothing of the one before.
    sill.run("kernel", kernel, *KERNELS[kernel], "--out", out, "--verify", ranks=3)
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    whole = tmp_path / "whole"
    assert names == sorted(str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file())
    assert not [name for name in names if ".part" in name]


@pytest.mark.parametrize("policy", ["elected", "staged,async=2"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_folder_that_vanishes_is_told_once(sill, tmp_path, kernel, policy):
    out = tmp_path / "out"
    process = sill.start(*command(kernel, out, policy), ranks=2)
    try:
        wait_for(kernel, out, process)
        shutil.move(out, tmp_path / "moved")
        shutil.rmtree(tmp_path / "moved")
        _, err = process.communicate(timeout=TIMEOUT_S)
    finally:
        kill_group(process)
    assert process.returncode == 4
    assert err.decode().count("sill: error") == 1 and str(out) in err.decode()
    assert not out.exists()
