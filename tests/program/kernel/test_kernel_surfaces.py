"""`sill kernel ondes3d-surfaces`: files against an independent writer, other programs, and the original's requests."""

import json
import os

import numpy
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOLegacy import vtkStructuredPointsReader

MASK = (1 << 64) - 1
KERNEL = ["kernel", "ondes3d-surfaces"]
GRID = (23, 17, 9)
SIZES = ["--grid", "23x17x9", "--plane-rows", 4, "--steps", 9, "--every", 3]
# All of them, on any ranks and with several threads: tests/kernels.
POLICIES = ["staged", "elected,async=2", "burst=/tmp", "collective"]


def values(quantity: int, x, y, z, step: int):
    """The vectors at the points, by the kernel's definition: exact in float32."""
    vectors = []
    with numpy.errstate(over="ignore"):
        for component in range(3):
            bits = (
                x.astype(numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
                + y.astype(numpy.uint64) * numpy.uint64(0xBF58476D1CE4E5B9)
                + z.astype(numpy.uint64) * numpy.uint64(0x94D049BB133111EB)
                + numpy.uint64(step * 0xD6E8FEB86659FD93 & MASK)
                + numpy.uint64((quantity * 3 + component) * 0xA0761D6478BD642F & MASK)
            )
            bits = (bits ^ (bits >> numpy.uint64(32))) * numpy.uint64(0xE7037ED1A0B428DB)
            vectors.append(((bits >> numpy.uint64(39)).astype(numpy.int64) - (1 << 24)) / 2.0**20)
    return numpy.stack(vectors, axis=-1)


def plane_file(first, count, quantity: int, step: int) -> bytes:
    spacing = 200.0
    origin = [spacing * n for n in first]
    header = (
        "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS %d %d %d\nORIGIN %f %f %f\n"
        "SPACING %f %f %f\nPOINT_DATA %d\nSCALARS V float 3\nLOOKUP_TABLE default\n"
        % (*count, *origin, spacing, spacing, spacing, numpy.prod(count))
    )
    z, y, x = numpy.meshgrid(*(numpy.arange(f, f + n) for f, n in zip(first[::-1], count[::-1], strict=True)), indexing="ij")
    return header.encode() + values(quantity, x, y, z, step).astype(">f4").tobytes()


def expected_files(displacement: bool = False) -> dict:
    nx, ny, nz = GRID
    planes = {
        "xy": ((0, 0, nz - 1), (nx, ny, 1)),
        "xz": ((0, ny // 2, nz - 4), (nx, 1, 4)),
        "yz": ((nx // 2, 0, nz - 4), (1, ny, 4)),
    }
    return {
        f"surface{plane}{name}{step:04d}00.vtk": plane_file(*planes[plane], quantity, step)
        for plane in planes
        for quantity, name in enumerate(["vel", "disp"][: 2 if displacement else 1])
        for step in (3, 6, 9)
    }


def contents(folder) -> dict:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("original", [[], ["--original"]])
@pytest.mark.parametrize("displacement", [False, True])
def test_bytes_are_those_of_an_independent_writer(sill, tmp_path, original, displacement):
    more = [*original, *(["--displacement"] if displacement else [])]
    result = sill.run(*KERNEL, *SIZES, "--out", tmp_path / "out", *more, "--verify")
    assert "verified" in result.out
    assert contents(tmp_path / "out") == expected_files(displacement)


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_the_same_bytes_for_policies(sill, tmp_path, ranks):
    expected = expected_files()
    for policy in POLICIES:
        sill.run(*KERNEL, *SIZES, "--out", tmp_path / policy, "--policy", policy, ranks=ranks)
        assert contents(tmp_path / policy) == expected, policy


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("policy", ["elected,async=2", "direct,async=1,threads=3"])
def test_lent_arrays_make_the_same_bytes(sill, tmp_path, policy, ranks):
    out = ["--out", tmp_path / "out", "--policy", policy, "--lend"]
    sill.run(*KERNEL, *SIZES, *out, "--displacement", "--verify", ranks=ranks)
    assert contents(tmp_path / "out") == expected_files(True)


@pytest.mark.parametrize("ranks", [3, 4])
def test_the_same_bytes_for_any_number_of_ranks(sill, tmp_path, ranks):
    ways = {"original": ["--original"], "elected": ["--policy", "elected"], "direct": ["--policy", "direct"]}
    kernel = [*KERNEL, *SIZES, "--displacement", "--verify", "--out"]
    sill.run_together([(*kernel, tmp_path / name, *options) for name, options in ways.items()], ranks=ranks)
    for name in ways:
        assert contents(tmp_path / name) == expected_files(True), name


def test_another_program_reads_them(sill, tmp_path):
    sill.run(*KERNEL, *SIZES, "--out", tmp_path / "out")
    for name, content in contents(tmp_path / "out").items():
        reader = vtkStructuredPointsReader()
        reader.SetFileName(str(tmp_path / "out" / name))
        reader.Update()
        plane = reader.GetOutput()
        vectors = numpy.frombuffer(content[content.index(b"default\n") + 8 :], ">f4").reshape(-1, 3)
        assert numpy.array_equal(vtk_to_numpy(plane.GetPointData().GetArray("V")), vectors)
        assert plane.GetSpacing() == (200.0, 200.0, 200.0)
        nx, ny, nz = GRID
        origin = {"xy": (0, 0, nz - 1), "xz": (0, ny // 2, nz - 4), "yz": (nx // 2, 0, nz - 4)}[name[7:9]]
        assert plane.GetOrigin() == tuple(200.0 * n for n in origin)


def test_the_original_writes_four_bytes_at_a_time(sill, tmp_path):
    """With the paper's grid: 606,570 a phase, so 60,657,000 in its hundred phases (Table I)."""
    report = tmp_path / "report.json"
    sizes = ["--steps", 10, "--every", 10, "--out", tmp_path / "out", "--report", report]
    sill.run(*KERNEL, *sizes, "--original")
    told = json.loads(report.read_text())
    headers = 3
    assert told["phases"] == 1
    assert told["requests_written"] == 606_570 + headers
    four = [each["requests"] for each in told["outputs"]["surfaces"]["sizes_written"] if each["from_bytes"] == 4]
    assert four == [606_570]
    assert told["bytes_written"] == told["file_bytes"] == sum(f.stat().st_size for f in (tmp_path / "out").iterdir())
    sill.run(*KERNEL, *sizes, "--policy", "elected")
    told = json.loads(report.read_text())
    assert told["requests_written"] == 3 and told["opens"] == 3 + 1


def test_requests_of_a_phase(sill, tmp_path):
    """Of each file at most one a buffer, and one more."""
    report = tmp_path / "report.json"
    sizes = ["--grid", "120x90x12", "--steps", 2, "--every", 1, "--displacement"]
    for ranks in (1, 4):
        sill.run(*KERNEL, *sizes, "--out", tmp_path / "out", "--policy", "elected,stage=64K", "--report", report, ranks=ranks)
        told = json.loads(report.read_text())
        sizes_bytes = [path.stat().st_size for path in (tmp_path / "out").iterdir()]
        assert told["requests_written"] <= sum(-(-size // 65536) + 1 for size in sizes_bytes)


def test_what_contradicts_itself_is_refused(sill, tmp_path):
    out = ["--out", tmp_path / "out"]
    refused = (
        (["--grid", "12x13"], "three numbers"),
        (["--grid", "12x0x3"], "three numbers"),
        (["--grid", "12x4x3x"], "three numbers"),
        (["--grid", "12x4x3.5"], "three numbers"),
        (["--grid", "12x4x3", "--plane-rows", 4], "--plane-rows is 4"),
        (["--paper", "--grid", "12x4x3"], "--paper"),
        (["--every", 0], "--every"),
        (["--grid", "3000000000x3000000000x140"], "too large"),
        (["--grid", "1000000000x100000x140", "--steps", 2000000000, "--every", 1], "2^63"),
    )
    for ranks in (None, 2):
        results = sill.run_together([(*KERNEL, *out, *wrong) for wrong, _ in refused], expect=2, ranks=ranks)
        for (_, word), result in zip(refused, results, strict=True):
            assert word in result.err and result.err.count("sill: error") == 1
    assert not os.path.exists(tmp_path / "out")


def test_a_full_disk_is_told_once_and_earlier_phases_are_whole(sill, tmp_path, tiny_disk):
    out = tiny_disk / "out"
    room = os.statvfs(tiny_disk)
    sizes = ["--grid", "160x120x20", "--steps", 5, "--every", 1]
    phase = 12 * (160 * 120 + 11 * 160 + 11 * 120)
    (tiny_disk / "filler").write_bytes(bytes(room.f_bavail * room.f_bsize - 2 * phase - 20 * room.f_bsize))
    sill.run(*KERNEL, *sizes, "--out", tmp_path / "whole", "--verify")
    whole = contents(tmp_path / "whole")
    for policy in ("elected", "direct", "elected,async=2"):
        result = sill.run(*KERNEL, *sizes, "--out", out, "--policy", policy, ranks=2, expect=4)
        assert result.err.count("sill: error") == 1 and "No space left" in result.err
        left = contents(out)
        assert not [name for name in left if not name.endswith(".vtk")]
        assert left and all(whole[name] == content for name, content in left.items())
        for path in out.iterdir():
            path.unlink()
