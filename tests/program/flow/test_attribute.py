"""`envelope`, `attribute` and `phase` against SciPy's analytic signal, on traces of every kind."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds
from scipy.signal import hilbert
from test_ormsby import fast_length


def analytic(rows):
    samples = rows.shape[1]
    return hilbert(np.asarray(rows, dtype="f8"), fast_length(2 * samples), axis=1)[:, :samples]


def check(out, want, rows):
    scale = np.maximum(np.abs(np.asarray(rows, dtype="f8")).max(axis=1), 1e-30)[:, None]
    assert (np.abs(out - want) / scale).max() < 1e-6


@pytest.mark.parametrize("samples", [1, 2, 3, 300, 501])
@pytest.mark.parametrize("do", ["envelope", "attribute", "attribute envelope"])
def test_envelope(sill, tmp_path, samples, do):
    rows = kinds(max(samples, 8))[:, -samples:]
    check(flowed(sill, tmp_path, file_of(rows), do).samples(), np.abs(analytic(rows)) * (rows != 0).any(axis=1)[:, None], rows)


@pytest.mark.parametrize("samples", [1, 2, 3, 300, 501])
@pytest.mark.parametrize("angle", [0, 37, 90, 180, -270])
def test_rotation(sill, tmp_path, samples, angle):
    rows = kinds(max(samples, 8))[:, -samples:]
    out = flowed(sill, tmp_path, file_of(rows), f"phase {angle}deg").samples()
    check(out, np.real(analytic(rows) * np.exp(1j * np.deg2rad(angle))), rows)


def test_phase_and_frequency(sill, tmp_path):
    rows = np.random.default_rng(4).standard_normal((11, 400)).astype("f4")
    signal = analytic(rows)
    out = flowed(sill, tmp_path, file_of(rows), "attribute phase").samples()
    difference = (out - np.degrees(np.angle(signal)) + 180) % 360 - 180
    assert np.abs(difference).max() < 1e-3
    turns = np.angle(signal[:, 1:] * np.conj(signal[:, :-1]))
    want = np.hstack([turns[:, :1], 0.5 * (turns[:, 1:] + turns[:, :-1]), turns[:, -1:]]) / (2 * np.pi * DT_S)
    out = flowed(sill, tmp_path, file_of(rows), "attribute frequency").samples()
    assert np.abs(out - want).max() < 1e-3
    assert np.abs(out).max() <= 250.001


@pytest.mark.parametrize("hz", [3.0, 40.0, 200.0])
def test_a_sine_has_its_frequency_and_an_even_envelope(sill, tmp_path, hz):
    rows = 7 * np.sin(2 * np.pi * hz * DT_S * np.arange(2001) + 0.4)[None].astype("f4")
    inside = slice(700, 1300)
    assert np.abs(flowed(sill, tmp_path, file_of(rows), "attribute frequency").samples()[0, inside] - hz).max() < 0.02 * hz
    assert np.abs(flowed(sill, tmp_path, file_of(rows), "envelope").samples()[0, inside] - 7).max() < 0.2


@pytest.mark.parametrize("do", ["envelope", "attribute frequency", "phase 30deg", "notch 50Hz zerophase", "despike 100ms factor=2"])
def test_ranks_and_threads_make_the_same_bytes(sill, tmp_path, do):
    rows = np.random.default_rng(9).standard_normal((37, 150)).astype("f4")
    want = flowed(sill, tmp_path, file_of(rows), do).to_bytes()
    for ranks, threads in [(1, 3), (2, 1), (3, 2)]:
        assert flowed(sill, tmp_path, file_of(rows), do, "--threads", str(threads), ranks=ranks).to_bytes() == want
    one = flowed(sill, tmp_path, file_of(rows[20:21]), do)
    np.testing.assert_array_equal(one.samples()[0], flowed(sill, tmp_path, file_of(rows), do).samples()[20])


def test_integers_need_a_format(sill, tmp_path):
    rows = np.rint(1e4 * np.random.default_rng(1).standard_normal((5, 100)))
    path = file_of(rows, code=2).write(tmp_path / "in.sgy")
    assert "--sample-format" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "attribute phase", expect=2).err
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "envelope")
    assert "angle" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "phase", expect=2).err
