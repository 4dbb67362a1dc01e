"""`fxdecon` against its definition in NumPy, and on dipping events in noise."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed
from scipy.linalg import toeplitz


def starts(count, length):
    found = [0]
    while found[-1] + length < count:
        found.append(min(found[-1] + max(1, length // 2), count - length))
    return found


def predicted(s, length, white):
    lags = np.array([np.sum(s[k:] * np.conj(s[: len(s) - k])) for k in range(length + 1)])
    if not lags[0].real > 0:
        return s
    column = lags[:length].copy()
    column[0] *= 1 + white
    a = np.linalg.solve(toeplitz(column), lags[1:])
    out = np.zeros_like(s)
    for x in range(len(s)):
        sides = []
        if x >= length:
            sides.append(sum(a[k] * s[x - 1 - k] for k in range(length)))
        if x + length < len(s):
            sides.append(sum(np.conj(a[k]) * s[x + 1 + k] for k in range(length)))
        out[x] = sum(sides) / len(sides)
    return out


def fxdecon(rows, length, traces, window, white=0.01):
    traces, window = min(traces, len(rows)), min(window, rows.shape[1])
    fft = window + window % 2
    while reduced(fft) != 1:
        fft += 2
    total, weights = np.zeros(rows.shape), np.zeros(rows.shape)
    hat = [np.minimum(np.arange(n) + 1, n - np.arange(n)) for n in (traces, window)]
    for x in starts(len(rows), traces):
        for t in starts(rows.shape[1], window):
            spectra = np.fft.rfft(rows[x : x + traces, t : t + window].astype("f8"), fft, axis=1)
            for k in range(spectra.shape[1]):
                spectra[:, k] = predicted(spectra[:, k], length, white)
            weight = np.outer(*hat)
            total[x : x + traces, t : t + window] += weight * np.fft.irfft(spectra, fft, axis=1)[:, :window]
            weights[x : x + traces, t : t + window] += weight
    return total / weights


def reduced(n):
    for prime in (2, 3, 5):
        while n % prime == 0:
            n //= prime
    return n


@pytest.mark.parametrize("count, samples", [(23, 150), (9, 61), (40, 100)])
@pytest.mark.parametrize("ranks", [1, 3])
def test_as_defined(sill, tmp_path, count, samples, ranks):
    rows = np.random.default_rng(1).standard_normal((2 * count, samples)).astype("f4")
    file = file_of(rows, cdp=np.repeat([1, 2], count), trid=1)
    out = flowed(sill, tmp_path, file, "fxdecon length=3 traces=10 window=100ms by=cdp", ranks=ranks).samples()
    for gather in (0, 1):
        part = slice(gather * count, gather * count + count)
        assert np.abs(out[part] - fxdecon(rows[part], 3, 10, 50)).max() < 1e-5


def test_dipping_events_stay_and_noise_leaves(sill, tmp_path):
    t = DT_S * np.arange(400)
    clean = np.zeros((48, 400))
    for tau, dip, amplitude in [(0.2, 0.002, 1.0), (0.5, -0.003, -0.8), (0.4, 0.0, 0.6)]:
        a = (np.pi * 30 * (t[None, :] - tau - dip * np.arange(48)[:, None])) ** 2
        clean += amplitude * (1 - 2 * a) * np.exp(-a)
    noisy = (clean + 0.3 * np.random.default_rng(2).standard_normal(clean.shape)).astype("f4")
    file = file_of(noisy, cdp=1, trid=1)
    out = flowed(sill, tmp_path, file, "fxdecon length=4 traces=24 window=200ms highest=100Hz by=cdp").samples()
    before, after = (np.sqrt(np.mean((x - clean) ** 2)) for x in (noisy, out))
    assert after < 0.5 * before, (before, after)


def test_dead_and_few_traces_and_mutes_stay(sill, tmp_path):
    rows = np.random.default_rng(3).standard_normal((40, 100)).astype("f4")
    rows[3] = 0
    rows[5, :20] = 0
    file = file_of(rows, cdp=np.where(np.arange(40) < 35, 1, 2), trid=np.where(np.arange(40) == 8, 2, 1))
    out = flowed(sill, tmp_path, file, "fxdecon length=4 by=cdp").samples()
    assert np.array_equal(out[[3, 8]], rows[[3, 8]]) and np.array_equal(out[35:], rows[35:])
    assert np.all(out[5, :20] == 0) and not np.any(out[4] == rows[4])


@pytest.mark.parametrize(
    "wrong", ["length=0", "length=10 traces=20", "window=2ms", "white=0%", "highest=0Hz", "traces=1"]
)
def test_wrong_arguments(sill, tmp_path, wrong):
    path = file_of(np.ones((30, 50)), cdp=1).write(tmp_path / "in.sgy")
    assert "fxdecon" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", f"fxdecon {wrong} by=cdp", expect=2).err
