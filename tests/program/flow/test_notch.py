"""`notch` against SciPy's iirnotch."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds
from scipy import signal


@pytest.mark.parametrize("hz, q", [(50, 30), (50, 3), (16.7, 10), (200, 5), (240, 1)])
def test_one_pass(sill, tmp_path, hz, q):
    rows = kinds(700)
    b, a = signal.iirnotch(hz, q, 1 / DT_S)
    rest = signal.lfilter_zi(b, a)
    want = [signal.lfilter(b, a, row.astype("f8"), zi=rest * row[0])[0] for row in rows]
    out = flowed(sill, tmp_path, file_of(rows), f"notch {hz} q={q}").samples()
    scale = np.maximum(np.abs(rows).max(axis=1), 1e-30)[:, None]
    assert (np.abs(out - want) / scale).max() < 1e-6


@pytest.mark.parametrize("hz, q", [(50, 10), (120, 4)])
def test_zero_phase(sill, tmp_path, hz, q):
    rows = np.random.default_rng(2).standard_normal((9, 4000)).astype("f4")
    b, a = signal.iirnotch(hz, q, 1 / DT_S)
    padding = int(np.ceil(np.log(1e-3) / np.log(np.abs(np.roots(a)).max())))
    want = signal.filtfilt(b, a, rows.astype("f8"), padlen=padding)
    out = flowed(sill, tmp_path, file_of(rows), f"notch {hz}Hz q={q} zerophase").samples()
    assert np.abs(out - want).max() < 1e-5


def test_the_frequency_is_gone_and_others_stay(sill, tmp_path):
    times = DT_S * np.arange(5000)
    rows = np.array([np.sin(2 * np.pi * hz * times) for hz in (50.0, 30.0, 0.0)]).astype("f4") + np.array([[0], [0], [4]])
    out = flowed(sill, tmp_path, file_of(rows), "notch 50 zerophase").samples()[:, 1500:3500]
    assert np.abs(out[0]).max() < 1e-3
    assert np.abs(out[1] - rows[1, 1500:3500]).max() < 0.02
    assert np.abs(out[2] - 4).max() < 1e-6


@pytest.mark.parametrize("wrong", ["notch 250", "notch 0", "notch 50 q=0.5", "notch"])
def test_wrong_numbers(sill, tmp_path, wrong):
    path = file_of(kinds(50)).write(tmp_path / "in.sgy")
    assert "notch" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", wrong, expect=2).err
