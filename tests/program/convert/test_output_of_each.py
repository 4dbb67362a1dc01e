"""`sill convert` and `sill repair`: an output of each input, into a folder or by a name with {file}."""

import json

import pytest
import segy_files


@pytest.fixture
def lines(tmp_path):
    folder = tmp_path / "lines"
    folder.mkdir()
    return [segy_files.make(20 + i, 9).write(folder / f"line.{i}.sgy") for i in range(3)]


@pytest.mark.parametrize("ranks", [None, 2])
def test_each_becomes_what_it_becomes_alone(sill, tmp_path, lines, ranks):
    folder = tmp_path / "out"
    folder.mkdir()
    report = tmp_path / "report.json"
    sill.run("convert", *lines, "-o", f"{folder}/", "--sample-format", "ieee", "--report", report, ranks=ranks)
    sill.run("convert", *lines, "-o", folder / "{file}.su", ranks=ranks)
    for path in lines:
        sill.run("convert", path, "-o", tmp_path / "alone.sgy", "--sample-format", "ieee")
        sill.run("convert", path, "-o", tmp_path / "alone.su")
        assert (folder / path.name).read_bytes() == (tmp_path / "alone.sgy").read_bytes()
        assert (folder / f"{path.stem}.su").read_bytes() == (tmp_path / "alone.su").read_bytes()
    found = json.loads(report.read_text())
    assert found["traces_in"] == 63 and [each["file"] for each in found["files"]] == [
        str(folder / path.name) for path in lines
    ]


@pytest.mark.parametrize("ranks", [None, 2])
def test_one_that_fails_does_not_keep_the_others(sill, tmp_path, lines, ranks):
    lines[1].write_bytes(b"no survey")
    folder = tmp_path / "out"
    folder.mkdir()
    failed = sill.run("convert", *lines, "-o", folder, "--sample-format", "ieee", ranks=ranks, expect=3)
    assert "line.1.sgy" in failed.err
    assert sorted(path.name for path in folder.iterdir()) == ["line.0.sgy", "line.2.sgy"]
    failed = sill.run("repair", *lines, "-o", folder / "{file}_sound.sgy", ranks=ranks, expect=3)
    assert sorted(path.name for path in folder.glob("*sound*")) == ["line.0_sound.sgy", "line.2_sound.sgy"]
    assert (folder / "line.0_sound.sgy").read_bytes() == lines[0].read_bytes()


def test_names_that_meet_and_inputs_are_refused(sill, tmp_path, lines):
    other = tmp_path / "other"
    other.mkdir()
    twin = segy_files.make(5, 9).write(other / lines[0].name)
    out = tmp_path / "out"
    out.mkdir()
    error = sill.run("convert", *lines, twin, "-o", out, expect=2).err
    assert "would both become" in error and not list(out.iterdir())
    before = [path.read_bytes() for path in lines]
    sill.run("convert", *lines, "-o", lines[0].parent, expect=2)
    assert [path.read_bytes() for path in lines] == before
    assert "{file}" in sill.run("repair", *lines, "-o", out / "one.sgy", expect=2).err


@pytest.mark.parametrize("name", ["x_{cdp}.sgy", "x_{file:03}.sgy", "x_{file.sgy", "x_{}.sgy"])
def test_other_places_are_refused(sill, tmp_path, lines, name):
    for command in ("convert", "repair"):
        error = sill.run(command, lines[0], "-o", tmp_path / name, expect=2).err
        assert "place" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines"]
