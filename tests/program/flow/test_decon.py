"""`decon` against SciPy's solution of the normal equations."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds
from scipy.linalg import solve_toeplitz


def lags_of(row, count):
    row = row.astype("f8")
    return np.array([np.dot(row[: len(row) - k], row[k:]) if k < len(row) else 0.0 for k in range(count)])


def predicted_from(row, lags, gap, length, white):
    if not lags[0] > 0:
        return row.astype("f8")
    column = lags[:length].copy()
    column[0] *= 1 + white
    error = np.zeros(gap + length)
    error[0] = 1
    error[gap:] -= solve_toeplitz(column, lags[gap : gap + length])
    return np.convolve(row.astype("f8"), error)[: len(row)]


@pytest.mark.parametrize("gap, length, white", [(1, 40, 0.001), (1, 1, 0.1), (12, 60, 0.01), (30, 300, 0.05)])
@pytest.mark.parametrize("samples", [200, 501])
def test_as_by_scipy(sill, tmp_path, gap, length, white, samples):
    rows = kinds(samples)
    out = flowed(sill, tmp_path, file_of(rows), f"decon length={2 * length}ms gap={2 * gap}ms white={100 * white}%", ranks=2)
    for found, row in zip(out.samples(), rows):
        want = predicted_from(row, lags_of(row, gap + length), gap, length, white)
        assert np.abs(found - want).max() < 2e-6 * max(np.abs(row).max(), 1e-30)


def test_the_design_window(sill, tmp_path):
    rows = kinds(501)
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=100), "decon length=60ms window=300ms:700ms").samples()
    for found, row in zip(out, rows):
        inside = np.zeros_like(row)
        inside[100:301] = row[100:301]
        want = predicted_from(row, lags_of(inside, 31), 1, 30, 0.001)
        assert np.abs(found - want).max() < 5e-6 * max(np.abs(want).max(), np.abs(row).max(), 1e-30)


def test_one_operator_of_a_gather(sill, tmp_path):
    rows = np.random.default_rng(1).standard_normal((30, 300)).astype("f4")
    rows[4] = 0
    file = file_of(rows, cdp=np.repeat([1, 2, 3], 10), trid=np.where(np.arange(30) == 25, 2, 1))
    out = flowed(sill, tmp_path, file, "decon length=40ms average=gather by=cdp", ranks=3).samples()
    for gather in range(3):
        of = rows[10 * gather : 10 * gather + 10]
        live = [i for i in range(10) if 10 * gather + i != 25]
        lags = sum(lags_of(of[i], 21) for i in live)
        for i in live:
            want = predicted_from(of[i], lags, 1, 20, 0.001)
            assert np.abs(out[10 * gather + i] - want).max() < 1e-5
    assert np.array_equal(out[25], rows[25])


def test_a_reverberation_leaves_and_a_spike_stays(sill, tmp_path):
    """A minimum phase wavelet becomes its first sample; the multiples of a water layer leave."""
    wavelet = np.convolve([1, -0.5], [1, 0.8])
    spikes = np.zeros(600)
    spikes[[100, 310]] = 1, -0.6
    row = np.convolve(spikes, wavelet)[:600]
    out = flowed(sill, tmp_path, file_of([row]), "decon length=40ms white=0%").samples()[0]
    assert np.abs(out - spikes).max() < 0.02
    water = np.zeros(600)
    water[::50] = 0.6 ** np.arange(12) * (-1) ** np.arange(12)
    rng = np.random.default_rng(2)
    earth = np.zeros(600)
    earth[rng.integers(20, 550, 40)] = rng.standard_normal(40)
    row = np.convolve(earth, water)[:600]
    out = flowed(sill, tmp_path, file_of([row]), "decon gap=80ms length=60ms").samples()[0]
    assert np.sum((out - earth) ** 2) < 0.35 * np.sum((row - earth) ** 2)


@pytest.mark.parametrize(
    "wrong", ["decon", "decon length=1ms gap=0ms", "decon length=0ms", "decon length=40ms white=-1%",
              "decon length=40ms by=cdp", "decon length=40ms average=gather", "decon length=40ms average=all"],
)  # fmt: skip
def test_wrong_arguments(sill, tmp_path, wrong):
    path = file_of(kinds(50)).write(tmp_path / "in.sgy")
    assert "decon" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", wrong, expect=2).err
