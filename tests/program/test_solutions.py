"""`sill solutions join` and `split`: cases by two readers against what the solutions hold; and back, byte for byte."""

import json
import os
import shutil
import signal
import subprocess
import time

import numpy
import pytest
from ensight import Case
from program import clean_environment, kill_group
from solution_files import found_files, indexes, points_of, solution_files, value
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOEnSight import vtkGenericEnSightReader

CCROSS, SUB_ELEMENTS, DIMENSIONS = 2, 5, 2
PROBLEMS, POINTS = 4**CCROSS, points_of(SUB_ELEMENTS)
SHARED = ["--files", "shared", "--chunk-align", "1K"]


def write(sill, folder, *options, phases=1, sub_elements=SUB_ELEMENTS):
    sizes = ["--ccross", CCROSS, "--sub-elements", sub_elements, "--dimensions", DIMENSIONS, "--phases", phases]
    sill.run("kernel", "mslio", "--out", folder, *sizes, "--describe", *options)


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
        until = time.monotonic() + 40
        while indexes(tmp_path / "out"):
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.01)
    finally:
        kill_group(process)
        process.communicate(timeout=60)
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
            subprocess.run(command, env=clean_environment(), check=True, capture_output=True, timeout=60)
            lines = (tmp_path / "calls").read_text().splitlines()
            removed = next(i for i, line in enumerate(lines) if "unlink" in line and "solution000001.index" in line)
            opened = next(i for i, line in enumerate(lines) if "/solution000001.txt" in line)
            between = [line for line in lines[removed:opened] if "fsync(" in line and f"{tmp_path / 'out'}>" in line]
            assert removed < opened and (between != []) == syncs


def refused(sill, tmp_path, folder, *words, code=3) -> None:
    """On one rank and on several; and nothing is left of the case."""
    (tmp_path / "cases").mkdir(exist_ok=True)
    for ranks in (None, 2):
        result = sill.run("solutions", "join", folder, "-o", tmp_path / "cases" / "x.case", ranks=ranks, expect=code)
        assert result.err.count("sill: error") == 1
        for word in words:
            assert word in result.err
        assert os.listdir(tmp_path / "cases") == []


def test_what_cannot_be_joined_is_refused(sill, tmp_path):
    good = tmp_path / "good"
    write(sill, good)
    solution = "local000007/solution000001.txt"

    def changed(change):
        folder = tmp_path / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        change(folder)
        return folder

    def put_letter(folder):
        with (folder / solution).open("r+b") as file:
            file.seek(25)
            file.write(b"x")

    size = 13 * POINTS * DIMENSIONS
    refused(sill, tmp_path, changed(lambda folder: (folder / solution).unlink()), solution, code=4)
    refused(sill, tmp_path, changed(lambda folder: os.truncate(folder / solution, 20)), solution, f"instead of {size}")
    refused(sill, tmp_path, changed(put_letter), solution, "byte:   25", "line:   2")
    refused(sill, tmp_path, changed(lambda folder: shutil.rmtree(folder / "local000015")), "local000015", code=4)
    refused(sill, tmp_path, changed(lambda folder: shutil.rmtree(folder / "local000014")), "local000014")
    refused(
        sill,
        tmp_path,
        changed(lambda folder: shutil.copytree(folder / "local000015", folder / "local000016")),
        "local000016",
        "more local problems than the 16",
    )
    refused(sill, tmp_path, changed(lambda folder: (folder / "local000002/element.txt").unlink()), "--describe")
    refused(sill, tmp_path, changed(lambda folder: os.truncate(folder / "local000002/element.txt", 9)), "instead of 225")
    index = "solution000001.index"
    refused(sill, tmp_path, changed(lambda folder: (folder / index).write_text("hello\n")), index)
    refused(sill, tmp_path, changed(lambda folder: (folder / index).rename(folder / "solution000002.index")), "step 1")
    refused(sill, tmp_path, changed(lambda folder: (folder / index).unlink()), "no complete output phase", code=4)
    refused(sill, tmp_path, tmp_path / "nowhere", "nowhere", code=4)
    refused(sill, tmp_path, good / solution, solution, code=4)
    shared = tmp_path / "shared"
    write(sill, shared, *SHARED)
    os.truncate(shared / "elements.txt", 225 * 15)
    refused(sill, tmp_path, shared, "elements.txt", "instead of 3600")
    result = sill.run("solutions", "join", good, "-o", tmp_path / "all.vtk", expect=2)
    assert "ends with .case" in result.err
    result = sill.run("solutions", "join", good, "-o", tmp_path / "a b.case", expect=2)
    assert "no blanks" in result.err


