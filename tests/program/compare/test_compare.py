"""`sill compare`: what is counted as a difference, how it is named, and what is none."""

import json
import re

import numpy as np
import pytest
import segy_files


def pair(tmp_path, first: segy_files.Segy, second: segy_files.Segy):
    return first.write(tmp_path / "a.sgy"), second.write(tmp_path / "b.sgy")


def numbers_in(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)", text)]


def line_about(text: str, word: str) -> str:
    lines = [line for line in text.splitlines() if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line, re.I)]
    assert lines, text
    return "\n".join(lines)


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 8])
def test_equal(sill, tmp_path, code, order):
    file = segy_files.make(20, 9, code=code, order=order, revision=(0, 0))
    sill.run("compare", *pair(tmp_path, file, file.copy()))


def test_a_file_equals_itself(sill, small):
    _, path = small
    sill.run("compare", path, path)


def test_a_header_word_is_named_counted_and_placed(sill, tmp_path):
    first = segy_files.make(60, 9)
    second = first.copy()
    offsets = second.word("offset").copy()
    offsets[[16, 30, 58]] += 1
    second.put_word("offset", offsets)
    said = sill.run("compare", *pair(tmp_path, first, second), expect=1).said
    about = line_about(said, "offset")
    assert {3.0, 17.0} <= set(numbers_in(about)), said  # three traces, the first of them the 17th


def test_several_words_are_counted_apart(sill, tmp_path):
    first = segy_files.make(60, 9)
    second = first.copy().put_word("cdp", first.word("cdp") + 1)
    second.put_word("sx", np.where(np.arange(60) == 41, 7, first.word("sx")))
    said = sill.run("compare", *pair(tmp_path, first, second), expect=1).said
    assert 60 in numbers_in(line_about(said, "cdp"))
    assert 42 in numbers_in(line_about(said, "sx"))
    assert not re.search(r"\b(offset|sy|SourceY)\b", said)


def test_ignored_words(sill, tmp_path):
    first = segy_files.make(20, 9)
    second = first.copy().put_word("cdp", 9).put_word("offset", 8)
    paths = pair(tmp_path, first, second)
    sill.run("compare", *paths, "--ignore", "cdp,offset")
    sill.run("compare", *paths, "--ignore", "CDP,source_to_receiver_distance")
    assert re.search(r"\boffset\b", sill.run("compare", *paths, "--ignore", "cdp", expect=1).said)


def test_ignored_words_of_the_binary_header_and_blanks(sill, tmp_path):
    first = segy_files.make(20, 9)
    second = first.copy().put_binary(3213, "i2", 99)
    paths = pair(tmp_path, first, second)
    sill.run("compare", *paths, expect=1)
    sill.run("compare", *paths, "--ignore", "EnsembleTraces")
    second.head[100] ^= 1
    second.write(paths[1])
    sill.run("compare", *paths, "--ignore", "EnsembleTraces", expect=1)
    sill.run("compare", *paths, "--ignore", "ntrpr, text")
    sill.run("compare", *paths, "--ignore", " text , EnsembleTraces ")


def test_text_header(sill, tmp_path):
    first = segy_files.make(20, 9, extended=1)
    second = first.copy()
    second.head[100] ^= 1
    paths = pair(tmp_path, first, second)
    assert re.search("text", sill.run("compare", *paths, expect=1).said, re.I)
    sill.run("compare", *paths, "--ignore", "text")


def test_extended_text_header(sill, tmp_path):
    first = segy_files.make(20, 9, extended=1)
    second = first.copy()
    second.head[3700] ^= 1
    assert re.search("text", sill.run("compare", *pair(tmp_path, first, second), expect=1).said, re.I)


def test_binary_header_word(sill, tmp_path):
    first = segy_files.make(20, 9)
    paths = pair(tmp_path, first, first.with_sorting_code(7))
    assert re.search("sort|3229|tsort", sill.run("compare", *paths, expect=1).said, re.I)
    sill.run("compare", *paths, "--ignore", "SortingCode")


@pytest.mark.parametrize("byte", [3261, 3400, 3507, 3600])
def test_unassigned_bytes_of_the_binary_header(sill, tmp_path, byte):
    first = segy_files.make(20, 9)
    second = first.copy()
    second.head[byte - 1] ^= 1
    assert sill.run("compare", *pair(tmp_path, first, second), expect=1).out.strip()


@pytest.mark.parametrize("byte", [181, 197, 217, 225, 233, 240])
def test_late_and_unassigned_bytes_of_a_trace_header(sill, tmp_path, byte):
    first = segy_files.make(20, 9)
    second = first.copy()
    second.rows[11, byte - 1] ^= 1
    assert sill.run("compare", *pair(tmp_path, first, second), expect=1).out.strip()


def test_sample_difference_absolute_and_nrms(sill, tmp_path):
    first = segy_files.make(8, 50).put_samples(np.full((8, 50), 100.0))
    values = first.samples().copy()
    values[5, 20] += 12.5
    second = first.copy().put_samples(values)
    said = sill.run("compare", *pair(tmp_path, first, second), expect=1).said
    found = numbers_in(said)
    assert 12.5 in found, said
    difference = np.sqrt(np.mean((values - 100.0) ** 2))
    nrms = 2 * difference / (100.0 + np.sqrt(np.mean(values**2)))
    expected = [nrms, 100 * nrms]  # as a fraction or in percent
    assert any(x == pytest.approx(e, rel=0.02) for x in found for e in expected), f"{expected} not in:\n{said}"
    assert 6 in found, said  # the trace


