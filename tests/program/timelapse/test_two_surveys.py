"""`math` and `match`: operations that take the traces of a second survey."""

import numpy as np
import pytest
import segy_files
from flow_cases import file_of, flowed
from scipy.linalg import solve_toeplitz

RNG = np.random.default_rng(7)
ROWS = RNG.standard_normal((12, 300)).astype("f4")
OTHER = RNG.standard_normal((12, 300)).astype("f4")
LINES = {"iline": np.repeat([1, 2, 3], 4), "xline": np.tile([1, 2, 3, 4], 3)}
SHUFFLED = np.random.default_rng(1).permutation(12)


def other_file(folder, rows=OTHER, order=SHUFFLED, **how):
    """The rows of another survey in another order, little endian, of other bytes."""
    words = {name: values[order] for name, values in LINES.items()} | how
    return file_of(rows[order], order="little", **words).write(folder / "other.sgy")


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize(
    ("do", "work"),
    [("minus", np.subtract), ("plus", np.add), ("times", np.multiply), ("over", np.divide)],
)
def test_sample_by_sample(sill, tmp_path, do, work, ranks):
    path = other_file(tmp_path)
    out = flowed(sill, tmp_path, file_of(ROWS, **LINES), f"math {do} @{path} by=iline,xline", ranks=ranks)
    assert np.array_equal(out.samples(), work(ROWS, OTHER))


def test_in_step_and_behind_a_sort(sill, tmp_path):
    path = other_file(tmp_path, order=np.arange(12))
    file = file_of(ROWS, **LINES)
    assert np.array_equal(flowed(sill, tmp_path, file, f"math minus @{path} by=trace").samples(), ROWS - OTHER)
    # The numbers of traces are those of the sorted survey there, keys are not.
    by_key = flowed(sill, tmp_path, file, f"sort -xline,iline; math minus @{path} by=iline,xline").samples()
    order = np.lexsort((LINES["iline"], -LINES["xline"]))
    assert np.array_equal(by_key, (ROWS - OTHER)[order])
    by_number = flowed(sill, tmp_path, file, f"sort -xline,iline; math minus @{path} by=trace").samples()
    assert np.array_equal(by_number, ROWS[order] - OTHER)


def test_over_zero_is_zero_and_counted(sill, tmp_path):
    rows = OTHER.copy()
    rows[3, 100:110] = 0
    path = other_file(tmp_path, rows)
    source = file_of(ROWS, **LINES).write(tmp_path / "in.sgy")
    said = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", f"math over @{path} by=iline,xline").out
    assert "10 samples set to 0" in said


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("operation", ["math minus @{}", "match to=@{} length=20ms"])
def test_dead_traces_are_not_combined(sill, tmp_path, operation, ranks):
    dead = np.where(np.arange(12) == 5, 2, 1)
    own_dead = np.where(np.arange(12) == 7, 2, 1)
    path = other_file(tmp_path, trid=dead[SHUFFLED])
    source = file_of(ROWS, **LINES, trid=own_dead).write(tmp_path / "in.sgy")
    steps = operation.format(path) + " by=iline,xline"
    said = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks).out
    unchanged = (segy_files.read(tmp_path / "o.sgy").samples() == ROWS).all(axis=1)
    assert list(np.flatnonzero(unchanged)) == [5, 7]
    assert "remained unchanged because they or their partners are dead" in said, said


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("operation", ["math minus @{}", "match to=@{} length=20ms"])
def test_traces_without_a_partner(sill, tmp_path, operation, ranks):
    path = other_file(tmp_path, order=np.array([4, 0, 1, 2, 9, 11]))
    steps = operation.format(path) + " by=iline,xline"
    source = file_of(ROWS, **LINES).write(tmp_path / "in.sgy")
    error = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps, expect=3, ranks=ranks).err
    assert "other.sgy has no trace with iline 1, xline 4" in error and "missing=drop" in error
    assert not (tmp_path / "o.sgy").exists()
    dropped = flowed(sill, tmp_path, file_of(ROWS, **LINES), steps + " missing=drop", ranks=ranks)
    kept = flowed(sill, tmp_path, file_of(ROWS, **LINES), steps + " missing=keep", ranks=ranks)
    have = [0, 1, 2, 4, 9, 11]
    assert np.array_equal(dropped.word("iline"), LINES["iline"][have])
    assert np.array_equal(dropped.samples(), kept.samples()[have])
    assert np.array_equal(kept.samples()[[3, 5, 10]], ROWS[[3, 5, 10]])


@pytest.mark.parametrize(
    ("other", "steps", "text", "code"),
    [
        ({}, "math minus @{} by=cdp", "have the same keys", 2),
        ({}, "math minus @{}", "by= is missing", 2),
        ({}, "math minus other.sgy by=cdp", "write with=@FILE", 2),
        ({}, "match to=@{} by=iline,xline length=20ms gather=iline", "gather= needs average=gather", 2),
        ({}, "math minus @none.sgy by=cdp", "none.sgy", 4),
        ({"rows": OTHER[:, :200]}, "math minus @{} by=iline,xline", "have 200 samples, but the processed traces have 300", 2),
        ({"dt_us": 4000}, "math minus @{} by=iline,xline", "its sample interval is 4000 us", 2),
        ({"delay_ms": 4}, "math minus @{} by=iline,xline", "begins at 0 ms, and its partner", 3),
        ({"rows": np.where(OTHER == OTHER[5, 7], np.nan, OTHER)}, "math plus @{} by=iline,xline", "sample 8 is nan", 3),
    ],
)
def test_what_cannot_be(sill, tmp_path, other, steps, text, code):
    path = other_file(tmp_path, **other)
    source = file_of(ROWS, **LINES).write(tmp_path / "in.sgy")
    for ranks in (None, 2):
        error = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps.format(path), expect=code, ranks=ranks).err
        assert text in error
    assert not (tmp_path / "o.sgy").exists()


