"""`sill solutions join` and `split`: what is no case and no set of solutions is refused, and nothing is written."""

import os
import shutil

import pytest
from solution_files import found_files, indexes, solution_files
from solution_runs import CCROSS, DIMENSIONS, POINTS, PROBLEMS, SHARED, SUB_ELEMENTS, refused, write


@pytest.mark.nightly
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
    assert "not contain blanks" in result.err


def put(path, at, text):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(text)


GARBAGE = [(b"hello worlds\n", 0), (b"1.0000000000\n", 7), (b" 1.23456f+00\n", 8), (b" 1.234O6e+00\n", 6)]


@pytest.mark.nightly
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


@pytest.mark.nightly
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
            result = sill.run("solutions", *command, expect=3)
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
        assert f'"{step}" is not a step' in result.err and "000000" not in result.err.replace("1000000", "")
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
            assert ("changed after the join" in result.err) == (name != "dimensions")  # whose sizes disagree, too
    other.write_text(text.replace("all.", "other."))
    sill.run("solutions", "split", other, "-o", tmp_path / "back")
    assert (tmp_path / "back" / "solution000001.index").exists()


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
