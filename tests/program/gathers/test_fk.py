"""`fk` beside a two-dimensional transform of NumPy, and on dipping events."""

import numpy as np
import pytest
from flow_cases import DT_S, fast_length, file_of, flowed, ricker


def weights(p, low, high, taper, dip, removes):
    inside = np.ones_like(p)
    min_slowness, max_slowness = 1 / high, 1 / low if low > 0 else np.inf
    size = np.abs(p)
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = np.where(size < min_slowness, (min_slowness - size) / min_slowness, np.where(size > max_slowness, (size - max_slowness) / max_slowness, 0))
    inside = np.where(beyond == 0, 1, np.maximum(0, 1 - beyond / taper) if taper else 0)
    if dip == "positive":
        inside = np.where(p > 0, inside, 0)
    if dip == "negative":
        inside = np.where((p > 0) | (p == 0), 0, inside)
    if dip != "both":
        inside = np.where(p == 0, 0 if dip == "positive" else inside, inside)
    return 1 - inside if removes else inside


def expected(rows, spacing, low, high, taper=0.2, dip="both", removes=True):
    n, samples = rows.shape
    length, across = fast_length(2 * samples), fast_length(2 * n)
    spectrum = np.fft.fft(np.fft.rfft(rows.astype("f8"), length, axis=1), across, axis=0)
    f = np.fft.rfftfreq(length, DT_S)[None]
    k = np.fft.fftfreq(across, spacing)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(k == 0, 0.0, -k / f)
    w = weights(p, low, high, taper, dip, removes)
    other = weights(-p, low, high, taper, dip, removes)
    middle = across // 2
    w[middle] = 0.5 * (w[middle] + other[middle])
    return np.fft.irfft(np.fft.ifft(spectrum * w, axis=0)[:n], length, axis=1)[:, :samples]


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize(
    ("steps", "how"),
    [
        ("remove velocities=0m/s-1500m/s", {"low": 0, "high": 1500}),
        ("keep velocities=1000m/s-3000m/s taper=50%", {"low": 1000, "high": 3000, "taper": 0.5, "removes": False}),
        ("keep velocities=0m/s-2km/s dip=positive", {"low": 0, "high": 2000, "dip": "positive", "removes": False}),
        ("remove velocities=900m/s-2km/s taper=0%", {"low": 900, "high": 2000, "taper": 0}),
    ],
)
def test_is_the_weight_of_slownesses(sill, tmp_path, steps, how, ranks):
    rows = np.random.default_rng(1).standard_normal((2 * 23, 300)).astype("f4")
    file = file_of(rows, cdp=np.repeat([1, 2], 23), offset=np.tile(100 + 25 * np.arange(23), 2))
    found = flowed(sill, tmp_path, file, f"fk {steps} by=cdp", ranks=ranks).samples().reshape(2, 23, 300)
    for g in range(2):
        wanted = expected(rows[23 * g : 23 * g + 23], 25.0, **how)
        assert np.abs(found[g] - wanted).max() < 2e-5 * np.abs(wanted).max()


def dipping(slowness, t0, traces=48, spacing=10.0, samples=500):
    times = DT_S * np.arange(samples)[None] - t0 - slowness * spacing * np.arange(traces)[:, None]
    return ricker(times)


def test_ground_roll_leaves_and_reflections_stay(sill, tmp_path):
    reflection = dipping(1 / 6000, 0.4) + dipping(0, 0.7)
    roll = dipping(1 / 900, 0.15)
    file = file_of((reflection + roll).astype("f4"), fldr=1, offset=10 * np.arange(48))
    found = flowed(sill, tmp_path, file, "fk remove velocities=0m/s-1500m/s by=fldr").samples()
    inner = slice(6, 42)
    assert np.sqrt(np.mean((found - reflection)[inner] ** 2)) < 0.12 * np.sqrt(np.mean(reflection[inner] ** 2))
    # Against the direction it stays.
    back = flowed(sill, tmp_path, file, "fk remove velocities=0m/s-1500m/s dip=negative by=fldr").samples()
    assert np.sqrt(np.mean((back - reflection - roll)[inner] ** 2)) < 0.15 * np.sqrt(np.mean(roll[inner] ** 2))
    # Offsets that descend turn the direction, too.
    turned = file_of((reflection + roll)[::-1].astype("f4"), fldr=1, offset=10 * np.arange(48)[::-1])
    again = flowed(sill, tmp_path, turned, "fk remove velocities=0m/s-1500m/s dip=positive by=fldr").samples()[::-1]
    straight = flowed(sill, tmp_path, file, "fk remove velocities=0m/s-1500m/s dip=positive by=fldr").samples()
    assert np.abs(again - straight).max() < 1e-5


def test_uneven_offsets_are_refused(sill, tmp_path):
    offsets = 10 * np.arange(12)
    offsets[5] = 57
    path = file_of(np.ones((12, 50), "f4"), offset=offsets, fldr=1).write(tmp_path / "in.sgy")
    error = sill.run(
        "flow", path, "-o", tmp_path / "o.sgy", "--do", "fk remove velocities=0m/s-1500m/s by=fldr", expect=3
    ).err
    assert "trace:  6" in error and "spacing=" in error
    sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "fk remove velocities=0m/s-1500m/s spacing=10m by=fldr")


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ("fk velocities=0m/s-1500m/s by=cdp", "task"),
        ("fk remove velocities=1500m/s by=cdp", "range"),
        ("fk remove velocities=0m/s-1km/s,2km/s-3km/s by=cdp", "one range"),
        ("fk remove velocities=0m/s-1km/s taper=120% by=cdp", "taper"),
        ("fk remove velocities=0m/s-1km/s spacing=0m by=cdp", "spacing"),
    ],
)
def test_wrong_arguments(sill, tmp_path, steps, text):
    path = file_of(np.ones((3, 50), "f4")).write(tmp_path / "in.sgy")
    assert text in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err