def put(path, at, text):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(text)


GARBAGE = [(b"hello worlds\n", 0), (b"1.0000000000\n", 7), (b" 1.23456f+00\n", 8), (b" 1.234O6e+00\n", 6)]


@pytest.mark.parametrize("ranks", [None, 3])
def test_what_is_printable_but_no_number_is_neither_joined_nor_split(sill, tmp_path, ranks):
    """Whatever the stages cut: the last bytes of one and the first of the next are looked at as one record."""
    (tmp_path / "cases").mkdir()
    each, shared, case = tmp_path / "each", tmp_path / "shared", tmp_path / "all.case"
    write(sill, each)
    write(sill, shared, *SHARED)
    sill.run("solutions", "join", each, "-o", case)
    one, chunks = each / "local000009" / "solution000001.txt", shared / "solution000001.txt"
    variable = tmp_path / "all.solution_2"
    head = variable.stat().st_size - 13 * POINTS * PROBLEMS
    # Where a record of problem 9 begins, in each kind of file, and its line.
    record = POINTS + 4
    places = [
        (one, 13 * record, record + 1, ["join", each, "-o", tmp_path / "cases" / "x.case"]),
        (chunks, 9 * 1024 + 13 * record, 9 * (2 * POINTS + 1) + record + 1,
         ["join", shared, "-o", tmp_path / "cases" / "x.case"]),
        (variable, head + 13 * (9 * POINTS + 4), 4 + 9 * POINTS + 5, ["split", case, "-o", tmp_path / "back"]),
    ]  # fmt: skip
    for path, at, line, command in places:
        whole = path.read_bytes()
        for garbage, wrong in GARBAGE:
            put(path, at, garbage)
            for policy in ("elected", "staged,stage=600", "direct,threads=2")[: 1 if ranks else 3]:
                result = sill.run("solutions", *command, "--policy", policy, ranks=ranks, expect=3)
                assert result.err.count("sill: error") == 1
                for words in (path.name, f"byte:   {at + wrong}\n", f"line:   {line}\n", garbage.decode().strip()):
                    assert words in result.err
                assert os.listdir(tmp_path / "cases") == [] and indexes(tmp_path / "back") == []
            path.write_bytes(whole)
    sill.run("solutions", "join", each, "-o", tmp_path / "cases" / "x.case", ranks=ranks)


def test_what_cannot_be_split_is_refused(sill, tmp_path):
    write(sill, tmp_path / "out")
    case = tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    text = case.read_text()
    split = ["solutions", "split", case, "-o", tmp_path / "back"]
    for wrong in (text.replace("# problems 16", "# problems 15"), text.replace("# step 1", "# step 2"), "FORMAT\n"):
        case.write_text(wrong)
        result = sill.run(*split, ranks=2, expect=3)
        assert result.err.count("sill: error") == 1
    case.write_text(text)
    for at, character in ((207, b"x"), (200, b"\n"), (3, b"\t"), (-1, b" ")):
        variable = tmp_path / "all.solution_2"
        whole = variable.read_bytes()
        at += len(whole) if at < 0 else len(whole) - 13 * POINTS * PROBLEMS
        variable.write_bytes(whole[:at] + character + whole[at + 1 :])
        for ranks in (None, 3):
            result = sill.run(*split, ranks=ranks, expect=3)
            assert result.err.count("sill: error") == 1
            assert "all.solution_2" in result.err and f"byte:   {at}" in result.err
            assert indexes(tmp_path / "back") == []
        variable.write_bytes(whole)
    shutil.rmtree(tmp_path / "back")
    (tmp_path / "all.solution_2").unlink()
    assert "all.solution_2" in sill.run(*split, expect=4).err
    assert "missing.case" in sill.run("solutions", "split", tmp_path / "missing.case", "-o", tmp_path, expect=4).err
    assert not (tmp_path / "back").exists()


