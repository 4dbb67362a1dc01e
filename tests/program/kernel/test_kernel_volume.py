"""`sill kernel awp-volume`: NumPy reads the files, of every policy, any ranks and the original's requests."""

import json
import math
import resource
import threading
import time

import numpy as np
import pytest
from program import TIMEOUT_S

KERNEL = ["kernel", "awp-volume"]


def field(shape, component: int, step: int) -> np.ndarray:
    """The kernel's field by its definition, as [x, y, z]."""
    x, y, z = np.ogrid[tuple(slice(n) for n in shape)]
    factors = zip((x, y, z, component, step), (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1), strict=True)
    number = sum(part * factor for part, factor in factors) % (1 << 32)
    signed = np.where(number >= 1 << 31, number - (1 << 32), number)
    return (np.floor_divide(signed, 256) * 2.0**-23).astype(np.float32)


def expected(shape, skip: int, batch: int, steps: int, every: int) -> dict:
    """File names and their samples, as [time, z, y, x]: z begins at the surface, which is the grid's last."""
    files = {}
    sampled = range(every, steps + 1, every)
    for first in range(0, len(sampled), batch):
        of_file = sampled[first : first + batch]
        for component, letter in enumerate("XYZ"):
            kept = []
            for step in of_file:
                from_surface = field(shape, component, step)[:, :, ::-1]
                whole = [n // skip * skip for n in shape]
                kept.append(from_surface[: whole[0] : skip, : whole[1] : skip, : whole[2] : skip].transpose(2, 1, 0))
            files[f"S{letter}{of_file[-1]:07d}"] = np.array(kept)
    return files


def sizes(shape, skip: int, batch: int, steps: int, every: int = 1) -> list:
    grid = "x".join(map(str, shape))
    return ["--grid", grid, "--skip", skip, "--batch", batch, "--steps", steps, "--every", every]


def check(folder, *of) -> None:
    files = expected(*of)
    assert sorted(path.name for path in folder.iterdir()) == sorted(files)
    for name, samples in files.items():
        found = np.fromfile(folder / name, dtype=np.float32)
        assert found.size == samples.size
        np.testing.assert_array_equal(found.reshape(samples.shape), samples)


# All of them, on any ranks and with several threads: tests/kernels.
POLICIES = ["direct,async=2", "staged", "elected", "burst=/tmp", "collective"]

# Remainders in each dimension; tall, so that ranks share z; skips longer than the blocks of ranks; a last batch that is
# not full; fewer points than ranks.
CASES = [((33, 21, 47), 3, 4, 10, 1), ((5, 4, 61), 2, 3, 9, 2), ((40, 3, 3), 3, 2, 4, 1), ((2, 1, 1), 1, 1, 3, 1)]


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_numpy_reads_the_same_for_policies(sill, tmp_path, ranks):
    case = CASES[0]
    for way in [["--policy", policy] for policy in POLICIES] + [["--original"], ["--original", "--row-types"]]:
        out = tmp_path / way[-1]
        result = sill.run(*KERNEL, "--out", out, *sizes(*case), *way, "--verify", ranks=ranks)
        assert "verified" in result.out
        check(out, *case)


@pytest.mark.parametrize("ranks", [None, 2])
def test_many_points_are_taken_by_several_threads(sill, tmp_path, ranks):
    """A million points a component: rows of 101 that no number of threads divides."""
    case = ((97, 101, 102), 1, 2, 2, 1)
    result = sill.run(*KERNEL, "--out", tmp_path, *sizes(*case), "--policy", "elected,threads=3", ranks=ranks)
    assert "2 steps" in result.out
    check(tmp_path, *case)


@pytest.mark.parametrize("ranks", [1, 3, 4])
@pytest.mark.parametrize("case", CASES)
def test_numpy_reads_the_same_for_any_number_of_ranks(sill, tmp_path, ranks, case):
    ways = {
        "elected": ["--policy", "elected,async=1"],
        "collective": ["--policy", "collective"],
        "original": ["--original"],
    }
    kernel = [*KERNEL, *sizes(*case), "--verify", "--out"]
    sill.run_together([(*kernel, tmp_path / name, *options) for name, options in ways.items()], ranks=ranks)
    for name in ways:
        check(tmp_path / name, *case)


def test_sizes_are_those_of_the_paper(sill, tmp_path):
    """10125 x 5000 x 1060 points, 5062 x 2500 x 530 kept, 20 samples: more than this disk has, and told before."""
    out = tmp_path / "out"
    result = sill.run(*KERNEL, "--paper", "--out", out, expect=4)
    bytes_of_paper = 3 * 20 * 5062 * 2500 * 530 * 4
    assert math.isclose(bytes_of_paper / 2**40, 1.464, abs_tol=0.0005)
    assert f"{bytes_of_paper:,}" in result.out + result.err
    assert not out.exists()


def test_the_report(sill, tmp_path):
    case = (40, 20, 10), 2, 4, 14, 1
    report = tmp_path / "report.json"
    run = [*KERNEL, "--out", tmp_path / "out", *sizes(*case), "--report", report]
    sill.run(*run, "--policy", "elected", ranks=2)
    told = json.loads(report.read_text())
    assert (told["kernel"], told["points_x"], told["skip"], told["batch"]) == ("awp-volume", 40, 2, 4)
    assert told["phases"] == 4
    assert told["file_bytes"] == sum(path.stat().st_size for path in (tmp_path / "out").iterdir())
    assert told["file_bytes"] == 14 * 3 * 20 * 10 * 5 * 4
    assert told["opens"] == 4 * 3 + 1  # and the report
    assert told["requests_written"] == 4 * 3
    assert 0 <= told["output_s"] <= told["loop_s"] <= told["seconds"]
    sill.run(*run, "--original", ranks=2)
    told = json.loads(report.read_text())
    assert told["original"] and told["phases"] == 4
    assert told["requests_written"] == told["opens"] - 1 == 4 * 3 * 2


@pytest.mark.parametrize(
    ("shape", "parts"), [((40, 30, 4), (2, 2, 1)), ((40, 10, 8), (4, 1, 1)), ((5, 4, 61), (1, 1, 4))]
)
def test_the_process_grid_has_blocks_of_least_surface(sill, tmp_path, shape, parts):
    report = tmp_path / "report.json"
    for way in ([], ["--original"]):
        sill.run(*KERNEL, "--out", tmp_path / "out", *sizes(shape, 1, 1, 1), *way, "--report", report, ranks=4)
        told = json.loads(report.read_text())
        assert (told["parts_x"], told["parts_y"], told["parts_z"]) == parts


def test_a_changed_byte_is_found(sill, tmp_path):
    """The last sample of a file that is complete, changed while the run goes on."""
    out = tmp_path / "out"
    changed = out / "SY0000002"

    def change():
        until = time.monotonic() + TIMEOUT_S
        while not changed.exists() and time.monotonic() < until:
            time.sleep(0.002)
        with changed.open("r+b") as file:
            file.seek(-6, 2)
            byte = file.read(1)
            file.seek(-6, 2)
            file.write(bytes([byte[0] ^ 1]))

    thread = threading.Thread(target=change)
    thread.start()
    wanted = sizes((12, 10, 8), 2, 2, 20)
    result = sill.run(*KERNEL, "--out", out, *wanted, "--compute-ms", 30, "--verify", expect=3)
    thread.join()
    assert str(changed) in result.err
    assert f"byte:   {2 * 6 * 5 * 4 * 4 - 6}" in result.err


WAYS = [["--policy", "elected"], ["--policy", "direct,async=2"], ["--original"]]


@pytest.mark.parametrize("way", WAYS[:2])
def test_a_limit_of_file_sizes_is_told_once_and_leaves_no_part_of_a_file(sill, tmp_path, way):
    """Every file would exceed it."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    out = tmp_path / "out"
    wanted = sizes((20, 20, 20), 1, 2, 4)
    result = sill.run(*KERNEL, "--out", out, *wanted, *way, expect=4, preexec_fn=limited)
    assert result.err.count("sill: error") == 1
    assert "SX0000002" in result.err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_is_told_once_with_ranks_and_earlier_batches_are_whole(sill, tiny_disk, way):
    """Room for a few batches of 96,000 bytes."""
    out = tiny_disk / "out"
    shape = (20, 20, 20)
    result = sill.run(*KERNEL, "--out", out, *sizes(shape, 1, 1, 40), *way, ranks=2, expect=4)
    assert result.err.count("sill: error") == 1
    assert "No space left" in result.err and str(out) in result.err
    if way == ["--original"]:
        return
    steps = sorted({int(path.name[2:]) for path in out.iterdir()})
    assert len(steps) >= 5
    assert sorted(path.name for path in out.iterdir()) == [f"S{c}{step:07d}" for c in "XYZ" for step in steps]
    for path in out.iterdir():
        wanted = field(shape, "XYZ".index(path.name[1]), int(path.name[2:]))[:, :, ::-1].transpose(2, 1, 0)
        np.testing.assert_array_equal(np.fromfile(path, dtype=np.float32).reshape(shape), wanted)


def test_what_contradicts_itself_is_refused(sill, tmp_path):
    out = ["--out", tmp_path / "out"]
    for wrong in (
        ["--original", "--policy", "staged"],
        ["--row-types"],
        ["--row-types", "--against", "direct,staged"],
        ["--grid", "10x10"],
        ["--grid", "10x10x0"],
        ["--grid", "10x10x10x"],
        ["--grid", "10,10,10"],
        ["--grid", "9999999999x9999999999x9"],
        ["--grid", "10x10x3", "--skip", 4],
        ["--skip", 0],
        ["--batch", 0],
        ["--steps", 0],
        ["--every", 0],
        ["--paper", "--steps", 3],
    ):
        sill.run(*KERNEL, *out, *wrong, expect=2)
    assert not (tmp_path / "out").exists()


def test_a_grid_whose_ghost_points_exceed_memory_is_refused(sill, tmp_path):
    for grid in ("737869762948382061x1x1", "9223372036854775807x1x1"):
        sizes = ["--grid", grid, "--skip", 1, "--steps", 1, "--batch", 1]
        assert "too many" in sill.run(*KERNEL, *sizes, "--out", tmp_path / "out", expect=2).err
