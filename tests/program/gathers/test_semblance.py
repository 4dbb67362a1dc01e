"""`semblance` against its definition, of gathers whose samples are known at any time."""

import numpy as np
import png_files
import pytest
import segy_files
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
        assert np.abs(found - want)[is_signal].max() < 0.002
        assert found.min() >= 0 and found.max() < 1 + 1e-6


class BandLimited:
    """Traces of many waves up to a share of the Nyquist frequency, and of waves with the moveout of one velocity: known at any
    time. They begin and end gradually, so that no interpolation needs samples outside."""

    samples, waves = 600, 120

    def __init__(self, share, delays_ms):
        random = np.random.default_rng(4)
        self.starts = np.asarray(delays_ms) / 1000
        self.own, self.common = (random.uniform(0, np.pi * share / DT_S, (n, self.waves)) for n in (len(self.starts), 1))
        self.phases = random.uniform(0, 2 * np.pi, (len(self.starts) + 1, self.waves))

    def at(self, i, t):
        from_end = np.minimum(t - self.starts[i], self.starts[i] + DT_S * (self.samples - 1) - t) / (60 * DT_S)
        waves = np.cos(np.outer(t, self.own[i]) + self.phases[i]).sum(axis=1)
        flat = np.cos(np.outer(t - OFFSETS[i] / 9000, self.common[0]) + self.phases[-1]).sum(axis=1)
        return (waves + 2 * flat) * np.sin(np.pi / 2 * np.clip(from_end, 0, 1)) ** 4

    def semblance(self, v, half, stretch):
        t = self.starts[0] + DT_S * np.arange(self.samples)
        total, squares, fold = np.zeros((3, len(t)))
        for i, start in enumerate(self.starts):
            moved = np.sqrt(t**2 + (OFFSETS[i] / v) ** 2)
            sample = (moved - start) / DT_S
            takes = (sample > -1e-6) & (sample < self.samples - 1 + 1e-6) & (moved <= (1 + stretch) * t)
            x = np.where(takes, self.at(i, moved), 0.0)
            total, squares, fold = total + x, squares + x * x, fold + takes
        gate = np.ones(2 * half + 1)
        energy = np.convolve(fold * squares, gate, "same")
        is_signal = energy > 1e-3 * energy.max()
        return np.convolve(total**2, gate, "same")[is_signal] / energy[is_signal], is_signal


@pytest.mark.parametrize("share, tolerance", [(0.3, 1e-4), (0.6, 1e-4), (0.8, 5e-3)])  # the sinc itself errs from 0.7 on
@pytest.mark.parametrize("delays_ms", [[0] * 10, [120, 7, 0, 55, 131, 40, 12, 90, 3, 200]])
def test_values_of_band_limited_traces(sill, tmp_path, share, tolerance, delays_ms):
    traces = BandLimited(share, delays_ms)
    times = [start + DT_S * np.arange(traces.samples) for start in traces.starts]
    rows = np.array([traces.at(i, t) for i, t in enumerate(times)], "f4")
    rows[:, [0, -1]] = 1e-30  # all samples are live
    file = file_of(rows, cdp=3, offset=OFFSETS, trid=1, delay_ms=np.array(delays_ms))
    found = flowed(sill, tmp_path, file, "semblance from=1500m/s to=3km/s step=300m/s gate=20ms stretch=60% by=cdp").samples()
    for panel, v in zip(found, range(1500, 3001, 300)):
        want, is_signal = traces.semblance(v, 5, 0.6)
        assert is_signal.sum() > 300
        assert np.abs(panel[is_signal] - want).max() < tolerance


def test_events_have_their_velocities(sill, tmp_path):
    out = flowed(sill, tmp_path, survey(), "semblance from=1500m/s to=3km/s step=50m/s by=cdp").samples()
    for t0, v, _ in EVENTS:
        assert 1500 + 50 * out[:, round(t0 / DT_S)].argmax() == pytest.approx(v, abs=50)


def test_first_and_last_samples_are_used(sill, tmp_path):
    # The time of a sample without moveout is that of the sample, however times of the delays are rounded.
    for delay_ms in (0, 6, 27, 62, 72, 96, -36):
        file = file_of(np.ones((2, 7), "f4"), cdp=3, offset=0, trid=1, delay_ms=delay_ms, dt_us=4000)
        out = flowed(sill, tmp_path, file, "semblance from=2km/s to=2km/s step=1m/s gate=0ms by=cdp").samples()[0]
        assert np.array_equal(out, delay_ms + 4 * np.arange(7) >= 0), delay_ms


