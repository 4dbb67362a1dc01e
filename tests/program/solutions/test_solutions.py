"""`sill solutions join` and `split`: cases by two readers against what the solutions hold; and back, byte for byte."""

import json
import shutil
import subprocess
import time

import numpy
import pytest
from ensight import Case
from program import TIMEOUT_S, clean_environment, kill_group
from solution_files import found_files, indexes, solution_files, value
from solution_runs import CCROSS, DIMENSIONS, POINTS, PROBLEMS, SHARED, SUB_ELEMENTS, refused, write
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOEnSight import vtkGenericEnSightReader


def check(case: Case, phase: int = 1) -> None:
    assert sorted(case.variables) == ["solution_1", "solution_2"]
    for d in range(DIMENSIONS):
        expected = [float("%.5e" % value(p, i, d, phase)) for p in range(PROBLEMS) for i in range(POINTS)]
        assert case.variables[f"solution_{d + 1}"] == expected


def area(a, b, c) -> float:
    return ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2


def check_geometry(case: Case) -> None:
    """The triangles cover a square of 1 by 1 once; those of a problem, the problem's element."""
    assert len(case.points) == PROBLEMS * POINTS
    assert len(case.triangles) == PROBLEMS * SUB_ELEMENTS**2
    areas = [area(*(case.points[node] for node in nodes)) for nodes in case.triangles]
    assert areas == pytest.approx([1 / len(areas)] * len(areas), rel=1e-3)
    middles = set()
    for number, nodes in enumerate(case.triangles):
        assert {node // POINTS for node in nodes} == {number // SUB_ELEMENTS**2}
        middles.add(tuple(round(sum(case.points[node][axis] for node in nodes), 3) for axis in (0, 1)))
    assert len(middles) == len(areas)
    assert {point[2] for point in case.points} == {0}
    # Problem 0: from the corner of the square along its lower edge, to the middle of the first of two by two squares.
    assert [case.points[node] for node in (0, SUB_ELEMENTS, POINTS - 1)] == [(0, 0, 0), (0.5, 0, 0), (0.25, 0.25, 0)]


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("options", [[], SHARED, ["--record-width", 14]])
def test_a_case_holds_the_solutions_and_is_split_again(sill, tmp_path, options, ranks):
    write(sill, tmp_path / "out", *options)
    case = tmp_path / "all.case"
    report = tmp_path / "report.json"
    sill.run("solutions", "join", tmp_path / "out", "-o", case, "--report", report, ranks=ranks)
    joined = Case(case)
    check(joined)
    check_geometry(joined)
    told = json.loads(report.read_text())
    assert (told["step"], told["problems"], told["files"]) == (1, PROBLEMS, 4)
    assert told["bytes"] == sum(path.stat().st_size for path in (case, *joined.files))
    back = tmp_path / "back"
    sill.run("solutions", "split", case, "-o", back, ranks=ranks)
    width = options[1] if "--record-width" in options else 13
    assert found_files(back) == solution_files(CCROSS, 1, SUB_ELEMENTS, DIMENSIONS, width)
    assert indexes(back) == ["solution000001.index"]


def test_vtk_opens_it(sill, tmp_path):
    """What ParaView reads with."""
    write(sill, tmp_path / "out")
    case = tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    reader = vtkGenericEnSightReader()
    reader.SetCaseFileName(str(case))
    reader.Update()
    assert reader.GetOutput().GetNumberOfBlocks() == 1
    part = reader.GetOutput().GetBlock(0)
    assert part.GetNumberOfPoints() == PROBLEMS * POINTS
    assert part.GetNumberOfCells() == PROBLEMS * SUB_ELEMENTS**2
    assert part.GetBounds() == (0, 1, 0, 1, 0, 0)
    joined = Case(case)
    assert numpy.array_equal(vtk_to_numpy(part.GetPoints().GetData()), numpy.float32(joined.points))
    for name, values in joined.variables.items():
        assert numpy.array_equal(vtk_to_numpy(part.GetPointData().GetArray(name)), numpy.float32(values))
    cells = vtk_to_numpy(part.GetCells().GetConnectivityArray()).reshape(-1, 3)
    assert numpy.array_equal(cells, joined.triangles)


def test_the_files_are_the_same_for_every_policy_and_layout(sill, tmp_path):
    write(sill, tmp_path / "each")
    write(sill, tmp_path / "shared", *SHARED)
    contents = set()
    for number, policy in enumerate(["direct", "staged", "gathered", "aggregated", "collective", "elected,threads=3"]):
        for folder, ranks in (("each", 2), ("shared", None)):
            case = tmp_path / f"{folder}{number}" / "all.case"
            case.parent.mkdir()
            sill.run("solutions", "join", tmp_path / folder, "-o", case, "--policy", policy, ranks=ranks)
            files = [case.with_suffix(end) for end in (".geo", ".solution_1", ".solution_2")]
            contents.add(tuple(file.read_bytes() for file in files))
    assert len(contents) == 1


def test_one_of_several_phases(sill, tmp_path):
    write(sill, tmp_path / "out", phases=3)
    case = tmp_path / "all.case"
    result = sill.run("solutions", "join", tmp_path / "out", "-o", case, expect=2)
    assert "steps 1, 2, 3" in result.err
    result = sill.run("solutions", "join", tmp_path / "out", "-o", case, "--step", 4, expect=4)
    assert "no complete phase of step 4" in result.err and "1, 2, 3" in result.err
    sill.run("solutions", "join", tmp_path / "out", "-o", case, "--step", 2)
    check(Case(case), 2)


def test_phases_of_an_earlier_run_are_not_joined(sill, tmp_path):
    """Their solutions would lie upon the elements of the later run."""
    for ranks, policy in ((None, "elected"), (3, "direct,async=2,sync=close")):
        write(sill, tmp_path / "out", phases=4)
        sizes = ["--ccross", CCROSS, "--sub-elements", SUB_ELEMENTS, "--dimensions", DIMENSIONS, "--phases", 2]
        sill.run("kernel", "mslio", "--out", tmp_path / "out", *sizes, "--policy", policy, ranks=ranks)
        assert indexes(tmp_path / "out") == ["solution000001.index", "solution000002.index"]
        result = sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "x.case", "--step", 4, expect=4)
        assert "no complete phase of step 4" in result.err and "1, 2" in result.err