@pytest.mark.parametrize("tolerance, code", [("0.4", 1), ("0.5", 0), ("1e3", 0), ("0", 1)])
def test_tolerance_is_absolute(sill, tmp_path, tolerance, code):
    first = segy_files.make(8, 50).put_samples(np.full((8, 50), 1000.0))
    second = first.copy().put_samples(np.full((8, 50), 1000.5))
    sill.run("compare", *pair(tmp_path, first, second), "--tolerance", tolerance, expect=code)


def test_tolerance_is_of_samples_alone(sill, tmp_path):
    first = segy_files.make(8, 50)
    second = first.copy().put_word("cdp", first.word("cdp") + 1)
    sill.run("compare", *pair(tmp_path, first, second), "--tolerance", 10, expect=1)


def test_nan_equals_nan_and_nothing_else(sill, tmp_path):
    first = segy_files.make(4, 5)
    values = first.samples().copy()
    values[2, 3] = np.nan
    one, two = first.copy().put_samples(values), first.copy().put_samples(values)
    two.rows[2, 240 + 12 : 240 + 16] = [0xFF, 0xC0, 0x12, 0x34]  # a NaN of other bits
    sill.run("compare", *pair(tmp_path, one, two))
    sill.run("compare", *pair(tmp_path, one, first), expect=1)
    sill.run("compare", *pair(tmp_path, first, one), "--tolerance", 1e30, expect=1)


def test_infinities_and_zeros(sill, tmp_path):
    first = segy_files.make(2, 4).put_samples([[np.inf, -np.inf, 0.0, -0.0]] * 2)
    second = segy_files.make(2, 4).put_samples([[np.inf, -np.inf, -0.0, 0.0]] * 2)
    sill.run("compare", *pair(tmp_path, first, second))
    third = segy_files.make(2, 4).put_samples([[-np.inf, -np.inf, 0.0, 0.0]] * 2)
    sill.run("compare", *pair(tmp_path, first, third), "--tolerance", 1e30, expect=1)


def test_samples_are_compared_by_value(sill, tmp_path):
    """The same values as IBM and as IEEE floats: the format code differs, no sample does."""
    values = np.random.default_rng(2).integers(-(2**20), 2**20, (12, 30)) / 64.0
    ieee = segy_files.make(12, 30, code=5).put_samples(values)
    ibm = segy_files.make(12, 30, code=1)
    ibm.rows[:, :240] = ieee.rows[:, :240]
    ibm.put_samples(values)
    paths = pair(tmp_path, ieee, ibm)
    said = sill.run("compare", *paths, expect=1).said
    assert re.search("format|3225", said, re.I), said
    sill.run("compare", *paths, "--ignore", "Format")


def test_byte_orders_are_compared_by_value(sill, tmp_path):
    first = segy_files.make(12, 30)
    second = segy_files.make(12, 30, order="little")
    assert np.array_equal(first.samples(), second.samples())
    said = sill.run("compare", *pair(tmp_path, first, second), expect=(0, 1)).said
    assert not re.search(r"\b(cdp|offset|sx)\b", said), said


def test_other_numbers_of_traces(sill, tmp_path):
    first = segy_files.make(20, 9)
    second = first.permuted(range(19))
    said = sill.run("compare", *pair(tmp_path, first, second), expect=1).said
    assert {20.0, 19.0} <= set(numbers_in(said)), said


def test_order_of_traces_counts(sill, tmp_path):
    first = segy_files.make(20, 9)
    sill.run("compare", *pair(tmp_path, first, first.permuted(range(19, -1, -1))), expect=1)


@pytest.mark.parametrize("ranks", [pytest.param(2, marks=pytest.mark.mpich), 3])
def test_with_ranks(sill, tmp_path, ranks):
    first = segy_files.make(61, 9)
    second = first.copy()
    second.put_word("cdp", np.where(np.arange(61) >= 40, 9999, first.word("cdp")))
    values = second.samples().copy()
    values[60, 3] += 1
    second.put_samples(values)
    paths = pair(tmp_path, first, second)
    alone = sill.run("compare", *paths, expect=1)
    both = sill.run("compare", *paths, ranks=ranks, expect=1)
    assert numbers_in(line_about(both.said, "cdp")) == numbers_in(line_about(alone.said, "cdp"))
    assert {21.0, 41.0} <= set(numbers_in(line_about(both.said, "cdp")))
    sill.run("compare", paths[0], paths[0], ranks=ranks)


@pytest.mark.mpich
def test_sums_do_not_depend_on_threads_and_ranks(sill, tmp_path):
    """Floating-point sums depend on their order: it must be that of the traces."""
    first = segy_files.make(3001, 40)
    random = np.random.default_rng(4)
    second = first.copy().put_samples(first.samples() * random.uniform(0.5, 1.5, (3001, 40)))
    paths = pair(tmp_path, first, second)
    found = set()
    for number, (ranks, threads) in enumerate([(None, 1), (None, 2), (None, 4), (2, 1), (3, 2)]):
        report = tmp_path / f"{number}.json"
        sill.run("compare", *paths, "--threads", threads, "--report", report, ranks=ranks, expect=1)
        found.add(json.loads(report.read_text())["nrms_percent"])
    assert len(found) == 1
    assert found.pop() > 1