@pytest.mark.parametrize("ranks", [None, 3])
def test_the_first_trace_at_fault_is_named(sill, tmp_path, ranks):
    rows = OTHER.copy()
    rows[2, 9] = np.nan
    path = other_file(tmp_path, rows, order=np.array([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]))
    source = file_of(ROWS, **LINES).write(tmp_path / "in.sgy")
    steps = f"math minus @{path} by=iline,xline"
    error = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps, expect=3, ranks=ranks).err
    assert "trace:  3" in error and "sample 10 is nan" in error
    error = sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps, "--nonfinite", "keep", expect=3).err
    assert "trace:  6" in error and "no trace with iline 2, xline 2" in error


def test_auxiliary_traces_stay(sill, tmp_path):
    path = other_file(tmp_path, order=np.array([0, 1, 2]))
    file = file_of(ROWS, trid=np.where(np.arange(12) == 7, 4, 1), **LINES)
    out = flowed(sill, tmp_path, file, f"math minus @{path} by=iline,xline missing=drop")
    assert np.array_equal(out.samples(), np.concatenate([ROWS[:3] - OTHER[:3], ROWS[7:8]]))


def test_the_other_survey_is_no_output(sill, tmp_path):
    path = other_file(tmp_path)
    before = path.read_bytes()
    source = file_of(ROWS, **LINES).write(tmp_path / "in.sgy")
    sill.run("flow", source, "-o", path, "--do", f"math minus @{path} by=iline,xline", expect=2)
    assert path.read_bytes() == before


def test_nonfinite_samples_of_the_other(sill, tmp_path):
    rows = OTHER.copy()
    rows[2, 5] = np.inf
    path = other_file(tmp_path, rows)
    steps = f"math minus @{path} by=iline,xline"
    zeroed = flowed(sill, tmp_path, file_of(ROWS, **LINES), steps, "--nonfinite", "zero").samples()
    assert zeroed[2, 5] == ROWS[2, 5]
    kept = flowed(sill, tmp_path, file_of(ROWS, **LINES), steps, "--nonfinite", "keep").samples()
    assert kept[2, 5] == -np.inf


def matched(trace, partner, half, window, white):
    """The definition: the filter of least squares of what is in the window, applied to all."""
    m = np.where(window, trace, 0).astype("f8")
    b = np.where(window, partner, 0).astype("f8")
    lags = np.arange(2 * half + 1)
    own = np.array([np.dot(m[: len(m) - k], m[k:]) for k in lags])
    cross = np.array([np.dot(np.roll(np.pad(m, half), j - half)[half:-half or None], b) for j in lags])
    return own, cross, white


def filtered(trace, own, cross, white, half):
    column = own.copy()
    column[0] *= 1 + white
    return np.convolve(trace.astype("f8"), solve_toeplitz(column, cross))[half : half + len(trace)]


@pytest.mark.parametrize("half", [0, 7])
@pytest.mark.parametrize("ranks", [None, 3])
def test_match_is_the_filter_of_least_squares(sill, tmp_path, half, ranks):
    path = other_file(tmp_path, delay_ms=40)
    file = file_of(ROWS, delay_ms=40, **LINES)
    length = 4 * half
    steps = f"match to=@{path} by=iline,xline length={length}ms window=100ms:440ms white=1%"
    found = flowed(sill, tmp_path, file, steps, ranks=ranks).samples()
    times = 0.04 + 0.002 * np.arange(300)
    window = (times >= 0.1 - 1e-9) & (times <= 0.44 + 1e-9)
    for i in range(12):
        expected = filtered(ROWS[i], *matched(ROWS[i], OTHER[i], half, window, 0.01), half)
        assert np.abs(found[i] - expected).max() < 1e-6 * np.abs(expected).max()
    averaged = flowed(sill, tmp_path, file, steps + " average=gather gather=iline", ranks=ranks).samples()
    for line in range(3):
        parts = [matched(ROWS[i], OTHER[i], half, window, 0.01) for i in range(4 * line, 4 * line + 4)]
        own, cross = sum(p[0] for p in parts), sum(p[1] for p in parts)
        for i in range(4 * line, 4 * line + 4):
            expected = filtered(ROWS[i], own, cross, 0.01, half)
            assert np.abs(averaged[i] - expected).max() < 1e-6 * np.abs(expected).max()


def test_match_finds_a_known_filter(sill, tmp_path):
    wavelet = np.array([0.2, -0.5, 1.5, 0.4, -0.1])
    rows = np.array([np.convolve(row, wavelet, "same") for row in ROWS]).astype("f4")
    path = other_file(tmp_path, rows)
    found = flowed(sill, tmp_path, file_of(ROWS, **LINES), f"match to=@{path} by=iline,xline length=40ms white=0%").samples()
    assert np.abs(found - rows)[:, 20:-20].max() < 0.02 * np.abs(rows).max()
