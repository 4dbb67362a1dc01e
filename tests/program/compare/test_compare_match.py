"""`sill compare --match`: traces are compared by their keys; and what "samples equal" means."""

import json
import re

import numpy as np
import pytest
import segy_files
from survey_shapes import grid_numbers

everywhere = pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich), 3, 4])


def cube(inlines: int = 12, crosslines: int = 11, **options):
    ilines, xlines = grid_numbers(range(1, 1 + inlines), range(100, 100 + crosslines))
    return segy_files.make(len(ilines), 7, **options).put_word("iline", ilines).put_word("xline", xlines)


def compare(sill, tmp_path, a, b, *options, ranks=None, expect=1) -> str:
    return sill.run("compare", a.write(tmp_path / "a.sgy"), b.write(tmp_path / "b.sgy"), "--match", "iline,xline",
                    *options, ranks=ranks, expect=expect).said  # fmt: skip


def shuffled(file, seed: int = 3):
    return file.permuted(np.random.default_rng(seed).permutation(file.traces))


@everywhere
def test_another_order_is_no_difference(sill, tmp_path, ranks):
    said = compare(sill, tmp_path, cube(), shuffled(cube()), ranks=ranks, expect=0)
    assert "equal: 132 traces of 7 samples, matched by iline,xline" in said


@everywhere
def test_differences_are_those_of_partners(sill, tmp_path, ranks):
    """A word and a sample of one trace, which lies elsewhere in the other file."""
    first = cube()
    second = first.copy()
    offsets = second.word("offset").copy()
    offsets[40] += 5
    second.put_word("offset", offsets)
    second.rows[41, 240] ^= 0x10
    order = np.random.default_rng(8).permutation(132)
    said = compare(sill, tmp_path, first, second.permuted(order), ranks=ranks)
    at = {int(trace): i + 1 for i, trace in enumerate(order)}
    assert f"offset: differs in 1 trace, first in trace 41, which is trace {at[40]} of the other: "  \
           f"{offsets[40] - 5} and {offsets[40]}" in said  # fmt: skip
    assert f"samples: 1 differ in 1 trace, first in trace 42, which is trace {at[41]} of the other, sample 1:" in said
    assert "samples equal" not in said


@everywhere
def test_traces_of_one_file_are_counted_and_named(sill, tmp_path, ranks):
    whole = cube()
    first = whole.permuted(np.setdiff1d(np.arange(132), [5]))
    second = whole.permuted(np.setdiff1d(np.arange(132), [0, 11, 22, 33, 44, 55, 66]))
    report = tmp_path / "r.json"
    said = compare(sill, tmp_path, first, shuffled(second), "--report", report, ranks=ranks)
    assert re.search(r"only in PATH 7 traces: trace 1 \(iline 1, xline 100\), trace 11 \(iline 2, xline 100\), "
                     r"trace 22 \(iline 3, xline 100\), .* and 2 more", said), said  # fmt: skip
    assert re.search(r"only in PATH 1 trace: trace \d+ \(iline 1, xline 105\)$", said, re.M), said
    assert "samples equal: in 124 traces every sample has the same value in both" in said
    told = json.loads(report.read_text())
    assert (told["only_in_a"], told["only_in_b"], told["compared_traces"], told["samples_equal"]) == (7, 1, 124, True)


@everywhere
def test_nothing_matches(sill, tmp_path, ranks):
    said = compare(sill, tmp_path, cube(), cube().put_word("iline", 99 + np.arange(132)), ranks=ranks)
    assert len(re.findall("132 traces:", said)) == 2 and "samples equal" not in said


