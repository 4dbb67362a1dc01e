"""`stack` and `partialstack` against NumPy, gather by gather."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed

TRACES = 90


@pytest.fixture(scope="module")
def gathers():
    """Traces of 14 gathers, with muted beginnings, dead traces, traces of other kinds, and shifted delays."""
    random = np.random.default_rng(5)
    rows = random.standard_normal((TRACES, 120)).astype(np.float32)
    for i in range(0, TRACES, 3):
        rows[i, : random.integers(1, 60)] = 0
    rows[7] = rows[8] = 0
    trid = np.where(np.arange(TRACES) % 17 == 5, 3, 1)
    trid[8] = 2
    cdp = random.integers(100, 114, TRACES)
    return file_of(rows, cdp=cdp, trid=trid, scalco=-10, sx=random.integers(0, 1 << 20, TRACES),
                   offset=random.integers(0, 40, TRACES) * 50)  # fmt: skip


def live(row):
    at = np.flatnonzero(row)
    mask = np.zeros(len(row), dtype=bool)
    if len(at):
        mask[at[0] : at[-1] + 1] = True
    return mask


def stacked(rows, method="mean", minfold=1, n=4):
    rows = rows.astype(np.float64)
    mask = np.array([live(row) for row in rows]).reshape(len(rows), 120)
    fold = mask.sum(axis=0)
    if method == "median":
        out = np.array([np.median(rows[mask[:, t], t]) if fold[t] else 0 for t in range(120)])
    else:
        if method == "mean":
            weighted, weights = rows, mask.astype(float)
        elif method == "nthroot":
            weighted, weights = np.sign(rows) * np.abs(rows) ** (1 / n), mask.astype(float)
        else:
            half = round(0.1 / (2 * DT_S))
            weights = np.zeros_like(rows)
            for r, row in enumerate(rows):
                for t in np.flatnonzero(mask[r]):
                    at = slice(max(0, t - half), t + half + 1)
                    energy = (row[at][mask[r][at]] ** 2).mean()
                    weights[r, t] = 1 / energy if energy else 0
            weighted = rows * weights
        total = np.where(mask, weights, 0).sum(axis=0)
        out = np.where(mask, weighted, 0).sum(axis=0) / np.where(total == 0, 1, total)
        if method == "nthroot":
            out = np.sign(out) * np.abs(out) ** n
    return np.where(fold >= minfold, out, 0)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("stack by=cdp", {}), ("sort cdp,offset; stack minfold=3", {"minfold": 3}),
        ("stack by=cdp method=median", {"method": "median"}),
        ("stack by=cdp method=nthroot n=4", {"method": "nthroot"}),
        ("stack by=cdp method=diversity gate=100ms", {"method": "diversity"}),
    ],
)  # fmt: skip
def test_methods(sill, tmp_path, gathers, steps, told):
    out = flowed(sill, tmp_path, gathers, steps)
    cdp, trid, rows = gathers.word("cdp"), gathers.word("trid"), gathers.samples()
    want = np.array([stacked(rows[(cdp == c) & (trid == 1)], **told) for c in np.unique(cdp)])
    np.testing.assert_array_equal(out.word("cdp"), np.unique(cdp))
    np.testing.assert_allclose(out.samples(), want, rtol=1e-5, atol=1e-6)


def test_headers(sill, tmp_path, gathers):
    path = gathers.write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "stack by=cdp trid=1")
    out = flowed(sill, tmp_path, gathers, "stack by=cdp trid=1")
    cdp, trid = gathers.word("cdp"), gathers.word("trid")
    members = [np.flatnonzero((cdp == c) & (trid == 1)) for c in np.unique(cdp)]
    np.testing.assert_array_equal(out.word("nhs"), [len(m) for m in members])
    assert set(out.word("offset")) == {0} and set(out.word("trid")) == {1}
    np.testing.assert_array_equal(out.word("sx"), [np.rint(gathers.word("sx")[m].mean()) for m in members])
    for word in ("fldr", "iline", "tracf"):
        values = gathers.word(word)
        want = [values[m[0]] if len(set(values[m])) == 1 else 0 for m in members]
        np.testing.assert_array_equal(out.word(word), want)
    assert out.binary(3229, "i2") == 4
    assert f"{(trid != 1).sum()} traces omitted because of their trace identification" in result.out


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_ranks(sill, tmp_path, gathers, ranks):
    alone = flowed(sill, tmp_path, gathers, "stack by=cdp method=diversity")
    for policy in ("auto", "aggregated", "elected"):
        together = flowed(sill, tmp_path, gathers, "stack by=cdp method=diversity", "--policy", policy, ranks=ranks)
        assert together.to_bytes() == alone.to_bytes()


def test_delays(sill, tmp_path):
    rows = np.arange(1, 31, dtype=np.float32).reshape(3, 10)
    file = file_of(rows, delay_ms=[104, 100, 106], cdp=7)
    out = flowed(sill, tmp_path, file, "stack by=cdp")
    sums, fold = np.zeros(10), np.zeros(10)
    for row, shift in zip(rows, (2, 0, 3), strict=True):
        sums[shift:] += row[: 10 - shift]
        fold[shift:] += 1
    np.testing.assert_allclose(out.samples()[0], sums / fold, rtol=1e-6)
    assert out.word("delrt")[0] == 100
    file.put_word("delrt", [104, 101, 106]).write(tmp_path / "in.sgy")
    refused = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", "stack by=cdp", expect=3)
    assert "fraction of a sample" in refused.err and "operation 1 (stack)" in refused.err


def test_true_values_of_headers_are_compared(sill, tmp_path):
    file = file_of(np.ones((4, 9)), cdp=1, trid=1, gelev=100, selev=[10, 100, 100, 100], scalel=[1, -10, -10, -10])
    path = file.write(tmp_path / "in.sgy")
    result = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "stack by=cdp")
    out = flowed(sill, tmp_path, file, "stack by=cdp")
    assert [out.word(word)[0] for word in ("gelev", "selev", "scalel")] == [0, 10, 1]
    assert "gathers in which gelev differs: set to 0" in result.out and "selev differs" not in result.out


def test_coordinates_of_different_units_have_no_mean(sill, tmp_path):
    file = file_of(np.ones((6, 9)), cdp=[1, 1, 1, 2, 2, 2], trid=1, sx=[10, 20, 30] * 2, counit=[1, 1, 2, 1, 0, 1])
    path = file.write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "stack by=cdp").out
    assert "1 gathers in which the unit of coordinates (counit) differs" in said, said
    assert list(flowed(sill, tmp_path, file, "stack by=cdp").word("sx")) == [0, 20]


@pytest.mark.parametrize("word", ["offset", "selev"])
def test_magnitudes_as_keys(sill, tmp_path, word):
    file = file_of(np.ones((4, 9)), cdp=1, trid=1, offset=5)
    out = flowed(sill, tmp_path, file.put_word(word, [-1, 1, 2, -2]), f"stack by='cdp,abs({word})'")
    np.testing.assert_array_equal(out.word(word), [1, 2])
    np.testing.assert_array_equal(out.word("nhs"), 2)


def test_partial(sill, tmp_path, gathers):
    out = flowed(sill, tmp_path, gathers, "partialstack by=offset bins=0-300,300-1000,5000-6000 gather=cdp")
    cdp, trid, offset = (gathers.word(w) for w in ("cdp", "trid", "offset"))
    want = []
    for c in np.unique(cdp):
        for low, high in ((0, 300), (300, 1000), (5000, 6000)):
            chosen = (cdp == c) & (trid == 1) & (offset >= low) & (offset < high)
            want.append(stacked(gathers.samples()[chosen]) if chosen.any() else np.zeros(120))
    np.testing.assert_allclose(out.samples(), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(out.word("cdp"), np.repeat(np.unique(cdp), 3))
    assert set(out.word("trid")[2::3]) == {2}


def test_a_gather_that_does_not_fit(sill, tmp_path, gathers):
    path = file_of(np.ones((3000, 100)), cdp=5).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "stack by=cdp", "--memory", "4M", expect=2)
    assert "a gather of 3000 traces needs" in refused.err


def test_what_is_missing(sill, small, tmp_path):
    refused = sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", "stack", expect=2)
    assert "write by=cdp" in refused.err


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("steps", ["stack by=fldr", "partialstack by=offset bins=0-500,500-1000 gather=fldr"])
def test_nothing_to_stack_is_one_error(sill, tmp_path, steps, ranks):
    file = file_of(np.ones((20, 30), "f4"), fldr=1 + np.arange(20) // 5, offset=100, trid=2)
    said = sill.run("flow", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "o.sgy", "--do", steps, ranks=ranks, expect=3).err
    assert said.count("no trace is stacked") == 1 and "MPI_ABORT" not in said
    assert [each.name for each in tmp_path.iterdir()] == ["in.sgy"]
