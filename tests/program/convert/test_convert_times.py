"""Times (95-114) and their scalar (215-216), which revision 0 and Seismic Unix do not have, keep their true values."""

import json

import pytest
import segy_files
from merging import refused, written


def file_of(revision, delay, scalar, traces=3):
    return segy_files.make(traces, 9, revision=revision).put(109, "i2", delay).put(215, "i2", scalar)


def converted(sill, folder, file, *options):
    path, target = file.write(folder / "in.sgy"), folder / "out.sgy"
    sill.run("convert", path, "-o", target, *options, "--report", folder / "report.json")
    return segy_files.read(target), json.loads((folder / "report.json").read_text())["words_changed"]


@pytest.mark.parametrize("scalar, delay, stored", [(-10, 5000, 500), (10, 50, 500), (-1000, -4000, -4), (1, 7, 7), (0, 7, 7)])
def test_revision_0_gets_times_without_a_scalar(sill, tmp_path, scalar, delay, stored):
    file, _ = converted(sill, tmp_path, file_of((1, 0), delay, scalar), "--revision", "0")
    assert (file.get(109, "i2") == stored).all()
    assert (file.get(215, "i2") == (scalar if scalar in (0, 1) else 0)).all()


@pytest.mark.parametrize("scalar, delay", [(-10, 5005), (100, 500)])
def test_times_that_need_their_scalar_are_refused(sill, tmp_path, scalar, delay):
    path = file_of((1, 0), delay, scalar).write(tmp_path / "in.sgy")
    for target, options in (("out.sgy", ["--revision", "0"]), ("out.su", [])):
        error = sill.run("convert", path, "-o", tmp_path / target, *options, expect=3).err
        assert "times (bytes 95-114) of 3 traces cannot be stored without their scalar" in error
        assert not (tmp_path / target).exists()


def test_seismic_unix_gets_times_without_a_scalar(sill, tmp_path):
    path = file_of((1, 0), 5000, -10).write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "out.su", "--byte-order", "little")
    raw = (tmp_path / "out.su").read_bytes()
    assert int.from_bytes(raw[108:110], "little", signed=True) == 500


def test_revision_1_does_not_scale_the_times_of_revision_0(sill, tmp_path):
    file, notes = converted(sill, tmp_path, file_of((0, 0), 500, -10), "--revision", "1")
    assert (file.get(109, "i2") == 500).all() and (file.get(215, "i2") == 0).all()
    assert any("bytes 215-216 of 3 traces were cleared" in note for note in notes)
    (tmp_path / "map.toml").write_text('words.mine = { byte = 215, type = "i2" }\n')
    error = sill.run("convert", tmp_path / "in.sgy", "-o", tmp_path / "out.sgy", "--revision", "1", "--map", tmp_path / "map.toml", expect=3).err
    assert "mine is at bytes 215-216" in error


def test_a_changed_meaning_of_the_source_energy_direction_is_stated(sill, tmp_path):
    _, notes = converted(sill, tmp_path, segy_files.make(3, 9).put(219, "i4", 100000), "--revision", "2.1")
    assert any("bytes 219-224 of 3 traces contain the source energy direction" in note for note in notes)
    _, notes = converted(sill, tmp_path, segy_files.make(3, 9).put(219, "i4", 100000), "--sample-format", "ibm")
    assert not any("219-224" in note for note in notes)


@pytest.mark.parametrize("scalars, alike", [((0, 1), True), ((0, -10), False), ((-10, 0), False)])
def test_files_with_and_without_a_scalar_of_times_are_no_survey(sill, tmp_path, scalars, alike):
    files = [file_of((0, 0), 20, scalars[0]), file_of((1, 0), 20, scalars[1])]
    paths = written(tmp_path, *files)
    for command in (["sort", "--by", "tracl"], ["cut", "--time", "20ms:24ms"], ["convert", "--sample-format", "ibm"]):
        done = sill.run(command[0], *paths, *command[1:], "-o", tmp_path / "o.sgy", expect=None)
        assert (done.code == 0) == alike and alike or "bytes 215-216 scale times" in done.err
    if not alike:
        assert "bytes 215-216 scale times only from revision 1 on" in refused(sill, tmp_path, *files, on="revision=first")


def test_the_scalar_of_shot_points_multiplies_or_divides(sill, tmp_path):
    path = segy_files.make(3, 9).put(197, "i4", [1234, 50, 7]).put(201, "i2", [-10, 10, 0]).write(tmp_path / "in.sgy")
    text = sill.run("scan", path, "--keys", "true(sp)", "--csv", "-").out
    assert [float(line.split(",")[-1]) for line in text.split()[1:]] == [123.4, 500, 7]


def test_a_weighting_factor_that_no_word_can_hold_is_refused(sill, tmp_path):
    path = segy_files.make(3, 9).put(169, "i2", 32767).write(tmp_path / "in.sgy")
    error = sill.run("convert", path, "-o", tmp_path / "out.sgy", "--sample-format", "int32", "--scale", "16", expect=3).err
    assert "weighting factor" in error and not (tmp_path / "out.sgy").exists()


def test_words_of_a_map_are_times_where_it_has_them(sill, tmp_path):
    (tmp_path / "map.toml").write_text(
        'words.delrt = { byte = 181, type = "i4", scalar = "sctrh" }\nwords.lag = { byte = 109, type = "i4" }\n'
    )
    file = file_of((1, 0), 0, -10).put(109, "i4", 77_000_005).put(181, "i4", 800_000)
    made, _ = converted(sill, tmp_path, file, "--revision", "0", "--map", tmp_path / "map.toml")
    assert (made.get(109, "i4") == 77_000_005).all() and (made.get(181, "i4") == 80_000).all()


def test_repair_changes_no_trace_header_and_states_what_its_bytes_are(sill, tmp_path):
    path = file_of((0, 0), 500, -10).write(tmp_path / "in.sgy")
    done = sill.run("repair", path, "-o", tmp_path / "out.sgy", "--revision", "1")
    assert "in revision 1 they scale the times in bytes 95-114" in " ".join((done.out + done.err).split())
    made = segy_files.read(tmp_path / "out.sgy")
    assert (made.get(109, "i2") == 500).all() and (made.get(215, "i2") == -10).all()
