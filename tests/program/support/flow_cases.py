"""Traces of every kind that an operation may meet, in one file, and flows over them."""

import numpy as np
import segy_files

DT_S = 0.002


def kinds(samples=501, seed=3) -> np.ndarray:
    """Rows: noise, small noise behind a spike, zeros at both ends, zeros inside, dead, constant, one sample, a sine."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((8, samples)).astype(np.float32)
    rows[1] *= 1e-3
    rows[1, samples // 3] = 1e6
    rows[2, : samples // 5] = 0
    rows[2, -(samples // 7) :] = 0
    rows[3, samples // 2 : samples // 2 + samples // 4] = 0
    rows[4] = 0
    rows[5] = 2.5
    rows[6] = 0
    rows[6, samples // 2] = -3
    rows[7] = np.sin(np.arange(samples) * 0.3)
    return rows


def file_of(rows, *, code=5, order="big", delay_ms=0, dt_us=2000, **words) -> segy_files.Segy:
    rows = np.asarray(rows)
    file = segy_files.make(len(rows), rows.shape[1], code=code, order=order, interval_us=dt_us)
    file.put_word("delrt", delay_ms)
    for name, values in words.items():
        file.put_word(name, values)
    return file.put_samples(rows)


def flowed(sill, folder, file, steps, *options, ranks=None, name="out.sgy") -> segy_files.Segy:
    """What `sill flow --do STEPS` makes of a file."""
    path = file.write(folder / "in.sgy")
    sill.run("flow", path, "-o", folder / name, "--do", steps, *options, ranks=ranks)
    return segy_files.read(folder / name, order=file.order)


def fast_length(samples):
    """The smallest even number from `samples` on without prime factors but 2, 3 and 5."""
    while True:
        rest = samples
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1 and samples % 2 == 0:
            return samples
        samples += 1


def ricker(t, hz=25.0):
    a = (np.pi * hz * t) ** 2
    return (1 - 2 * a) * np.exp(-a)
