"""`sill cut --seek` on regular cubes: the bytes that reading every header gives, few headers read, and why not told."""

import json
import random

import numpy as np
import pytest
import segy_files
import segy_forms
import survey_shapes
from test_cut import chosen, windowed

LINES, PLACES = 90, 60  # more traces than are read without seeking


def cube(ilines=None, xlines=None, *, samples=3, each=1) -> segy_files.Segy:
    ilines = 100 + 2 * np.arange(LINES) if ilines is None else ilines
    xlines = 7 + np.arange(PLACES) if xlines is None else xlines
    slow, fast = survey_shapes.grid_numbers(ilines, xlines, each)
    file = segy_files.make(len(slow), samples).put_word("delrt", 0)
    return file.put_word("iline", slow).put_word("xline", fast)


class Cut:
    """Runs cut and holds what it wrote against the oracle, byte for byte, with and without seeking."""

    def __init__(self, sill, folder):
        self.sill, self.folder = sill, folder

    def __call__(self, paths, where, expected, *more, ranks=None) -> dict:
        by_position = where.startswith("trace") and "line" not in where
        out, report, log = (self.folder / name for name in ("out.sgy", "report.json", "log.txt"))
        log.unlink(missing_ok=True)
        command = ["cut", *paths, "-o", out, "--where", where, *more]
        said = self.sill.run(*command, "--report", report, ranks=ranks).out
        told = json.loads(report.read_text())
        assert told["sought"] is False and "evidence" not in said
        bytes_read = told["bytes_read"]
        assert out.read_bytes() == expected.to_bytes()
        said = self.sill.run(*command, "--seek", "--report", report, "--log", log, ranks=ranks).out
        assert out.read_bytes() == expected.to_bytes()
        told = json.loads(report.read_text())
        assert told["traces_out"] == expected.traces
        assert ("--seek assumes" in said) == told["sought"]
        assert ("every header was read" in log.read_text()) != (told["sought"] or by_position)
        return told | {"bytes_read_with_every_header": bytes_read, "log": log.read_text(), "said": said}


@pytest.fixture
def cut(sill, tmp_path):
    return Cut(sill, tmp_path)


def few(inputs: int) -> int:
    """What finding out how words count may take: twice the logarithm of the number of traces, each way, each word."""
    return inputs * 4 * 20


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4])
def test_an_inline_and_a_crossline(cut, tmp_path, ranks):
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    told = cut([path], "iline == 150", chosen(file, file.word("iline") == 150), ranks=ranks)
    assert told["sought"] and 3 * LINES + PLACES <= told["headers_read"] <= 3 * LINES + PLACES + few(1)
    assert "iline follows a regular pattern" in told["said"]
    told = cut([path], "xline == 20", chosen(file, file.word("xline") == 20), ranks=ranks)
    assert told["sought"] and 6 * LINES <= told["headers_read"] <= 6 * LINES + few(1)


def test_only_those_headers_are_read(cut, tmp_path):
    """By what went through the stores, not by what the program believes."""
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    own = 240 + 4 * 3
    for where, which, headers in [
        ("iline == 150", file.word("iline") == 150, 3 * LINES + PLACES),
        ("xline == 20", file.word("xline") == 20, 6 * LINES),
        ("iline == 150 and xline >= 60", (file.word("iline") == 150) & (file.word("xline") >= 60), 3 * LINES + 8),
    ]:
        told = cut([path], where, chosen(file, which))
        # Recognizing the file takes some 20 kB.
        assert told["bytes_read"] <= which.sum() * own + 240 * (headers + few(2)) + 30_000
        assert told["bytes_read"] >= which.sum() * own + 240 * headers
        assert told["bytes_read_with_every_header"] >= which.sum() * own + 4 * file.traces
        assert told["requests_read"] <= headers + which.sum() + few(2) + 64


