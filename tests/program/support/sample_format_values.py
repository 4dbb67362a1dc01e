"""Samples as surveys hold them, by kind: what a wrong sample format is to be recognized in."""

import numpy as np
import segy_files


def _noise(random, traces, samples, period=8.0):
    """Band-limited noise of a root mean square of about one."""
    reach = int(6 * period)
    time = np.arange(-reach, reach + 1) / period
    wavelet = (1 - 2 * (np.pi * time) ** 2) * np.exp(-((np.pi * time) ** 2))
    wavelet /= np.sqrt(np.sum(wavelet**2))
    spikes = random.normal(size=(traces, samples + 2 * reach))
    length = spikes.shape[1] + len(wavelet) - 1
    filtered = np.fft.irfft(np.fft.rfft(spikes, length) * np.fft.rfft(wavelet, length), length)
    return filtered[:, 2 * reach : 2 * reach + samples]


def _reflections(random, traces, samples):
    """Sparse reflectivity times a wavelet, decaying, over weak noise."""
    layers = np.where(random.random(samples) < 0.05, random.laplace(size=samples), 0.0)
    shifts = random.integers(0, 4, traces)
    spikes = np.stack([np.roll(layers, shift) for shift in shifts]) * (1 + 0.1 * random.normal(size=(traces, 1)))
    time = np.arange(-30, 31) / 9.0
    wavelet = (1 - 2 * (np.pi * time) ** 2) * np.exp(-((np.pi * time) ** 2))
    filtered = np.stack([np.convolve(row, wavelet, "same") for row in spikes])
    decay = 1.0 / (1.0 + 20.0 * np.arange(samples) / samples) ** 2
    return filtered * decay + 1e-5 * random.normal(size=(traces, samples))


def _levelled(values, window=50):
    """Automatic gain control."""
    power = np.stack([np.convolve(row**2, np.ones(window) / window, "same") for row in values])
    return values / np.sqrt(power + 1e-12)


def _muted(random, values):
    first = random.integers(0, values.shape[1], size=(len(values), 1))
    return np.where(np.arange(values.shape[1]) < first, 0.0, values)


def _velocities(random, traces, samples, lowest, highest):
    """Layers, thicker with depth, that vary smoothly from trace to trace."""
    tops = np.sort(random.integers(1, samples, 12))
    steps = np.sort(random.uniform(lowest, highest, 13))
    profile = steps[np.searchsorted(tops, np.arange(samples), side="right")]
    trend = np.sin(np.linspace(0, 3, traces))[:, None] * 0.02 * (highest - lowest)
    return np.clip(profile[None, :] + trend, lowest, highest)


FLOATS = {
    "band-limited noise": lambda r, t, s: 1000.0 * _noise(r, t, s),
    "band-limited noise, tiny (1e-9)": lambda r, t, s: 1e-9 * _noise(r, t, s),
    "reflections, decaying": lambda r, t, s: 1e4 * _reflections(r, t, s),
    "the same after gain control": lambda r, t, s: _levelled(_reflections(r, t, s)),
    "noise, muted at the beginning": lambda r, t, s: _muted(r, 50.0 * _noise(r, t, s)),
    "24-bit counts times a constant": lambda r, t, s: np.rint(2e5 * _noise(r, t, s)) * 1.7e-7,
    "16-bit counts as floats": lambda r, t, s: np.rint(3000.0 * _noise(r, t, s)),
    "values rounded to 0.01": lambda r, t, s: np.rint(1e4 * _noise(r, t, s)) / 100.0,
    "velocities, 1500 to 5500": lambda r, t, s: _velocities(r, t, s, 1500.0, 5500.0) + 5.0 * _noise(r, t, s, 40.0),
    "the same, rounded to 1": lambda r, t, s: np.rint(_velocities(r, t, s, 1500.0, 5500.0)),
    "attribute, 0 to 1": lambda r, t, s: np.abs(np.tanh(_noise(r, t, s, 20.0))),
    "angles, -180 to 180": lambda r, t, s: np.degrees(np.arctan2(_noise(r, t, s), _noise(r, t, s))),
    "velocities in one octave": lambda r, t, s: _velocities(r, t, s, 1500.0, 2000.0) + 2.0 * _noise(r, t, s, 40.0),
    "8-bit counts as floats": lambda r, t, s: np.clip(np.rint(40.0 * _noise(r, t, s)), -128, 127),
}

INTEGERS = {
    "24-bit counts": lambda r, t, s: np.clip(np.rint(5e5 * _noise(r, t, s)), -(2**23), 2**23 - 1),
    "24-bit counts, left-justified": lambda r, t, s: 256 * np.clip(np.rint(5e5 * _noise(r, t, s)), -(2**23), 2**23 - 1),
    "16-bit counts": lambda r, t, s: np.clip(np.rint(3000.0 * _noise(r, t, s)), -(2**15), 2**15 - 1),
    "scaled to 31 bits": lambda r, t, s: np.clip(np.rint(4e8 * _noise(r, t, s)), -(2**31), 2**31 - 1),
}


def file_of(values, *, states: int, holds: int, swapped: bool = False, order: str = "big") -> segy_files.Segy:
    """A file of `values` stored in format `holds`, whose binary header states format `states`.

    Samples alone are `swapped`: in the other order than the headers.
    """
    traces, samples = values.shape
    other = {"big": "little", "little": "big"}[order]
    file = segy_files.make(traces, samples, code=states, order=order)
    stored = segy_files.encode(values, segy_files.SAMPLE_TYPES[holds], other if swapped else order)
    file.rows[:, 240:] = stored.reshape(traces, -1)
    return file
