"""What is hard about operations that move samples in time: negative times, velocities that jump, numbers that are not
finite, muted tops, scalars, formats; against direct formulas in double. The common cases are in test_times.py."""

import numpy as np
import pytest
import scipy.optimize
from flow_cases import DT_S, file_of, flowed, kinds

SAMPLES = 301


def interpolated(row, places):
    """16 points of a sinc under a Kaiser window, zeros outside the trace."""
    k = np.floor(places).astype(int)[:, None] + np.arange(-7, 9)
    x = places[:, None] - k
    weights = np.sinc(x) * np.i0(8 * np.sqrt(np.clip(1 - (x / 8) ** 2, 0, None))) * (np.abs(x) <= 8)
    weights /= weights.sum(axis=1, keepdims=True)
    inside = (k >= 0) & (k < len(row))
    return (weights * inside * row[np.clip(k, 0, len(row) - 1)]).sum(axis=1)


def bits(rows):
    return np.asarray(rows, np.float32).view(np.uint32)


def test_whole_samples_are_copied(sill, tmp_path):
    """Whatever they are: minus zero, NaN and infinity, as bits; by shift, statics and lmo alike."""
    rows = kinds(60)
    rows[0, 20], rows[1, 31], rows[2, 30], rows[3, 29] = -0.0, np.nan, np.inf, -np.inf
    file = file_of(rows, offset=-30, sstat=6)
    keep = ("--nonfinite", "keep")
    for steps, by in (("shift 6ms", 3), ("shift -6.0000000001ms", -3), ("statics sstat", 3), ("lmo velocity=3km/s", -5),
                      ("lmo velocity=0.5km/s", -30), ("lmo velocity=0.25km/s", -60), ("shift 118ms", 59)):
        want = np.zeros_like(rows)
        want[:, max(0, by) : 60 + min(0, by)] = rows[:, max(0, -by) : 60 - max(0, by)]
        np.testing.assert_array_equal(bits(flowed(sill, tmp_path, file, steps, *keep).samples()), bits(want), steps)
    # A fraction reaches 8 samples around what is not finite, and no further.
    out = flowed(sill, tmp_path, file, "shift 1ms", *keep).samples()
    assert (~np.isfinite(out[1:4])).sum() == 3 * 16 and np.isfinite(out[[0, 4, 5, 6, 7]]).all()


def test_fractions_near_the_ends(sill, tmp_path):
    """Where a trace is left by its last samples, and of traces shorter than the 16 points."""
    for samples in (1, 2, 15, 40):
        beyond = samples + 8.5
        ends = [samples - 0.4, 0.4 - samples, samples + 6.5, -samples - 7.5, beyond, -beyond]
        by = np.array([0.5, -0.25, 7.3, -7.6, *ends])
        rows = np.repeat(kinds(samples, seed=samples), len(by), axis=0)
        by = np.tile(by, 8)
        file = file_of(rows, sstat=np.round(by * 200).astype(int)).put(215, "i2", -100)
        out = flowed(sill, tmp_path, file, "statics sstat").samples()
        for row, got, s in zip(rows, out, by, strict=True):
            want = interpolated(row.astype(float), np.arange(samples) - s)
            np.testing.assert_allclose(got, want, atol=1e-3 * np.abs(row).max() + 1e-12, err_msg=f"{samples} by {s}")
        assert not out[np.abs(by) == beyond].any()


