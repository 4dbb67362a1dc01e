"""`despike` against the definition, sample by sample."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds


def despiked(row, window_s, factor, by):
    row = row.astype("f8")
    half = int(np.floor(window_s / (2 * DT_S) + 0.5))
    magnitudes = np.abs(row)
    bad = np.zeros(len(row), bool)
    for i in range(len(row)):
        window = magnitudes[max(0, i - half) : i + half + 1]
        window = window[window > 0]
        bad[i] = magnitudes[i] > factor * (np.median(window) if len(window) else 0)
    good = np.flatnonzero(~bad)
    if by == "zero" or len(good) == 0:
        return np.where(bad, 0, row), bad
    return np.where(bad, np.interp(np.arange(len(row)), good, row[good]), row), bad


@pytest.mark.parametrize("samples", [1, 2, 9, 300, 2500])
@pytest.mark.parametrize(
    "window_ms, factor, by", [(2, 2, "interpolate"), (30, 3, "zero"), (200, 4, "interpolate"), (9000, 5, "zero")]
)
def test_against_the_definition(sill, tmp_path, samples, window_ms, factor, by):
    rows = kinds(max(samples, 8))[:, -samples:].copy()
    random = np.random.default_rng(samples)
    for row in rows[:4]:
        for at in random.integers(0, samples, samples // 40):
            row[at : at + random.integers(1, 4)] *= 100
    wanted = [despiked(row, window_ms / 1000, factor, by) for row in rows]
    out = flowed(sill, tmp_path, file_of(rows), f"despike {window_ms}ms factor={factor} by={by}").samples()
    np.testing.assert_allclose(out, np.array([want for want, _ in wanted]), rtol=1e-6, atol=1e-30)
    told = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do",
                    f"despike {window_ms}ms factor={factor} by={by}").out  # fmt: skip
    replaced = sum(int(bad.sum()) for _, bad in wanted)
    assert (f"{replaced:,} samples replaced" in told) == (replaced > 0)


def test_spikes_of_field_data_go_and_signal_stays(sill, tmp_path):
    times = DT_S * np.arange(2000)
    clean = np.sin(2 * np.pi * 30 * times) * np.exp(-times)
    rows = np.repeat(clean[None], 3, axis=0).astype("f4")
    rows[1, 700] = 500
    rows[2, 900:904] = -300
    out = flowed(sill, tmp_path, file_of(rows), "despike 200ms").samples()
    np.testing.assert_array_equal(out[0], rows[0])
    assert np.abs(out - clean).max() < 0.2


@pytest.mark.parametrize("wrong", ["despike", "despike 0ms", "despike 100ms factor=1", "despike 100ms by=nothing"])
def test_wrong_numbers(sill, tmp_path, wrong):
    path = file_of(kinds(50)).write(tmp_path / "in.sgy")
    assert "despike" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", wrong, expect=2).err