@pytest.mark.parametrize(
    "ilines, xlines",
    [
        (500 - np.arange(LINES), 7 + np.arange(PLACES)),
        (-30 + 3 * np.arange(LINES), -2 * np.arange(PLACES)),
        (np.arange(LINES) - 40, 1000 - 5 * np.arange(PLACES)),
    ],
    ids=["descending", "negative", "both"],
)
def test_numbers_that_descend_or_are_negative(cut, tmp_path, ilines, xlines):
    file = cube(ilines, xlines)
    path = file.write(tmp_path / "cube.sgy")
    slow, fast = file.word("iline"), file.word("xline")
    for where, which in [
        (f"iline == {ilines[11]}", slow == ilines[11]),
        (f"xline == {xlines[-1]}", fast == xlines[-1]),
        (f"abs(iline - {ilines[5]}) <= 6 and xline % 10 == 0", (abs(slow - ilines[5]) <= 6) & (fast % 10 == 0)),
        (f"iline == {ilines[0]} or trace == 77", (slow == ilines[0]) | (np.arange(file.traces) == 76)),
    ]:
        assert cut([path], where, chosen(file, which))["sought"]


def test_any_words_that_count(cut, tmp_path):
    """Shots and channels, and three words of a cube before the stack."""
    shot, channel = np.divmod(np.arange(5400), 60)
    file = segy_files.make(5400, 3).put_word("fldr", 10 + shot).put_word("tracf", 1 + channel)
    path = file.write(tmp_path / "shots.sgy")
    assert cut([path], "fldr == 33", chosen(file, shot == 23))["sought"]
    assert cut([path], "tracf == 60", chosen(file, channel == 59))["sought"]
    file = cube(np.arange(12), np.arange(25), each=40).put_word("offset", 100 + 50 * (np.arange(12000) % 40))
    path = file.write(tmp_path / "offsets.sgy")
    slow, fast, offset = file.word("iline"), file.word("xline"), file.word("offset")
    for where, which in [
        ("iline == 4", slow == 4),
        ("xline == 4", fast == 4),
        ("offset == 150", offset == 150),
        ("iline == 4 and xline == 9", (slow == 4) & (fast == 9)),
        ("iline == 4 and offset < 300", (slow == 4) & (offset < 300)),
    ]:
        assert cut([path], where, chosen(file, which))["sought"]


@pytest.mark.parametrize("order", ["little", "pairwise"])
def test_byte_orders(cut, tmp_path, order):
    slow, fast = survey_shapes.grid_numbers(np.arange(LINES), np.arange(PLACES))
    file = segy_files.make(len(slow), 3, order=order).put_word("iline", slow).put_word("xline", fast)
    path = file.write(tmp_path / "cube.sgy")
    assert cut([path], "iline == 9", chosen(file, slow == 9))["sought"]
    assert cut([path], "xline == 9", chosen(file, fast == 9))["sought"]


def test_a_last_line_that_is_cut_short(cut, tmp_path):
    file = cube()
    file.rows = file.rows[:-7]
    path = file.write(tmp_path / "cube.sgy")
    for where, which in [("iline == 278", file.word("iline") == 278), ("xline == 9", file.word("xline") == 9)]:
        told = cut([path], where, chosen(file, which))
        assert not told["sought"] and "does not increase regularly" in told["log"]


def with_iline(file, trace: int, iline: int) -> segy_files.Segy:
    numbers = file.word("iline")
    numbers[trace] = iline
    return file.copy().put_word("iline", numbers)


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_trace_out_of_place_in_a_line_that_is_taken(cut, tmp_path, ranks):
    file = with_iline(cube(), 25 * PLACES + 30, 8)
    path = file.write(tmp_path / "cube.sgy")
    told = cut([path], "iline == 150", chosen(file, file.word("iline") == 150), ranks=ranks)
    assert not told["sought"] and f"trace {25 * PLACES + 31:,} has other numbers" in told["log"]


