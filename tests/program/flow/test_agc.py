"""`agc` against its definition, written out in NumPy, sample by sample."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed, kinds


def expected(rows, window_s, kind="rms", weights="rect", target=1.0, floor=0.0):
    half = int(np.floor(window_s / (2 * DT_S) + 0.5))
    out = np.zeros_like(rows)
    for r, row in enumerate(rows.astype(np.float64)):
        live = row != 0
        min_amplitude = floor * np.sqrt((row[live] ** 2).mean()) if live.any() else 0.0
        for i in range(len(row)):
            at = np.arange(max(0, i - half), min(len(row), i + half + 1))
            at = at[live[at]]
            if len(at) == 0:
                amplitude = min_amplitude
            elif kind == "median":
                amplitude = np.median(np.abs(row[at]))
            else:
                w = np.ones(len(at)) if weights == "rect" else 1 - np.abs(at - i) / (half + 1)
                value = (w * (row[at] ** 2 if kind == "rms" else np.abs(row[at]))).sum() / w.sum()
                amplitude = np.sqrt(value) if kind == "rms" else value
            amplitude = max(amplitude, min_amplitude)
            out[r, i] = target * row[i] / amplitude if amplitude > 0 else 0
    return out


@pytest.mark.parametrize(
    ("steps", "arguments"),
    [
        ("agc 100ms", {}),
        ("agc window=0.05s kind=mean target=2.5", {"window_s": 0.05, "kind": "mean", "target": 2.5}),
        ("agc 90ms kind=median", {"window_s": 0.09, "kind": "median"}),
        ("agc 101ms weights=triangle", {"window_s": 0.101, "weights": "triangle"}),
        ("agc 60ms kind=mean weights=triangle floor=20%",
         {"window_s": 0.06, "kind": "mean", "weights": "triangle", "floor": 0.2}),
        ("agc 0ms", {"window_s": 0.0}),
        ("agc 10s", {"window_s": 10.0}),
        ("agc 10s weights=triangle", {"window_s": 10.0, "weights": "triangle"}),
        ("agc 3s kind=median floor=1%", {"window_s": 3.0, "kind": "median", "floor": 0.01}),
    ],
)  # fmt: skip
def test_against_the_definition(sill, tmp_path, steps, arguments):
    rows = kinds(201)
    out = flowed(sill, tmp_path, file_of(rows), steps).samples()
    want = expected(rows, **({"window_s": 0.1} | arguments))
    np.testing.assert_allclose(out, want, rtol=3e-7, atol=0)


def test_nothing_is_left_of_a_spike(sill, tmp_path):
    """A running sum that subtracts would keep rounding errors of the spike, larger than the trace behind it."""
    rows = np.full((1, 400), 1e-4, dtype=np.float32)
    rows[0, 100] = 3e7
    out = flowed(sill, tmp_path, file_of(rows), "agc 20ms").samples()
    np.testing.assert_allclose(out[0, 110:], 1.0, rtol=1e-6)


@pytest.mark.parametrize(("code", "order"), [(1, "big"), (3, "big"), (5, "little"), (6, "big")])
def test_sample_formats(sill, tmp_path, code, order):
    rows = np.round(kinds(64) * 100)
    if code == 3:
        rows = np.clip(rows, -30000, 30000)
    out = flowed(sill, tmp_path, file_of(rows, code=code, order=order), "agc 30ms", "--sample-format", "ieee")
    assert out.code == 5
    np.testing.assert_allclose(out.samples(), expected(rows.astype(np.float32), 0.03), rtol=3e-7)


def test_integers_need_a_format(sill, tmp_path):
    path = file_of(np.round(kinds(64)) % 100, code=3).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "agc 30ms", expect=2)
    assert "agc changes the scale of amplitudes" in refused.err
    assert not (tmp_path / "o.sgy").exists()


def test_one_sample(sill, tmp_path):
    out = flowed(sill, tmp_path, file_of(np.array([[2.0], [-4.0], [0.0]])), "agc 100ms")
    np.testing.assert_array_equal(out.samples()[:, 0], [1, -1, 0])


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("agc", "window= is missing"),
        ("agc 200", "'200' has no unit"),
        ("agc 200Hz", "'200Hz' is not in s, ms, us or samples"),
        ("agc -20ms", "the window must not be negative"),
        ("agc 200ms kind=max", "max is not a value of kind="),
        ("agc 200ms kind=median weights=triangle", "a median has no weights"),
        ("agc 200ms windw=3ms", "agc has no parameter 'windw'"),
        ("agc 200ms window=3ms", "'window' is given twice"),
        ("agc 200ms kind", "'kind' needs a value"),
        ("agc nan", "is not a number"),
    ],
)
def test_wrong_arguments(sill, small, tmp_path, steps, reason):
    refused = sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=2)
    assert reason in refused.err
    assert "^" in refused.err
    assert not (tmp_path / "o.sgy").exists()


@pytest.mark.parametrize("floor", ["", " floor=1%"])
@pytest.mark.parametrize("kind", ["rms", "mean", "rms weights=triangle", "mean weights=triangle", "median"])
def test_nan_is_computed_with(sill, tmp_path, kind, floor):
    """It makes the windows that hold it NaN, and is not taken as a window of zeros; the median is of the other samples."""
    rows = np.random.default_rng(2).standard_normal((2, 60)).astype("f4")
    rows[:, 40:] = 0
    rows[0, 20] = np.nan
    steps = f"agc 20ms kind={kind}{floor}"
    path = file_of(rows).write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--nonfinite", "keep").out
    assert "not finite" in said
    out, good = segy_files.read(tmp_path / "o.sgy").samples()
    near = abs(np.arange(60) - 20) <= (0 if kind == "median" else 5)
    assert np.isnan(out[:40][near[:40] | bool(floor)]).all()
    if not floor:
        assert np.isfinite(out[~near]).all() and out[~near][:15].all()
    assert np.isfinite(good).all() and good[:40].all() and not good[40:].any()