def writes_seen(sill, tmp_path, *command, expect):
    """Every path below the test's folder that a run makes or opens for writing, and its message."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    calls = ["strace", "-f", "-o", tmp_path / "calls", "-e", "trace=open,openat,creat,mkdir,mkdirat,rename,renameat"]
    result = subprocess.run(
        [*map(str, calls), *sill.command(*command)], env=clean_environment(), capture_output=True, timeout=60, text=True
    )
    assert result.returncode == expect
    lines = [line for line in (tmp_path / "calls").read_text().splitlines() if str(tmp_path) in line]
    return [line for line in lines if "O_RDONLY" not in line], result.stderr


def test_sizes_are_looked_at_before_anything_is_written(sill, tmp_path):
    for options, last in (([], "local000015/solution000001.txt"), (SHARED, "solution000001.txt")):
        out = tmp_path / f"out{len(options)}"
        write(sill, out, *options)
        with (out / last).open("ab") as file:
            file.write(b"x")
        written, told = writes_seen(sill, tmp_path, "solutions", "join", out, "-o", tmp_path / "all.case", expect=3)
        assert written == [] and "bytes instead of" in told and last in told
        os.remove(out / last)
        os.mkfifo(out / last)
        written, told = writes_seen(sill, tmp_path, "solutions", "join", out, "-o", tmp_path / "all.case", expect=4)
        assert written == [] and "not a regular file" in told and last in told


def test_a_small_disk_is_told_before_anything_is_written(sill, tmp_path, tiny_disk):
    write(sill, tmp_path / "out", sub_elements=90)
    command = ["solutions", "join", tmp_path / "out", "-o", tiny_disk / "all.case"]
    written, told = writes_seen(sill, tmp_path, *command, expect=4)
    assert written == [] and "are free" in told and "MB" in told
    result = sill.run(*command, ranks=2, expect=4)
    assert result.err.count("sill: error") == 1 and "are free" in result.err
    assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    for ranks in (None, 2):
        command = ["solutions", "split", tmp_path / "all.case", "-o", tiny_disk / "back"]
        result = sill.run(*command, ranks=ranks, expect=4)
        assert result.err.count("sill: error") == 1 and "are free" in result.err
        assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []


def test_files_that_are_there_leave_room_for_themselves(sill, tmp_path, tiny_disk):
    """Each is replaced before the next is written."""
    write(sill, tmp_path / "out", sub_elements=50)
    size = sum(path.stat().st_size for path in (tmp_path / "out").rglob("solution*.txt"))
    free = os.statvfs(tiny_disk)
    assert free.f_bavail * free.f_frsize / 2 < size < free.f_bavail * free.f_frsize
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    for _ in range(2):
        sill.run("solutions", "split", tmp_path / "all.case", "-o", tiny_disk / "back")
    assert found_files(tiny_disk / "back").keys() == solution_files(CCROSS, 1, 1, DIMENSIONS).keys()


def test_many_small_files_take_a_block_each(sill, tmp_path, tiny_disk):
    """1,024 files of 130 bytes do not fit on 1 MiB, nor do fewer of them; they do where larger ones were."""
    sizes = ["--ccross", 5, "--sub-elements", 3, "--phases", 1]
    out, case = tmp_path / "out", tmp_path / "all.case"
    sill.run("kernel", "mslio", "--out", out, *sizes, "--describe")
    sill.run("solutions", "join", out, "-o", case)
    for ranks in (None, 2):
        result = sill.run("solutions", "split", case, "-o", tiny_disk / "back", ranks=ranks, expect=4)
        assert "are free" in result.err
        assert [name for name in os.listdir(tiny_disk) if name != "lost+found"] == []


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_files_with_links_leave_no_room(sill, tmp_path, tiny_disk, link):
    """The place of what has another name, and of what a link points to, is not free when a name of it is gone."""
    write(sill, tmp_path / "out", sub_elements=60)
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    back = tiny_disk / "back"
    sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
    (tiny_disk / "copies").mkdir()
    for path in sorted(back.rglob("solution000001.txt")):
        copy = tiny_disk / "copies" / path.parent.name
        path.rename(copy)
        getattr(path, link)(copy)
    before = found_files(tiny_disk)
    result = sill.run("solutions", "split", tmp_path / "all.case", "-o", back, expect=4)
    assert "are free" in result.err
    assert found_files(tiny_disk) == before
    assert indexes(back) == ["solution000001.index"]


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("layout", [[], SHARED])
def test_split_puts_no_solutions_beside_descriptions(sill, tmp_path, layout, ranks):
    """They may tell of another mesh; and a case cannot give them back."""
    write(sill, tmp_path / "out", phases=2)
    for step in (1, 2):
        sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / f"{step}.case", "--step", step)
    other = tmp_path / "other"
    write(sill, other, *layout, sub_elements=SUB_ELEMENTS + 1)
    before = found_files(other)
    result = sill.run("solutions", "split", tmp_path / "2.case", "-o", other, ranks=ranks, expect=4)
    assert result.err.count("sill: error") == 1
    assert "describe" in result.err and ("elements.txt" if layout else "element.txt") in result.err
    assert found_files(other) == before and indexes(other) == ["solution000001.index"]
    sill.run("solutions", "join", other, "-o", tmp_path / "other.case")
    # Step by step, into a folder without.
    for step in (2, 1):
        sill.run("solutions", "split", tmp_path / f"{step}.case", "-o", tmp_path / "back", ranks=ranks)
    assert found_files(tmp_path / "back") == solution_files(CCROSS, 2, SUB_ELEMENTS, DIMENSIONS)
    assert indexes(tmp_path / "back") == ["solution000001.index", "solution000002.index"]


def test_an_index_or_a_case_that_tells_of_too_much_is_a_damaged_input(sill, tmp_path):
    """Neither wrong use, nor lists of so many files."""
    write(sill, tmp_path / "out")
    index, case = tmp_path / "out" / "solution000001.index", tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    for file, command in ((index, ["join", tmp_path / "out", "-o", tmp_path / "x.case"]),
                          (case, ["split", case, "-o", tmp_path / "back"])):  # fmt: skip
        text = file.read_text()
        for problems in (10**12, 2**31 - 1, 2 * 10**8):
            file.write_text(text.replace("problems 16", f"problems {problems}"))
            result = sill.run("solutions", *command, expect=3, timeout_s=20)
            assert result.err.count("sill: error") == 1
        file.write_text(text)
        assert not (tmp_path / "x.case").exists() and not (tmp_path / "back").exists()
    shared = tmp_path / "shared"
    write(sill, shared, *SHARED)
    index = shared / "solution000001.index"
    text = index.read_text()
    for problems, word in ((2**31, "count"), (2 * 10**8, "count"), (10**8, "bytes instead of"), (17, "bytes instead of")):
        index.write_text(text.replace("problems 16", f"problems {problems}"))
        refused(sill, tmp_path, shared, word)


def test_small_mistakes_on_the_command_line_are_told_plainly(sill, tmp_path):
    write(sill, tmp_path / "out")
    for step in ("-1", "-100"):
        result = sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "x.case", "--step", step, expect=2)
        assert f'"{step}" is no step' in result.err and "000000" not in result.err.replace("1000000", "")
    case = tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    assert "has no name" in sill.run("solutions", "split", case, "-o", "", expect=2, cwd=tmp_path).err
    assert "ends with .case" in sill.run("solutions", "join", tmp_path / "out", "-o", "", expect=2, cwd=tmp_path).err
    assert "--out" in sill.run("kernel", "mslio", "--out", "", "--ccross", 1, expect=2, cwd=tmp_path).err


def test_a_link_to_nothing_is_told_as_such(sill, tmp_path):
    write(sill, tmp_path / "out")
    case, nowhere = tmp_path / "all.case", tmp_path / "link"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    nowhere.symlink_to("gone")
    (tmp_path / "link.case").symlink_to("gone.case")
    one = tmp_path / "out" / "local000002" / "solution000001.txt"
    commands = [
        ["join", nowhere, "-o", tmp_path / "x.case"],
        ["split", tmp_path / "link.case", "-o", tmp_path / "back"],
        ["split", case, "-o", nowhere],
    ]
    for command in commands:
        result = sill.run("solutions", *command, expect=4)
        assert "symbolic link to gone" in result.err and "link" in result.err.split("file:")[1]
    one.unlink()
    one.symlink_to("gone.txt")
    result = sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "x.case", ranks=2, expect=4)
    assert "symbolic link to gone.txt" in result.err and "local000002" in result.err
    assert not (tmp_path / "x.case").exists() and not (tmp_path / "back").exists()


def test_a_case_is_split_as_it_was_joined_or_not_at_all(sill, tmp_path):
    """A copy under another name would take the files of that name; edited lines tell of what another reader sees."""
    write(sill, tmp_path / "out")
    case = tmp_path / "all.case"
    sill.run("solutions", "join", tmp_path / "out", "-o", case)
    text = case.read_text()
    other = tmp_path / "other.case"
    for suffix in (".geo", ".solution_1", ".solution_2"):
        shutil.copy(tmp_path / f"all{suffix}", tmp_path / f"other{suffix}")
    wrong = {
        "name": text,
        "dimensions": text.replace("all.", "other.").replace("dimensions 2", "dimensions 1"),
        "type": text.replace("all.", "other.").replace("ensight gold", "x"),
        "file": text.replace("all.", "other.").replace("other.solution_2", "other.solution_1"),
    }
    for name, content in wrong.items():
        assert content != text or name == "name"
        other.write_text(content)
        for ranks in (None, 2):
            result = sill.run("solutions", "split", other, "-o", tmp_path / "back", ranks=ranks, expect=3)
            assert "other.case" in result.err
            assert ("not as it was joined" in result.err) == (name != "dimensions")  # whose sizes disagree, too
    other.write_text(text.replace("all.", "other."))
    sill.run("solutions", "split", other, "-o", tmp_path / "back")
    assert (tmp_path / "back" / "solution000001.index").exists()


def test_links_are_replaced_not_written_through(sill, tmp_path):
    """As a run that writes solutions does it: what a link points to, or a copy by hard links, keeps its bytes."""
    write(sill, tmp_path / "out")
    sill.run("solutions", "join", tmp_path / "out", "-o", tmp_path / "all.case")
    back = tmp_path / "back"
    sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
    other = tmp_path / "elsewhere.txt"
    linked = back / "local000003" / "solution000001.txt"
    text = linked.read_text()
    other.write_text("old" * 10000)
    for link in (linked.symlink_to, linked.hardlink_to):
        linked.unlink()
        link(other)
        sill.run("solutions", "split", tmp_path / "all.case", "-o", back)
        assert not linked.is_symlink() and linked.read_text() == text
        assert other.read_text() == "old" * 10000


def test_a_disk_that_fills_up_leaves_no_case(sill, tmp_path):
    """What no look beforehand can tell: here by a limit on the sizes of files."""
    write(sill, tmp_path / "out", sub_elements=50)
    (tmp_path / "cases").mkdir()
    command = sill.command("solutions", "join", tmp_path / "out", "-o", tmp_path / "cases" / "all.case")
    result = subprocess.run(
        ["bash", "-c", 'ulimit -f 64; exec "$@"', "-", *command],
        env=clean_environment(), capture_output=True, timeout=60, text=True,
    )  # fmt: skip
    assert result.returncode == 4 and "File too large" in result.stderr
    assert os.listdir(tmp_path / "cases") == []


MANY = ["--ccross", 1, "--sub-elements", 2, "--dimensions", 1000]


def few_files(*command):
    """The command in a process that may have 96 files open."""
    return ["bash", "-c", 'ulimit -n 96; exec "$@"', "-", *command]


@pytest.mark.parametrize("options", [[], ["--files", "shared"]])
def test_a_thousand_dimensions_need_few_open_files(sill, tmp_path, options):
    """And the folder of the case is read once for what dead processes left, not once a file."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    out, cases = tmp_path / "out", tmp_path / "cases"
    cases.mkdir()
    left = [cases / f".{name}.sill-0123456789abcdef.part" for name in ("x.geo", "x.solution_7", "x.case")]
    for path in left:
        path.touch()
    sill.run("kernel", "mslio", "--out", out, *MANY, "--phases", 1, "--describe", *options)
    calls = ["strace", "-f", "-o", str(tmp_path / "calls"), "-e", "trace=openat"]
    commands = (["join", out, "-o", cases / "x.case"], ["split", cases / "x.case", "-o", tmp_path / "back"])
    looked = []
    for command in commands:
        result = subprocess.run(
            few_files(*calls, *sill.command("solutions", *command)),
            env=clean_environment(), capture_output=True, timeout=100, text=True,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        lines = (tmp_path / "calls").read_text().splitlines()
        looked.append(len([line for line in lines if f'"{cases}"' in line and "O_DIRECTORY" in line]))
    assert looked == [2, 0]  # the second time to remove what it found
    assert len(os.listdir(cases)) == 1002
    assert found_files(tmp_path / "back") == solution_files(1, 1, 2, 1000)


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_none_of_a_thousand_files(sill, tmp_path, which):
    out, cases = tmp_path / "out", tmp_path / "cases"
    cases.mkdir()
    sill.run("kernel", "mslio", "--out", out, *MANY, "--phases", 1, "--describe")
    process = sill.start("solutions", "join", out, "-o", cases / "x.case")
    try:
        until = time.monotonic() + 60
        while len(os.listdir(cases)) < 200:
            assert time.monotonic() < until and process.poll() is None
        os.kill(process.pid, which)
        process.communicate(timeout=60)
    finally:
        kill_group(process)
    assert process.returncode == 128 + which
    assert os.listdir(cases) == []


def test_the_report_is_none_of_the_files(sill, tmp_path):
    write(sill, tmp_path / "out")
    case = tmp_path / "all.case"
    for report in (case, tmp_path / "all.geo"):
        sill.run("solutions", "join", tmp_path / "out", "-o", case, "--report", report, expect=2)


def test_nothing_that_is_read_or_written_becomes_a_report(sill, tmp_path):
    out, case = tmp_path / "out", tmp_path / "all.case"
    sill.run("kernel", "mslio", "--ccross", 1, "--sub-elements", 2, "--dimensions", 3, "--describe", "--out", out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for name in (tmp_path / "all.solution_2", tmp_path / "all.geo", out / "solution000001.index",
                 out / "local000002" / "element.txt", out / "local000001" / "solution000001.txt"):  # fmt: skip
        for option in ("--report", "--log"):
            assert str(name) in sill.run("solutions", "join", out, "-o", case, option, name, expect=2).err
    sill.run("solutions", "join", out, "-o", case)
    joined = {path: path.read_bytes() for path in tmp_path.glob("all.*")}
    again = tmp_path / "again"
    sill.run("solutions", "split", case, "-o", again)
    for name in (tmp_path / "all.solution_2", tmp_path / "all.geo", case, again / "solution000001.index",
                 again / "local000003" / "solution000001.txt"):  # fmt: skip
        for option in ("--report", "--log"):
            assert str(name) in sill.run("solutions", "split", case, "-o", again, option, name, expect=2).err
    assert all(path.read_bytes() == content for path, content in (before | joined).items())
    (again / "local000000" / "solution000001.txt").unlink()
    (again / "local000000" / "solution000001.txt").symlink_to(tmp_path / "all.solution_1")
    assert "also an input" in sill.run("solutions", "split", case, "-o", again, expect=2).err
    (tmp_path / "other.solution_1").symlink_to(out / "local000000" / "solution000001.txt")
    assert "also an input" in sill.run("solutions", "join", out, "-o", tmp_path / "other.case", expect=2).err
    assert all(path.read_bytes() == content for path, content in (before | joined).items())