@pytest.mark.parametrize("trace", [40 * PLACES, 40 * PLACES + PLACES // 2, 41 * PLACES - 1, LINES * PLACES - 1])
def test_a_trace_out_of_place_where_every_line_is_looked_at(cut, tmp_path, trace):
    file = with_iline(cube(), trace, 150)
    path = file.write(tmp_path / "cube.sgy")
    told = cut([path], "iline == 150", chosen(file, file.word("iline") == 150))
    assert not told["sought"] and told["traces_out"] == PLACES + 1


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("place", [11, 19])
def test_a_trace_of_a_wanted_number_beside_those_that_are_taken(cut, tmp_path, place, ranks):
    """As where a trace is there twice and the next is missing: the ends of its line are as they should be."""
    file = cube()
    numbers = file.word("xline")
    trace = 25 * PLACES + place
    numbers[trace] += 1 if place == 11 else -1
    file.put_word("xline", numbers)
    path = file.write(tmp_path / "cube.sgy")
    which = (file.word("iline") == 150) & (numbers >= 7 + 12) & (numbers <= 7 + 18)
    assert which.sum() == 8
    told = cut([path], "iline == 150 and xline >= 19 and xline <= 25", chosen(file, which), ranks=ranks)
    assert not told["sought"] and f"trace {trace + 1:,} has other numbers" in told["log"]


def test_a_line_whose_inner_traces_have_the_number_of_the_next(cut, tmp_path):
    file = cube()
    numbers = file.word("iline")
    numbers[24 * PLACES + 1 : 25 * PLACES - 1] = 150
    path = file.put_word("iline", numbers).write(tmp_path / "cube.sgy")
    told = cut([path], "iline == 150", chosen(file, numbers == 150))
    assert not told["sought"] and told["traces_out"] == 2 * PLACES - 2


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_the_same_headers_whatever_the_ranks(cut, tmp_path, ranks):
    """Neighbours of runs that ranks share, or that lie one trace apart across them."""
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    slow, fast = file.word("iline"), file.word("xline")
    for where, which in [
        ("iline >= 156 and iline <= 164", (slow >= 156) & (slow <= 164)),
        ("iline >= 156 and iline <= 164 and xline % 2 == 0", (slow >= 156) & (slow <= 164) & (fast % 2 == 0)),
        ("trace % 2 == 1 and iline == 188", (slow == 188) & (np.arange(file.traces) % 2 == 0)),
    ]:
        alone = cut([path], where, chosen(file, which))
        together = cut([path], where, chosen(file, which), ranks=ranks)
        assert alone["sought"] and alone["headers_read"] == together["headers_read"]


def test_lines_that_changed_places(cut, tmp_path):
    order = np.arange(LINES)
    order[[20, 60]] = order[[60, 20]]
    file = cube(100 + 2 * order)
    path = file.write(tmp_path / "cube.sgy")
    told = cut([path], "iline == 220", chosen(file, file.word("iline") == 220))
    assert not told["sought"] and told["traces_out"] == PLACES


def test_what_seeking_cannot_see(sill, tmp_path):
    """A wrong number inside a line that is not looked at: what is written is right, and said to come of few headers."""
    file = with_iline(cube(), 41 * PLACES + 5, 150)
    path = file.write(tmp_path / "cube.sgy")
    out = tmp_path / "out.sgy"
    said = sill.run("cut", path, "-o", out, "--where", "iline == 150", "--seek").out
    assert "--seek assumes" in said and out.read_bytes() == chosen(cube(), cube().word("iline") == 150).to_bytes()
    sill.run("cut", path, "-o", out, "--where", "iline == 150")
    assert out.read_bytes() == chosen(file, file.word("iline") == 150).to_bytes()


def test_every_trace_that_matches_is_written(sill, tmp_path):
    """Traces in the middle of one inline that carry the number of another: nothing at the ends of lines shows them."""
    iline, xline = survey_shapes.grid_numbers(1000 + np.arange(200), 1 + np.arange(500), 1)
    file = segy_files.make(len(iline), 1).put_word("xline", xline)
    iline[(iline == 1150) & (xline >= 21) & (xline <= 220)] = 1042
    file.put_word("iline", iline)
    path, out = file.write(tmp_path / "cube.sgy"), tmp_path / "out.sgy"
    assert (iline == 1042).sum() == 700
    said = sill.run("cut", path, "-o", out, "--where", "iline == 1042").out
    assert "700 of 100,000 traces" in said and "--seek" not in said
    assert out.read_bytes() == chosen(file, iline == 1042).to_bytes()
    said = sill.run("cut", path, "-o", out, "--where", "iline == 1042", "--seek").out
    assert "500 of 100,000 traces" in said and "--seek assumes" in said


def test_several_files(cut, tmp_path):
    whole = cube()
    paths = []
    for i, lines in enumerate(((0, 31), (31, 32), (32, LINES))):
        part = whole.copy()
        part.rows = whole.rows[lines[0] * PLACES : lines[1] * PLACES]
        paths.append(part.write(tmp_path / f"{i}.sgy"))
    slow, fast = whole.word("iline"), whole.word("xline")
    for ranks in (None, 2):
        assert cut(paths, "iline == 162", chosen(whole, slow == 162), ranks=ranks)["sought"]
        assert cut(paths, "xline == 50", chosen(whole, fast == 50), ranks=ranks)["sought"]
        both = (fast == 50) & (np.arange(len(fast)) >= 32 * PLACES)
        assert cut(paths, "xline == 50 and file == 3", chosen(whole, both), ranks=ranks)["sought"]
    missing = whole.copy()
    missing.rows = np.concatenate([whole.rows[: 31 * PLACES], whole.rows[32 * PLACES :]])
    told = cut([paths[0], paths[2]], "xline == 50", chosen(missing, missing.word("xline") == 50))
    assert told["sought"]  # places still count without the line that is missing
    told = cut([paths[0], paths[2]], "iline == 164", chosen(missing, missing.word("iline") == 164))
    assert not told["sought"]  # lines do not


def test_a_window_of_time(cut, tmp_path):
    file = cube(samples=30)
    path = file.write(tmp_path / "cube.sgy")
    for where, which in [("iline == 150", file.word("iline") == 150), ("xline == 20", file.word("xline") == 20)]:
        expected = windowed(chosen(file, which), 5, 11, 10)
        assert cut([path], where, expected, "--time", "10ms:0.03s")["sought"]
    expected = windowed(chosen(file, np.arange(file.traces) % 100 == 0), 5, 11, 10)
    told = cut([path], "trace % 100 == 1", expected, "--time", "10ms:0.03s")
    assert not told["sought"] and told["headers_read"] == expected.traces  # for their delays


def test_numbers_of_traces_need_no_header(cut, tmp_path):
    file = segy_files.make(500, 3)
    path = file.write(tmp_path / "f.sgy")
    told = cut([path], "trace > 490", chosen(file, np.arange(500) >= 490))
    assert not told["sought"] and told["headers_read"] == 0


def test_where_nothing_is_to_be_sought(sill, cut, tmp_path):
    file = cube()
    file.put_word("trid", np.where(np.arange(file.traces) == 4321, 2, 1))
    path = file.write(tmp_path / "cube.sgy")
    slow, fast = file.word("iline"), file.word("xline")
    for where, which, why in [
        ("iline == 150 and trid == 1", slow == 150, "trid does not increase regularly"),
        ("trid == 2", np.arange(file.traces) == 4321, "trid does not increase regularly"),
        ("true(sx) > 0 and iline == 150", slow == 150, "more than integer words"),
        ("xline % 2 == 0", fast % 2 == 0, "too many traces"),
        ("tracl == 17", np.arange(file.traces) == 16, "too few traces per line to seek in: 1"),
    ]:
        told = cut([path], where, chosen(file, which))
        assert not told["sought"] and why in told["log"]
    out = tmp_path / "none.sgy"
    assert "none of 5400" in sill.run("cut", path, "-o", out, "--where", "iline == 151", "--seek", expect=2).err
    assert "is undefined" in sill.run("cut", path, "-o", out, "--where", "5 % (iline - 150) == 2", "--seek", expect=3).err
    assert "--where" in sill.run("cut", path, "-o", out, "--time", "0s:", "--seek", expect=2).err


def test_traces_of_different_lengths_are_not_sought(sill, tmp_path):
    file = cube(samples=6)
    lengths = 4 + np.arange(file.traces) % 3
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    some = file.word("iline") == 150
    log = tmp_path / "log.txt"
    sill.run("cut", path, "-o", tmp_path / "some.sgy", "--where", "iline == 150", "--seek", "--log", log)
    assert (tmp_path / "some.sgy").read_bytes() == segy_forms.varying(chosen(file, some), lengths[some])
    assert "the traces differ in length" in log.read_text()


@pytest.mark.parametrize("seed", range(12))
def test_random_cubes_and_conditions(cut, tmp_path, seed):
    """Whatever the numbers, their faults and the condition: the bytes of every header, or the fault is out of sight."""
    dice = random.Random(seed)
    lines, places, each = dice.randint(2, 200), dice.randint(2, 200), dice.choice([1, 1, 1, 2, 5])
    while lines * places * each < 4200:
        lines *= 2
    ilines = dice.randint(-500, 500) + dice.choice([-7, -1, 1, 2, 10]) * np.arange(lines)
    xlines = dice.randint(-500, 500) + dice.choice([-3, -1, 1, 5]) * np.arange(places)
    file = cube(ilines, xlines, samples=1, each=each)
    fault = dice.choice(["none", "none", "shifted", "hole", "swapped", "short"])
    if fault == "shifted":  # a line of other places
        numbers = file.word("xline").reshape(lines, -1)
        numbers[dice.randrange(lines)] += 1
        file.put_word("xline", numbers.ravel())
    elif fault == "hole":
        file.rows = np.delete(file.rows, dice.randrange(file.traces), axis=0)
    elif fault == "swapped":
        rows = file.rows.reshape(lines, -1)
        i, k = dice.sample(range(lines), 2)
        rows[[i, k]] = rows[[k, i]]
        file.rows = rows.reshape(file.rows.shape)
    elif fault == "short":
        file.rows = file.rows[: -dice.randint(1, places * each - 1)]
    slow, fast = file.word("iline"), file.word("xline")
    i, x = dice.choice(list(slow)), dice.choice(list(fast))
    where, which = dice.choice([
        (f"iline == {i}", slow == i),
        (f"xline == {x}", fast == x),
        (f"iline == {i} and xline > {x}", (slow == i) & (fast > x)),
        (f"iline == {i} or xline == {x}", (slow == i) | (fast == x)),
        (f"iline > {i} and iline <= {i} + 3 or iline == {i}", (slow >= i) & (slow <= i + 3)),
        (f"not (xline != {x} or iline < {i})", (fast == x) & (slow >= i)),
    ])  # fmt: skip
    if not which.any():
        which, where = slow == i, f"iline == {i}"
    path = file.write(tmp_path / "cube.sgy")
    told = cut([path], where, chosen(file, which), ranks=dice.choice([None, None, 2, 3]))
    if fault == "none" and min(lines, places) >= 16 and each == 1 and " and " not in where and "or" not in where:
        assert told["sought"] or "too many" in told["log"] or "too few traces per line" in told["log"]


def test_a_delay_in_an_additional_header_is_read_there(sill, tmp_path):
    """What is sought are headers of 240 bytes: a window of time by a word beyond them needs every header."""
    iline, xline = survey_shapes.grid_numbers(100 + 2 * np.arange(LINES), 7 + np.arange(PLACES))
    file = segy_forms.make(len(iline), 8, additional=1).put_word("iline", iline).put_word("xline", xline)
    file.put_word("delrt", 0).put(261, "i2", 4 * (np.arange(len(iline)) % 2 == 0))
    path = file.write(tmp_path / "cube.sgy")
    words = tmp_path / "words.toml"
    words.write_text('[words.delrt]\nbyte = 261\ntype = "i2"\n')
    out, every = tmp_path / "out.sgy", tmp_path / "every.sgy"
    command = ["cut", path, "--map", words, "--where", "iline == 150 and xline % 2 == 1", "--time", "4ms:8ms"]
    sill.run(*command, "-o", out, "--seek")
    sill.run(*command, "-o", every)
    assert out.read_bytes() == every.read_bytes()