def test_dead_and_auxiliary_traces(sill, tmp_path):
    file = survey()
    file.put_word("trid", [1, 1, 2, 1, 4, 1, 1, 1, 1, 1])
    out = flowed(sill, tmp_path, file, "semblance from=1800m/s to=1800m/s step=1m/s by=cdp").samples()[0]
    want, energy = semblance(DT_S * np.arange(500), 1800.0, 10, members=[0, 1, 3, 5, 6, 7, 8, 9])
    assert np.abs(out - want)[energy > 0.2].max() < 0.002
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


@pytest.mark.parametrize("ranks", [None, 3])
def test_picks_are_the_largest_of_each_piece(sill, tmp_path, ranks):
    rows = np.random.default_rng(5).standard_normal((3 * 12, 400)).astype("f4")
    file = file_of(rows, cdp=np.repeat([30, 10, 20], 12), offset=np.tile(np.arange(12) * 20, 3))
    table = tmp_path / "picks.csv"
    steps = f"semblance from=1500m/s to=2500m/s step=100m/s by=cdp picks={table} every=100ms least=12%"
    panels = flowed(sill, tmp_path, file, steps, ranks=ranks).samples().reshape(3, 11, 400)
    expected = []
    for g in range(3):
        for first in range(0, 400, 50):
            piece = panels[g, :, first : first + 50]
            v, s = np.unravel_index(piece.argmax(), piece.shape)
            if piece[v, s] >= 0.12:
                expected.append([10 * (g + 1), 0.002 * (first + s), 1500 + 100 * v])
    lines = table.read_text().splitlines()
    assert lines[0] == "cdp,time_s,velocity_m/s" and len(lines) > 3
    assert np.allclose([[float(x) for x in line.split(",")] for line in lines[1:]], expected)


def test_velocities_found_flatten_a_gather(sill, tmp_path):
    offsets = np.arange(40) * 50.0
    times = 0.002 * np.arange(1000)
    rows = np.zeros((40, 1000))
    for t0, v in ((0.4, 1800), (0.9, 2200), (1.5, 2600)):
        a = (np.pi * 25 * (times - np.sqrt(t0**2 + (offsets / v) ** 2)[:, None])) ** 2
        rows += (1 - 2 * a) * np.exp(-a)
    rows += 0.05 * np.random.default_rng(1).standard_normal(rows.shape)
    source = file_of(rows.astype("f4"), cdp=7, offset=offsets.astype(int)).write(tmp_path / "cmp.sgy")
    picks = tmp_path / "picks.csv"
    sill.run("velan", source, "-o", tmp_path / "p.sgy", "--by", "cdp", "--from", "1500m/s", "--to", "3000m/s", "--step",
             "25m/s", "--picks", picks, "--least", "60%", "--stretch", "50%")
    found = np.array([[float(x) for x in line.split(",")] for line in picks.read_text().splitlines()[1:]])
    for t0, v in ((0.4, 1800), (0.9, 2200), (1.5, 2600)):
        nearest = found[np.abs(found[:, 1] - t0).argmin()]
        assert abs(nearest[1] - t0) <= 0.02 and abs(nearest[2] - v) <= 50
    sill.run("flow", source, "-o", tmp_path / "s.sgy", "--do", f"nmo velocity=@{picks} stretch=50%; stack by=cdp")
    stacked = segy_files.read(tmp_path / "s.sgy").samples()[0]
    for t0 in (0.4, 0.9, 1.5):
        assert stacked[int(t0 / 0.002)] > 0.9
    for name in ("p.png", "p.html", "p.svg"):
        sill.run("view", tmp_path / "p.sgy", "-o", tmp_path / name, "--picks", picks)
        sill.run("view", tmp_path / "p.sgy", "-o", tmp_path / ("plain_" + name))
        assert (tmp_path / name).read_bytes() != (tmp_path / ("plain_" + name)).read_bytes()
    pixels = png_files.decode((tmp_path / "p.png").read_bytes()).astype(int)
    assert (np.abs(pixels[..., :3] - [30, 90, 230]).max(axis=-1) == 0).sum() > 200
    (tmp_path / "far.csv").write_text("0,9000\n")
    error = sill.run("view", tmp_path / "p.sgy", "-o", tmp_path / "w.png", "--picks", tmp_path / "far.csv", expect=2).err
    assert "none of the velocities" in error
    assert "picks are a table" in sill.run("view", source, "-o", tmp_path / "w.png", "--picks", source, expect=2).err


def test_picks_need_one_key(sill, tmp_path):
    source = file_of(np.ones((4, 50), "f4")).write(tmp_path / "in.sgy")
    for more, text in (("by=cdp,fldr picks=p.csv", "one location"), ("by=cdp every=1s", "needs picks="), ("by=cdp picks=p", "csv")):
        steps = f"semblance from=1500m/s to=2500m/s step=100m/s {more}"
        assert text in sill.run("flow", source, "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err
