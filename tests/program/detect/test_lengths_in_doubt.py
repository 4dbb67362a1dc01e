"""Files whose headers state other lengths than their bytes: read right, or refused, never wrong without a word."""

import json
import re

import numpy as np
import pytest
import segy_files
import segy_forms
import varied_files


def lengths(traces, told=None, **options) -> varied_files.Varied:
    """Traces of `traces[i]` samples whose headers state `told[i]` instead, in order of tracl."""
    file = varied_files.make(traces, **options)
    for i, number in enumerate(told if told is not None else traces):
        raw = bytearray(file.traces[i])
        raw[:4] = (i + 1).to_bytes(4, "big")
        raw[114:116] = number.to_bytes(2, "big")
        file.traces[i] = bytes(raw)
    return file


def refused(sill, *arguments, expect=3) -> str:
    result = sill.run(*arguments, expect=expect)
    assert result.out == ""
    return result.reason


@pytest.mark.parametrize("command", ["sort", "convert"])
@pytest.mark.parametrize("varied_first", [False, True])
def test_files_of_one_length_and_of_many_are_no_survey(sill, tmp_path, command, varied_first):
    one = lengths([100] * 4, flag=1).write(tmp_path / "one.sgy")
    many = lengths([50, 150, 100, 40, 160]).write(tmp_path / "many.sgy")
    more = ("--by", "tracl") if command == "sort" else ("--sample-format", "ibm")
    inputs = (many, one) if varied_first else (one, many)
    assert "length of traces" in refused(sill, command, *inputs, "-o", tmp_path / "o.sgy", *more)
    assert not (tmp_path / "o.sgy").exists()


def test_headers_that_go_open_differ_between_files(sill, tmp_path):
    """A trace that says 0 samples has as many as its own file's header states."""
    a = lengths([60, 50, 60], told=[0, 50, 0]).write(tmp_path / "a.sgy")
    b = lengths([70, 50, 70], told=[0, 50, 0]).write(tmp_path / "b.sgy")
    assert "samples" in refused(sill, "convert", a, b, "-o", tmp_path / "o.sgy", "--sample-format", "ibm")


@pytest.mark.parametrize("revision", [(0, 0), (1, 0)])
def test_one_length_at_first_and_another_later(sill, tmp_path, revision):
    """100 traces of 50 and 110 of 150 samples, as long together as 310 of 50; the file header states 100."""
    counts = [50] * 100 + [150] * 110
    file = lengths(counts, revision=revision).put_head(3221, "i2", 100)
    path = file.write(tmp_path / "in.sgy")
    result = sill.run("scan", path, "--keys", "tracl", "--csv", "-", )
    assert result.out.split()[1:] == [f"{i},{i}" for i in range(1, 211)]


def test_all_headers_tell_one_length_the_file_header_another(sill, tmp_path):
    file = lengths([50] * 200).put_head(3221, "i2", 33)
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "o.sgy", "--revision", "2.1")
    made = segy_files.read(tmp_path / "o.sgy")
    assert made.binary(3221, "u2") == 50
    assert made.rows[:, :240].tobytes() == b"".join(raw[:240] for raw in file.traces)


def test_a_conversion_sees_headers_that_contradict(sill, tmp_path):
    """The file divides by 100, and the three that are looked at agree."""
    told = [100] * 9
    told[2], told[3] = 50, 150
    path = lengths([100] * 9, told).write(tmp_path / "in.sgy")
    reason = refused(sill, "convert", path, "-o", tmp_path / "o.sgy", "--sample-format", "ibm")
    assert re.search(r"trace:?\s+3\b", reason)
    path = lengths([100] * 9, told, flag=1).write(tmp_path / "in.sgy")
    report = tmp_path / "r.json"
    result = sill.run("convert", path, "-o", tmp_path / "o.sgy", "--sample-format", "ibm", "--report", report)
    assert json.loads(report.read_text())["deviating_traces"] == 2
    assert "2 traces state another number" in result.err


@pytest.mark.parametrize("command", ["scan", "sort", "convert", "index"])
def test_fewer_traces_than_told_where_lengths_vary(sill, tmp_path, command):
    path = lengths([30, 40, 50, 30, 45, 60], told_traces=10).write(tmp_path / "in.sgy")
    more = {"sort": ("-o", tmp_path / "o.sgy", "--by", "tracl"), "convert": ("-o", tmp_path / "o.sgy")}.get(command, ())
    reason = refused(sill, command, path, *more)
    assert "10 traces" in reason and "contains 6" in reason
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in.sgy"]