@everywhere
@pytest.mark.parametrize("side", ["a", "b"])
def test_keys_that_two_traces_share_are_refused(sill, tmp_path, side, ranks):
    odd = cube()
    xlines = odd.word("xline").copy()
    xlines[[70, 100]] = xlines[[68, 99]]
    odd.put_word("xline", xlines)
    files = [odd, shuffled(cube())] if side == "a" else [shuffled(cube()), odd]
    paths = [file.write(tmp_path / f"{name}.sgy") for file, name in zip(files, "ab", strict=True)]
    run = sill.run("compare", *paths, "--match", "iline,xline", ranks=ranks, expect=2)
    said = run.said
    assert re.search(r"traces 69 and 71 have the same keys, iline 7, xline 102; in total, 2 traces repeat", said), said
    assert f"{side}.sgy" in run.text


def test_all_traces_with_one_key(sill, tmp_path):
    one = cube().put_word("iline", 1).put_word("xline", 1)
    for ranks in (1, 4):
        assert "traces 1 and 2 have the same keys" in compare(sill, tmp_path, one, cube(), ranks=ranks, expect=2)


def test_other_keys(sill, tmp_path):
    a, b = cube().write(tmp_path / "a.sgy"), shuffled(cube()).write(tmp_path / "b.sgy")
    sill.run("compare", a, b, "--match", "-iline * 1000 + xline")
    assert "nosuch" in sill.run("compare", a, b, "--match", "nosuch", expect=2).said


@pytest.mark.parametrize("ranks", [None, 3])
def test_keys_beyond_the_memory_are_refused(sill, tmp_path, ranks):
    a, b = cube(60, 60), cube(60, 60)
    said = compare(sill, tmp_path, a, b, "--memory", "32K", ranks=ranks, expect=2)
    need = re.search(r"keys of 7200 traces need \d+ bytes more.*--memory (\d+)", said, re.S)
    assert need, said
    compare(sill, tmp_path, a, b, "--memory", int(need[1]) - 1, ranks=ranks, expect=2)
    compare(sill, tmp_path, a, b, "--memory", need[1], ranks=ranks, expect=0)


def test_one_file_without_traces(sill, tmp_path):
    none = cube().permuted(np.array([], int))
    assert "132 traces:" in compare(sill, tmp_path, cube(), none)
    assert "132 traces:" in compare(sill, tmp_path, none, cube())


def with_values(code: int, values):
    return segy_files.make(*values.shape, code=code).put_samples(values)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("match", [[], ["--match", "tracl"]])
def test_samples_equal_in_another_format(sill, tmp_path, match, ranks):
    values = np.random.default_rng(2).integers(-5000, 5000, (30, 9)) / 16
    paths = [with_values(code, values).write(tmp_path / f"{code}.sgy") for code in (1, 5)]
    said = sill.run("compare", *paths, *match, ranks=ranks, expect=1).said
    equal = "samples equal: in 30 traces every sample has the same value in both, as IBM float"
    assert equal in said and "(format 1) and as" in said and "(format 5)" in said
    assert re.search("format.*: 1 and 5", said, re.I)
    said = sill.run("compare", *paths, *match, "--ignore", "format", ranks=ranks).said
    assert said.startswith("equal: 30 traces") and equal in said


def test_samples_that_the_other_format_has_rounded(sill, tmp_path):
    values = np.full((4, 5), 1 + 2.0**-23)
    paths = [with_values(code, values).write(tmp_path / f"{code}.sgy") for code in (1, 5)]
    assert "samples equal" not in sill.run("compare", *paths, expect=1).said
    said = sill.run("compare", *paths, "--tolerance", "1e-6", expect=1).said
    assert "samples equal: in 4 traces no sample differs by more than 1e-06" in said


def test_samples_equal_where_headers_differ(sill, tmp_path):
    first = segy_files.make(20, 9)
    paths = [first.write(tmp_path / "a.sgy"), first.copy().put_word("cdp", 9).write(tmp_path / "b.sgy")]
    assert "samples equal: in 20 traces" in sill.run("compare", *paths, expect=1).said
    other = segy_files.make(20, 8).write(tmp_path / "c.sgy")
    assert "samples equal" not in sill.run("compare", paths[0], other, expect=1).said
