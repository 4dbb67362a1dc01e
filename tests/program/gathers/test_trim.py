"""`trim` on gathers whose shifts are known."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed


def shifted(trace, samples):
    spectrum = np.fft.rfft(trace)
    return np.fft.irfft(spectrum * np.exp(-2j * np.pi * np.fft.rfftfreq(len(trace)) * samples), len(trace))


def gather(shifts, samples=600, seed=1):
    rng = np.random.default_rng(seed)
    signal = np.convolve(rng.standard_normal(samples), np.hanning(14), "same") * np.hanning(samples)
    return signal, np.array([shifted(signal, s) for s in shifts]).astype("f4")


@pytest.mark.parametrize("ranks", [1, 3])
def test_known_shifts_leave(sill, tmp_path, ranks):
    shifts = np.array([0, 1.3, -2.6, 0.5, 2.2, -1.4])
    gathers = [gather(shifts, seed=seed) for seed in range(4)]
    file = file_of(np.concatenate([rows for _, rows in gathers]), cdp=np.repeat([1, 2, 3, 4], 6), trid=1)
    file.put_word("trid", np.where(np.arange(24) == 9, 2, 1))
    out = flowed(sill, tmp_path, file, "trim limit=10ms by=cdp; trim limit=10ms by=cdp", ranks=ranks)
    found = out.samples().reshape(4, 6, -1)
    assert np.array_equal(found[1, 3], gathers[1][1][3]), "a dead trace stays"
    for g in range(4):
        live = [i for i in range(6) if (g, i) != (1, 3)]
        # All are where the mean was, which is not where the signal was.
        mean = found[g][live].mean(axis=0)
        for i in live:
            assert np.abs(found[g, i] - mean)[50:-50].max() < 0.03 * np.abs(mean).max()
        before = gathers[g][1][live]
        assert np.sum(mean**2) > 1.1 * np.sum(before.mean(axis=0) ** 2)


def test_the_window_and_the_limit(sill, tmp_path):
    signal, rows = gather([0, 0, 0, 0, 3])
    rows[4, 300:] = signal[300:]  # the window sees the early part alone
    file = file_of(rows, cdp=1, trid=1, delay_ms=100)
    out = flowed(sill, tmp_path, file, "trim limit=20ms window=100ms:600ms by=cdp").samples()
    assert np.abs(out[4, 50:250] - signal[50:250]).max() < 0.2 * np.abs(signal).max()
    assert np.abs(out[4, 350:550] - signal[353:553]).max() < 0.2 * np.abs(signal).max()
    path = file.write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "trim limit=2ms window=100ms:600ms by=cdp").out
    assert "traces shifted by the largest allowed shift" in said
    assert DT_S == 0.002


def test_a_limit_between_samples(sill, tmp_path):
    _, rows = gather([0] * 38 + [3.2, 5])
    path = file_of(rows, cdp=1, trid=1).write(tmp_path / "in.sgy")
    steps = "trim limit=7ms by=cdp"  # 3.5 samples
    assert "1 traces shifted by the largest" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps).out
    out = segy_files.read(tmp_path / "o.sgy").samples()
    for i, remains in ((38, 0.1), (39, 1.5)):
        want = shifted(rows[0], remains)
        assert np.abs(out[i] - want)[50:-50].max() < 0.05 * np.abs(want).max()


@pytest.mark.parametrize("wrong", ["trim by=cdp", "trim limit=0ms by=cdp", "trim limit=1ms by=cdp", "trim limit=9ms"])
def test_wrong_arguments(sill, tmp_path, wrong):
    path = file_of(gather([0, 1])[1]).write(tmp_path / "in.sgy")
    assert "trim" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", wrong, expect=2).err
