"""`sill kernel grid-rows`: bytes against numpy, and what the default makes of short rows."""

import json

import numpy
import pytest

KERNEL = ["kernel", "grid-rows"]


def content(grid, step: int) -> bytes:
    z, y, x = numpy.meshgrid(*(numpy.arange(n, dtype=numpy.uint32) for n in reversed(grid)), indexing="ij")
    with numpy.errstate(over="ignore"):
        number = x * numpy.uint32(0x9E3779B1) + y * numpy.uint32(0x85EBCA77) + z * numpy.uint32(0xC2B2AE3D)
        number = number + numpy.uint32(step * 0x165667B1 & 0xFFFFFFFF)
    values = (number.view(numpy.int32) >> 8).astype(numpy.float32) * numpy.float32(2.0**-23)
    return values[::-1].astype("<f4").tobytes()


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
def test_the_same_bytes_for_policies(sill, tmp_path, ranks):
    sizes = ["--grid", "13x11x7", "--snapshots", 2, "--verify"]
    runs = [(*KERNEL, *sizes, "--out", tmp_path / "original", "--original")]
    for policy in ("auto", "direct", "auto,async=2", "staged"):
        runs.append((*KERNEL, *sizes, "--out", tmp_path / policy, "--policy", policy))
    for run in runs:
        sill.run(*run, ranks=ranks)
    for folder in tmp_path.iterdir():
        found = sorted(folder.iterdir())
        assert [path.read_bytes() for path in found] == [content((13, 11, 7), step) for step in (1, 2)], folder


def test_short_rows_are_joined_by_default(sill, tmp_path):
    """On 2 x 2 ranks rows of 24 points lie in turns: direct makes a request of each, the default a few of all."""
    requests = {}
    for policy in (None, "direct"):
        report = tmp_path / f"{policy}.json"
        chosen = ["--policy", policy] if policy else []
        sizes = ["--grid", "48x16x10", "--snapshots", 3]
        sill.run(*KERNEL, *sizes, "--out", tmp_path / "out", "--report", report, *chosen, ranks=4)
        requests[policy] = json.loads(report.read_text())["outputs"]["volumes"]["requests_written"]
    assert requests == {None: 3, "direct": 3 * 2 * 16 * 10}
