"""`semblance` against its definition, of gathers whose samples are known at any time."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed

OFFSETS = np.array([0, 120, 300, 510, 700, 950, 1100, 1300, 1420, 1600])
EVENTS = [(0.3, 1800.0, 1.0), (0.5, 2200.0, -0.8), (0.7, 2600.0, 0.6)]


def trace_at(t, offset):
    out = np.zeros_like(t)
    for t0, v, amplitude in EVENTS:
        a = (np.pi * 25 * (t - np.sqrt(t0**2 + (offset / v) ** 2))) ** 2
        out += amplitude * (1 - 2 * a) * np.exp(-a)
    return out


def survey(samples=500, delay_ms=0):
    t = DT_S * np.arange(samples) + delay_ms / 1000
    rows = np.array([trace_at(t, x) for x in OFFSETS]).astype("f4")
    rows += 1e-4 * np.random.default_rng(1).standard_normal(rows.shape).astype("f4")  # all samples are live
    return file_of(rows, cdp=3, offset=OFFSETS, trid=1, delay_ms=delay_ms)


def semblance(t, v, half, stretch=None, members=range(len(OFFSETS))):
    total, squares, fold = (np.zeros_like(t) for _ in range(3))
    for i in members:
        at = np.sqrt(t**2 + (OFFSETS[i] / v) ** 2)
        takes = (at >= t[0]) & (at <= t[-1])
        if stretch is not None:
            takes &= at <= (1 + stretch) * t
        x = np.where(takes, trace_at(at, OFFSETS[i]), 0.0)
        total += x
        squares += x * x
        fold += takes
    gate = np.ones(2 * half + 1)
    coherent, everything = np.convolve(total**2, gate, "same"), np.convolve(fold * squares, gate, "same")
    return np.divide(coherent, everything, out=np.zeros_like(t), where=everything > 0), everything


@pytest.mark.parametrize("delay_ms", [0, 100])
@pytest.mark.parametrize("stretch", [None, 0.5])
@pytest.mark.parametrize("ranks", [1, 3])
def test_as_defined(sill, tmp_path, delay_ms, stretch, ranks):
    more = "" if stretch is None else f" stretch={100 * stretch:g}%"
    file = survey(delay_ms=delay_ms)
    out = flowed(sill, tmp_path, file, "semblance from=1500m/s to=3km/s step=100m/s gate=40ms by=cdp" + more, ranks=ranks)
    velocities = np.arange(1500, 3001, 100)
    assert np.array_equal(out.word("offset"), velocities)
    assert np.array_equal(out.word("cdpt"), np.arange(16) + 1)
    assert np.all(out.word("cdp") == 3) and np.all(out.word("delrt") == delay_ms)
    t = DT_S * np.arange(500) + delay_ms / 1000
    for found, v in zip(out.samples(), velocities):
        want, energy = semblance(t, v, 10, stretch)
        is_signal = energy > 0.2
        assert is_signal.sum() > 60
        assert np.abs(found - want)[is_signal].max() < 0.01
        assert found.min() >= 0 and found.max() < 1 + 1e-6


def test_events_have_their_velocities(sill, tmp_path):
    out = flowed(sill, tmp_path, survey(), "semblance from=1500m/s to=3km/s step=50m/s by=cdp").samples()
    for t0, v, _ in EVENTS:
        assert 1500 + 50 * out[:, round(t0 / DT_S)].argmax() == pytest.approx(v, abs=50)


def test_dead_and_auxiliary_traces(sill, tmp_path):
    file = survey()
    file.put_word("trid", [1, 1, 2, 1, 4, 1, 1, 1, 1, 1])
    out = flowed(sill, tmp_path, file, "semblance from=1800m/s to=1800m/s step=1m/s by=cdp").samples()[0]
    want, energy = semblance(DT_S * np.arange(500), 1800.0, 10, members=[0, 1, 3, 5, 6, 7, 8, 9])
    assert np.abs(out - want)[energy > 0.2].max() < 0.01
    file.put_word("trid", 2)
    out = flowed(sill, tmp_path, file, "semblance from=1800m/s to=2km/s step=100m/s by=cdp")
    assert np.all(out.samples() == 0) and np.all(out.word("trid") == 2)


@pytest.mark.parametrize(
    "wrong",
    ["from=0m/s to=2km/s step=50m/s", "from=3km/s to=2km/s step=50m/s", "from=1km/s to=2km/s step=0m/s",
     "from=1km/s to=2km/s", "from=1km/s to=2km/s step=50m/s gate=-1ms", "from=1km/s to=2km/s step=50m/s stretch=0%"],
)  # fmt: skip
def test_wrong_arguments(sill, tmp_path, wrong):
    path = survey().write(tmp_path / "in.sgy")
    assert "semblance" in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", f"semblance {wrong} by=cdp", expect=2).err