def test_a_header_of_another_name_is_no_extension_1(sill, tmp_path):
    file = segy_forms.make(5, 8, additional=1)
    file.rows[:, 240:480] = np.arange(240, dtype=np.uint8) + 1
    file.rows[:, 472:480] = np.frombuffer(b"ACME0001", np.uint8)
    report = tmp_path / "r.json"
    target = tmp_path / "o.sgy"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--byte-order", "little", "--report", report)
    made = segy_files.read(target, order="little")
    row = target.read_bytes()[-made.rows.shape[1] :] if made.traces == 5 else target.read_bytes()[3600:]
    assert file.rows[0, 240:480].tobytes() in target.read_bytes(), row[:4]
    assert any("241-480" in note for note in json.loads(report.read_text())["words_changed"])


def test_hundreds_of_additional_headers(sill, tmp_path):
    file = segy_forms.make(3, 8, additional=500)
    path = file.write(tmp_path / "in.sgy")
    sill.run("convert", path, "-o", tmp_path / "o.sgy", "--byte-order", "little")
    sill.run("convert", tmp_path / "o.sgy", "-o", tmp_path / "back.sgy", "--byte-order", "big")
    assert (tmp_path / "back.sgy").read_bytes() == path.read_bytes()


def test_pairs_without_the_constant(sill, tmp_path):
    file = segy_forms.make(6, 9, order="pairwise", constant=False, interval_us=62.5)
    found = json.loads(sill.run("info", file.write(tmp_path / "in.sgy"), "--json").out)
    assert (found["byte_order"], found["interval"], found["samples"], found["traces"]) == ("pairwise", 62.5, 9, 6)


def test_what_other_inputs_leave_behind_is_told(sill, tmp_path):
    a, b = (segy_forms.make(3, 8, trailers=1).write(tmp_path / name) for name in ("a.sgy", "b.sgy"))
    said = sill.run("convert", a, b, "-o", tmp_path / "o.sgy", "--byte-order", "little").err
    assert "1 data trailers of other inputs" in said and "headers of 1 other inputs" in said


def test_options_that_mean_nothing_are_refused(sill, tmp_path):
    path = segy_files.make(4, 5).write(tmp_path / "in.sgy")
    refused(sill, "convert", path, "-o", tmp_path / "o.su", "--revision", "1", expect=2)
    refused(sill, "convert", path, "-o", tmp_path / "o.sgy", "--keep-181", expect=2)


COMMANDS = {
    "edit": ["edit", "IN", "--set", "ep=7"],
    "edit into": ["edit", "IN", "-o", "OUT.sgy", "--renumber"],
    "agc": ["agc", "IN", "-o", "OUT.sgy", "--window", "40ms"],
    "flow": ["flow", "IN", "--do", "minmax"],
    "sort": ["sort", "IN", "-o", "OUT.sgy", "--by", "cdp"],
    "arrays": ["convert", "IN", "-o", "OUT.nc"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ranks", [None, 2])
def test_nothing_is_written_to_positions_in_doubt(sill, tmp_path, command, ranks):
    """Headers of traces that differ in length are right, but one length divides the file, too."""
    path = lengths([20, 10, 30, 20, 20, 20, 20, 20], flag=0).put_head(3221, "i2", 20).write(tmp_path / "in.sgy")
    before = path.read_bytes()
    names = {"IN": path, "OUT.sgy": tmp_path / "out.sgy", "OUT.nc": tmp_path / "out.nc"}
    refused = sill.run(*(names.get(word, word) for word in COMMANDS[command]), ranks=ranks, expect=3)
    assert "traces differ in length, but one length divides the file" in refused.err
    assert path.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["in.sgy"]


def test_zeros_where_a_header_should_be_are_followed_up(sill, tmp_path):
    """One length divides the file, but its middle header would lie within samples and zeros."""
    path = lengths([20, 10, 30, 20], flag=0).put_head(3221, "i2", 20).write(tmp_path / "in.sgy")
    data = bytearray(path.read_bytes())
    data[4240 + 114 : 4240 + 116] = b"\0\0"
    path.write_bytes(data)
    assert json.loads(sill.run("info", path, "--json").out)["lengths_vary"]
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "-tracl")
    # Traces of one length whose headers are zeros remain such.
    path = lengths([20] * 9, told=[20, 0, 20, 20, 0, 0, 20, 0, 0], flag=0).write(tmp_path / "in.sgy")
    info = json.loads(sill.run("info", path, "--json").out)
    assert not info["lengths_vary"] and info["traces"] == 9 and info["samples"] == 20
    assert not [each for each in info["diagnostics"] if each["grade"] == "major"]