def test_a_killed_run_leaves_no_phase_of_the_one_before(sill, tmp_path):
    write(sill, tmp_path / "out", phases=4)
    sizes = ["--ccross", CCROSS, "--sub-elements", SUB_ELEMENTS, "--dimensions", DIMENSIONS, "--phases", 2]
    process = sill.start("kernel", "mslio", "--out", tmp_path / "out", *sizes, "--compute-ms", 60000)
    try:
        until = time.monotonic() + TIMEOUT_S
        while indexes(tmp_path / "out"):
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.01)
    finally:
        kill_group(process)
        process.communicate(timeout=TIMEOUT_S)
    assert len(found_files(tmp_path / "out")) > 4 * PROBLEMS
    refused(sill, tmp_path, tmp_path / "out", "no complete output phase", code=4)
    write(sill, tmp_path / "out")
    assert indexes(tmp_path / "out") == ["solution000001.index"]
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    check(Case(tmp_path / "all.case"))


def test_the_index_is_removed_for_good_before_a_file_is_opened(sill, tmp_path):
    """Where the policy syncs; else a crash of the machine could bring it back."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    write(sill, tmp_path / "out")
    case = tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    calls = ["strace", "-f", "-y", "-o", tmp_path / "calls", "-e", "trace=unlink,unlinkat,fsync,open,openat"]
    sizes = ["--ccross", CCROSS, "--sub-elements", SUB_ELEMENTS, "--dimensions", DIMENSIONS, "--phases", 1]
    for work in (
        ["kernel", "mslio", "--out", tmp_path / "out", *sizes],
        ["solutions", "split", case, "-o", tmp_path / "out"],
    ):
        for policy, syncs in (("elected", False), ("elected,sync=close", True), ("elected,sync=phase", True)):
            command = [*map(str, calls), *sill.command(*work, "--policy", policy)]
            subprocess.run(command, env=clean_environment(), check=True, capture_output=True, timeout=TIMEOUT_S)
            lines = (tmp_path / "calls").read_text().splitlines()
            removed = next(i for i, line in enumerate(lines) if "unlink" in line and "solution000001.index" in line)
            opened = next(i for i, line in enumerate(lines) if "/solution000001.txt" in line)
            between = [line for line in lines[removed:opened] if "fsync(" in line and f"{tmp_path / 'out'}>" in line]
            assert removed < opened and (between != []) == syncs