def corrected(row, t0, x, velocity, slope, limit=np.inf):
    """nmo with derivative rule: the trace, and the number of samples down to the deepest that is muted."""
    t = np.sqrt(t0**2 + (x / velocity) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(t > 0, (t0 - x**2 * slope / velocity**3) / t, 1)
        muted = (change <= 0) | (1 / change - 1 > limit)
    muted[:-1] |= t[1:] <= t[:-1]
    first = np.flatnonzero(muted)[-1] + 1 if muted.any() else 0
    out = interpolated(row.astype(float), (t - t0[0]) / DT_S)
    out[:first] = 0
    return out, first


def test_negative_times(sill, tmp_path):
    """Before time 0, t(t0) falls: without an offset, too, nothing is taken from positive times."""
    random = np.random.default_rng(1)
    rows = random.standard_normal((5, SAMPLES)).astype(np.float32)
    delays, offsets = np.array([-100, -100, -100, 40, -601]), np.array([0, 10, 500, 0, 0])
    file = file_of(rows, delay_ms=delays, offset=offsets)
    out = flowed(sill, tmp_path, file, "nmo velocity=2km/s").samples()
    firsts = []
    for i, (delay, x) in enumerate(zip(delays, offsets, strict=True)):
        t0 = np.round(delay * 1e-3 + np.arange(SAMPLES) * DT_S, 9)
        want, first = corrected(rows[i], t0, x, np.full(SAMPLES, 2000.0), 0)
        np.testing.assert_allclose(out[i], want, atol=5e-3)
        assert not out[i, :first].any()
        firsts.append(first)
    assert firsts == [50, 51, 51, 0, 301]
    np.testing.assert_array_equal(out[0, 50:], rows[0, 50:])
    np.testing.assert_array_equal(out[3], rows[3])


@pytest.mark.parametrize("last", [150, 510, 511, 512, 1023])
def test_velocities_that_jump(sill, tmp_path, last):
    """From one sample to the next velocities rise so much that t(t0) falls, though not at any sample."""
    samples = 1300
    random = np.random.default_rng(2)
    row = random.standard_normal((1, samples)).astype(np.float32)
    table = tmp_path / "v.csv"
    time = last * DT_S + 0.0011
    table.write_text(f"# a salt body\ntime_s, velocity\n{time:.4f},1500\n{time + 0.0001:.4f},4000\n")
    t0 = np.arange(samples) * DT_S
    velocity = np.where(t0 < time, 1500.0, 4000.0)
    out = flowed(sill, tmp_path, file_of(row, offset=300), f"nmo velocity=@{table}").samples()[0]
    want, first = corrected(row[0], t0, 300, velocity, 0)
    assert first == last + 1
    assert not out[:first].any()
    np.testing.assert_allclose(out, want, atol=5e-3)


def test_mutes_that_end_anywhere(sill, tmp_path):
    """A stretch of 30 % mutes the first N samples of each trace, N being anything, of traces of many lengths."""
    velocity, limit = 2000.0, 0.3
    random = np.random.default_rng(6)
    for samples in (1, 511, 512, 513, 1024, 1025, 1537):
        wanted = np.array([n for n in (0, 1, 16, 510, 511, 512, 513, 1023, 1024, 1025, 1536) if n < samples])
        offsets = np.round((wanted - 0.5) * DT_S * velocity * np.sqrt((1 + limit) ** 2 - 1)).astype(int)
        rows = random.standard_normal((len(wanted), samples)).astype(np.float32)
        out = flowed(sill, tmp_path, file_of(rows, offset=offsets), "nmo velocity=2km/s stretch=30%").samples()
        t0 = np.arange(samples) * DT_S
        for row, got, x, n in zip(rows, out, np.abs(offsets), wanted, strict=True):
            want, first = corrected(row, t0, x, np.full(samples, velocity), 0, limit)
            assert first == (n or min(1, samples)) and not got[:first].any()
            np.testing.assert_allclose(got, want, atol=5e-3)


@pytest.mark.parametrize("limit", [None, 20, 100])
def test_fields_and_stretch(sill, tmp_path, limit):
    """Locations between those of the table and beyond them, in any order, each with times of its own."""
    random = np.random.default_rng(3)
    locations = {40: 1, 7: 5, 19: 12, 30: 3}
    points = {}
    text = "location,time_s,velocity\r\n"
    for location, count in locations.items():
        times = np.sort(np.round(random.uniform(-0.1, 0.9, count), 4))
        points[location] = (times, np.round(1500 + 900 * np.clip(times, 0, None) + random.uniform(0, 60, count), 1))
        text += "".join(f"{location},{t},{v}\r\n" for t, v in zip(*points[location], strict=True))
    (tmp_path / "v.csv").write_text(text)
    cdp = np.array([1, 7, 8, 13, 19, 22, 30, 39, 40, 99])
    offsets = np.array([100, 200, -300, 400, 500, 600, 700, -800, 900, 1000])
    rows = random.standard_normal((len(cdp), SAMPLES)).astype(np.float32)
    steps = f"nmo velocity=@{tmp_path}/v.csv location=xline ramp=9ms shape=cosine2"
    if limit:
        steps += f" stretch={limit}%"
    out = flowed(sill, tmp_path, file_of(rows, offset=offsets, xline=cdp), steps).samples()
    t0 = np.arange(SAMPLES) * DT_S
    known = np.array(sorted(points))
    for i, (location, x) in enumerate(zip(cdp, offsets, strict=True)):
        share = np.array([np.interp(location, known, np.eye(len(known))[k]) for k in range(len(known))])
        velocity = sum(w * np.interp(t0, *points[k]) for w, k in zip(share, known, strict=True))
        slope = np.zeros(SAMPLES)
        for w, k in zip(share, known, strict=True):
            times, values = points[k]
            at = np.searchsorted(times, t0, side="right")
            inside = (at > 0) & (at < len(times))
            slope[inside] += w * (np.diff(values) / np.diff(times))[at[inside] - 1]
        want, first = corrected(rows[i], t0, abs(x), velocity, slope, limit / 100 if limit else np.inf)
        u = np.clip((np.arange(SAMPLES) - first + 1) / 4.5, 0, 1)
        want *= (1 - np.cos(np.pi * u)) / 2
        assert first > 0 and not out[i, :first].any()
        np.testing.assert_allclose(out[i], want, atol=6e-3)


def test_inverse_finds_times(sill, tmp_path):
    """t0(t) by a root finder, with gradients that bend within a sample; behind the last sample, too."""
    random = np.random.default_rng(4)
    offsets = np.array([0, 150, 400, 700, 1500])
    rows = random.standard_normal((5, SAMPLES)).astype(np.float32)
    times, velocities = np.array([0.1, 0.2513, 0.4331, 0.8]), np.array([1500.0, 1520, 2300, 2400])
    (tmp_path / "v.csv").write_text("t0_s,vrms\n" + "".join(f"{t},{v}\n" for t, v in zip(times, velocities, strict=True)))
    out = flowed(sill, tmp_path, file_of(rows, offset=offsets), f"nmo velocity=@{tmp_path}/v.csv inverse").samples()
    t0 = np.arange(SAMPLES) * DT_S
    np.testing.assert_array_equal(out[0], rows[0])
    for row, got, x in zip(rows[1:], out[1:], offsets[1:], strict=True):

        def time_of(t, x=x):
            return np.hypot(t, x / np.interp(t, times, velocities))

        velocity = np.interp(t0, times, velocities)
        at = np.searchsorted(times, t0, side="right")
        slope = np.concatenate([[0], np.diff(velocities) / np.diff(times), [0]])[at]
        _, first = corrected(row, t0, x, velocity, slope)
        want = np.zeros(SAMPLES)
        for i, t in enumerate(t0):
            if time_of(t0[first]) > t + 1e-12 or time_of(t0[-1] + 20 * DT_S) < t:
                continue
            ends = (t0[first] - 1e-9, t0[-1] + 20 * DT_S)
            root = scipy.optimize.brentq(lambda s, t=t: time_of(s) - t, *ends, xtol=1e-14)
            want[i] = interpolated(row.astype(float), np.array([root / DT_S]))[0]
        assert np.count_nonzero(want) > 10 or x == 1500
        np.testing.assert_allclose(got, want, atol=5e-3)


def test_statics_by_scalars(sill, tmp_path):
    """Bytes 215-216 count for the word that is read, and for tstat, to which the shift is added in its own unit."""
    rows = kinds(80)
    scalar = np.array([0, 1, 10, -10, -10, -1000, 10, 1])
    sstat = np.array([6, -6, 1, 25, 60, 4000, -1, 0])
    tstat = np.array([0, 2, 1, 5, 0, 0, 3, -7])
    ms_per_count = np.array([1, 1, 10, 0.1, 0.1, 0.001, 10, 1])
    file = file_of(rows, sstat=sstat, tstat=tstat).put(215, "i2", scalar)
    out = flowed(sill, tmp_path, file, "statics sstat again")
    np.testing.assert_array_equal(out.word("tstat"), tstat + sstat)
    for row, got, by in zip(rows, out.samples(), sstat * ms_per_count / 2, strict=True):
        want = interpolated(row.astype(float), np.arange(80) - by)
        np.testing.assert_allclose(got, want, atol=3e-4 * np.abs(row).max() + 1e-12)


@pytest.mark.parametrize("to_us", [500, 1999, 2001, 3000, 5000, 30000])
def test_resample_by_its_formula(sill, tmp_path, to_us):
    """All of the traces, their ends included."""
    samples = 151
    rows = kinds(samples)
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=-30), f"resample {to_us}us")
    coarser = max(1, to_us / 2000)
    beta, half_width = 0.1102 * (106 - 8.7), 0.5 * coarser * ((106 - 8) / (2.285 * 0.2 * np.pi) + 1)
    x = np.arange((samples - 1) * 2000 // to_us + 1)[:, None] * (to_us / 2000) - np.arange(-600, samples + 600)
    weights = np.sinc(0.9 / coarser * x) * np.i0(beta * np.sqrt(np.clip(1 - (x / half_width) ** 2, 0, None)))
    weights *= np.abs(x) <= half_width
    weights /= weights.sum(axis=1, keepdims=True)
    want = rows.astype(float) @ weights[:, 600:-600].T
    np.testing.assert_allclose(out.samples(), want, rtol=1e-6, atol=3e-7 * np.abs(rows).max(axis=1).max())
    np.testing.assert_allclose(out.samples()[[0, 2, 3, 5, 6, 7]], want[[0, 2, 3, 5, 6, 7]], rtol=1e-5, atol=1e-6)
    assert not out.samples()[4].any() and set(out.word("delrt")) == {-30}


def test_resample_keeps_what_fits(sill, tmp_path):
    """Response over the whole band: ripple 1e-5 up to 0.8 of the lower Nyquist, -60 dB from 1.0 on."""
    samples = 1201
    t = np.arange(samples) * DT_S
    for to_us, lower in ((4000, 125.0), (3000, 500 / 3), (1500, 250.0)):
        passed = lower * np.linspace(0.01, 0.8, 9)
        stopped = np.arange(lower, 250, 5.0) if lower < 250 else np.array([])
        hz = np.concatenate([passed, stopped])
        rows = np.concatenate([np.cos(2 * np.pi * hz[:, None] * t), np.sin(2 * np.pi * hz[:, None] * t)])
        got = flowed(sill, tmp_path, file_of(rows), f"resample {to_us}us").samples().astype(float)
        new = 2j * np.pi * hz[:, None] * (np.arange(got.shape[1]) * to_us * 1e-6)
        middle = slice(got.shape[1] // 4, -(got.shape[1] // 4))
        response = ((got[: len(hz)] + 1j * got[len(hz) :]) * np.exp(-new))[:, middle]
        assert np.abs(response[: len(passed)] - 1).max() < 1e-5
        if len(stopped):
            assert np.abs(response[len(passed) :]).max() < 1e-3


@pytest.mark.parametrize(("code", "order"), [(2, "big"), (3, "little"), (1, "big")])
def test_formats(sill, tmp_path, code, order):
    """Integers are rounded once, at the end; IBM floats to their precision."""
    rows = np.round(1000 * np.sin(np.arange(6)[:, None] + np.arange(90) * np.linspace(0.1, 1.2, 6)[:, None]))
    file = file_of(rows, code=code, order=order, offset=np.arange(6) * 40, sstat=3)
    steps = "nmo velocity=2km/s; statics sstat; lmo velocity=6km/s; resample 3ms"
    got = flowed(sill, tmp_path, file, steps)
    want = flowed(sill, tmp_path, file_of(rows, offset=np.arange(6) * 40, sstat=3), steps, name="floats.sgy").samples()
    assert got.code == code and np.abs(want).max() > 900
    np.testing.assert_allclose(got.samples(), np.round(want) if code != 1 else want, rtol=1e-6, atol=2e-3)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("nmo velocity=2km/s location=nonsense", "unknown header word"),
        ("nmo velocity=2km/s rule=classic", "needs stretch="),
        ("nmo velocity=2km/s shape=sine", "needs ramp="),
        ("nmo velocity=2km/s inverse ramp=2ms", "does not mute"),
        ("nmo velocity=2km/s inverse stretch=30%", "does not mute"),
        ("nmo velocity=0km/s", "not positive"),
        ("nmo velocity=2000", "no unit"),
        ("nmo velocity=@TABLE", "'10,0.1,2O00' is not two or three numbers"),
        ("lmo velocity=-1km/s", "not positive"),
        ("shift 3", "no unit"),
        ("statics sstat sign=2", "sign is 1 or -1"),
    ],
)
def test_what_would_be_ignored_is_refused(sill, small, tmp_path, steps, reason):
    table = tmp_path / "v.csv"
    table.write_text("10,0.1,2O00\n10,0.2,2100\n")
    steps = steps.replace("TABLE", str(table))
    refused = sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=2)
    assert reason in refused.err and ("line:   1" in refused.err) == ("v.csv" in steps)
