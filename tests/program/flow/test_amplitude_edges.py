"""Edge cases of operations on amplitudes, headers and windows: forms of samples, delays and their scalars, dead traces,
NaN, traces of one sample and long ones, windows beside traces and beside samples, several files."""

import re

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed, kinds


def close(out, want, atol=1e-7):
    scale = np.abs(want).max(axis=1, keepdims=True) + 1e-30
    np.testing.assert_allclose(out / scale, want / scale, rtol=1e-6, atol=atol)


def refused(sill, path, steps, *options, code=3, ranks=None):
    return sill.run("flow", path, "-o", path.parent / "no.sgy", "--do", steps, *options, ranks=ranks, expect=code).err


def live_part(row):
    at = np.flatnonzero(row)
    return slice(at[0], at[-1] + 1) if len(at) else slice(0, 0)


@pytest.mark.parametrize(("code", "order"), [(1, "big"), (1, "little"), (5, "little")])
def test_forms_of_floats(sill, tmp_path, code, order):
    rows = np.round(kinds(64) * 16) / 16
    rows[1, 21] = 4096
    delays = np.array([0, 8, 16, -20, 0, 4, 0, 1000])
    t = np.arange(64) * DT_S + delays[:, None] / 1000
    file = file_of(rows, code=code, order=order, delay_ms=delays)
    want = -rows * np.where(t > 0, t, 0) ** 1.5 * 2
    u = np.clip(np.arange(64) / 10, 0, 1)
    out = flowed(sill, tmp_path, file, "gain t=1.5 scale=2; polarity; taper 20ms")
    assert out.code == code
    np.testing.assert_allclose(out.samples(), want * u * u[::-1], rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize(("code", "lowest"), [(2, -(2**31)), (3, -(2**15)), (8, -128)])
def test_integers(sill, tmp_path, code, lowest):
    random = np.random.default_rng(5)
    rows = random.integers(-100, 101, (4, 51))
    rows[2] = 0
    rows[3, 4] = lowest
    file = file_of(rows, code=code)
    path = file.write(tmp_path / "in.sgy")
    for steps in ("gain scale=2", "normalize", "polarity; gain db=3dB"):
        assert "changes the scale of amplitudes" in refused(sill, path, steps, code=2)
    out = flowed(sill, tmp_path, file, "normalize rms target=50", "--sample-format", "ieee")
    live = np.maximum((rows != 0).sum(axis=1, keepdims=True), 1)
    rms = np.sqrt((rows.astype(float) ** 2).sum(axis=1, keepdims=True) / live)
    close(out.samples(), 50 * rows / np.where(rms == 0, 1, rms))
    centred = flowed(sill, tmp_path, file_of(rows[:3], code=code), "debias").samples().astype(float)
    for row, got in zip(rows[:3], centred, strict=True):
        part = live_part(row)
        want = row.astype(float)
        want[part] -= want[part].mean() if part.stop else 0
        np.testing.assert_allclose(got, want, atol=0.5001)
    path = file.write(tmp_path / "in.sgy")
    assert re.search(r"trace: +4\b", refused(sill, path, "polarity"))
    result = sill.run("flow", path, "-o", tmp_path / "p.sgy", "--do", "polarity", "--clip")
    turned = segy_files.read(tmp_path / "p.sgy").samples()
    np.testing.assert_array_equal(turned, np.minimum(-rows, -(lowest + 1)))
    assert re.search(r"clipped +1 samples", result.out)


def test_one_sample_and_many(sill, tmp_path):
    steps = "gain exp=2; debias; normalize max target=3; taper 1us"
    one = flowed(sill, tmp_path, file_of([[5.0], [0.0], [-2.0]], delay_ms=100), steps).samples()
    np.testing.assert_array_equal(one, 0)
    one = flowed(sill, tmp_path, file_of([[5.0], [0.0], [-2.0]]), "normalize rms target=3; polarity").samples()
    np.testing.assert_array_equal(one[:, 0], [-3, 0, 3])
    assert flowed(sill, tmp_path, file_of([[5.0], [7.0]]), "window 0ms 1ms").samples().tolist() == [[5], [7]]
    samples = 30_001
    rows = np.random.default_rng(1).standard_normal((2, samples)).astype(np.float32) + 1000
    out = flowed(sill, tmp_path, file_of(rows), "debias line").samples()
    x = np.arange(samples)
    want = [row - np.polyval(np.polyfit(x, row, 1), x) for row in rows.astype(float)]
    np.testing.assert_allclose(out, want, atol=2e-6)
    file = file_of(rows, delay_ms=0).put(215, "i2", 10)
    out = flowed(sill, tmp_path, file, "window 58s 70s pad; gain t=1").samples()
    assert out.shape == (2, 6001)
    t = 58 + np.arange(1001) * DT_S
    close(out[:, :1001], rows[:, 29_000:] * t)
    assert not out[:, 1001:].any()


def test_not_finite(sill, tmp_path):
    rows = kinds(40)
    rows[2, 9] = np.nan
    path = file_of(rows, fldr=np.arange(8)).write(tmp_path / "in.sgy")
    for steps in ("gain t=1", "normalize rms", "debias line", "polarity", "taper 8ms", "window 4ms 9ms"):
        error = refused(sill, path, steps)
        assert f"operation 1 ({steps.split()[0]}): sample 10 is nan" in error and re.search(r"trace: +3\b", error)
    sill.run("flow", path, "-o", tmp_path / "k.sgy", "--do", "kill 'fldr == 2'; gain scale=2", "--nonfinite", "keep")
    want = rows * 2
    want[2] = 0
    out = segy_files.read(tmp_path / "k.sgy")
    np.testing.assert_array_equal(out.samples(), want)
    np.testing.assert_array_equal(out.word("trid"), [1, 1, 2, 1, 1, 1, 1, 1])
    sill.run("flow", path, "-o", tmp_path / "z.sgy", "--do", "normalize", "--nonfinite", "zero")
    rows[2, 9] = 0
    largest = np.abs(rows).max(axis=1, keepdims=True)
    close(segy_files.read(tmp_path / "z.sgy").samples(), rows / np.where(largest == 0, 1, largest))


def test_dead_traces(sill, tmp_path):
    """A trace that its header calls dead has no live samples, whatever they are."""
    rows = kinds(60) + np.float32(3)
    trid = np.array([1, 2, 1, 0, 2, 1, 11, 1])
    file = file_of(rows, trid=trid)
    out = flowed(sill, tmp_path, file, "debias").samples()
    dead = trid == 2
    np.testing.assert_array_equal(out[dead], rows[dead])
    assert np.abs(out[~dead].mean(axis=1)).max() < 1e-5
    out = flowed(sill, tmp_path, file, "taper 20ms of=live").samples()
    np.testing.assert_array_equal(out[dead], rows[dead])
    assert not out[~dead][:, 0].any()
    assert not flowed(sill, tmp_path, file, "taper 20ms").samples()[:, 0].any()
    # Behind kill, all others are as they were.
    out = flowed(sill, tmp_path, file, "kill 'trid == 0'; debias; header fldr=trid")
    np.testing.assert_array_equal(out.word("fldr"), np.where(trid == 0, 2, trid))
    assert not out.samples()[3].any()


def test_taper_from_outside(sill, tmp_path):
    """zero=outside: f((j + 1) / N), N samples long, at the beginning; the same at the end."""
    rows = kinds(61)
    length = 12.5
    j = np.arange(61)
    for shape, ramp in [("linear", lambda u: u), ("cosine2", lambda u: (1 - np.cos(np.pi * u)) / 2),
                        ("hann", lambda u: (1 - np.cos(np.pi * u)) / 2), ("sine", lambda u: np.sin(np.pi * u / 2))]:  # fmt: skip
        inside, outside = ramp(np.clip(j / length, 0, 1)), ramp(np.clip((j + 1) / length, 0, 1))
        out = flowed(sill, tmp_path, file_of(rows), f"taper 25ms zero=outside shape={shape}").samples()
        close(out, rows * outside * outside[::-1])
        out = flowed(sill, tmp_path, file_of(rows), f"taper 25ms shape={shape} at=begin").samples()
        close(out, rows * inside)
    out = flowed(sill, tmp_path, file_of(rows), "taper 1s zero=outside of=live").samples()
    for row, got in zip(rows, out, strict=True):
        part = live_part(row)
        count = part.stop - part.start
        want = row.astype(float)
        want[part] *= (np.arange(count) + 1) / 500 * (np.arange(count)[::-1] + 1) / 500
        close(got[None], want[None])
    np.testing.assert_array_equal(flowed(sill, tmp_path, file_of(rows), "taper 0ms").samples(), rows)
    assert "negative" in refused(sill, tmp_path / "in.sgy", "taper -2ms", code=2)


@pytest.mark.parametrize(("scalar", "unit_ms"), [(0, 1), (1, 1), (10, 10), (-10, 0.1), (-4, 0.25)])
def test_scalars_of_delays(sill, tmp_path, scalar, unit_ms):
    rows = kinds(80)
    stored = np.array([40, 80, 120, 40, 40, 40, 40, 40])
    file = file_of(rows, delay_ms=stored).put(215, "i2", scalar)
    start = stored * unit_ms / 1000
    t = start[:, None] + np.arange(80) * DT_S
    close(flowed(sill, tmp_path, file, "gain t=2").samples(), rows * t**2)
    begin = 0.02 * max(1, 3 * unit_ms) + start[0]
    end = begin + 0.031
    out = flowed(sill, tmp_path, file, f"window {begin * 1000:.9g}ms {end * 1000:.9g}ms pad")
    assert out.samples().shape == (8, 16)
    np.testing.assert_allclose(out.word("delrt") * unit_ms / 1000, begin, atol=1e-9)
    for row, got, at in zip(rows, out.samples(), start, strict=True):
        places = np.rint((begin - at) / DT_S).astype(int) + np.arange(16)
        inside = (places >= 0) & (places < 80)
        np.testing.assert_array_equal(got, np.where(inside, row[np.clip(places, 0, 79)], 0))


def test_windows_beside_samples(sill, tmp_path):
    """The samples with begin <= t <= end and no others, wherever the samples lie."""
    rows = kinds(101)
    for delay in (0, 1, 7, -3):
        t = delay + 2 * np.arange(101)
        file = file_of(rows, delay_ms=delay)
        for begin, end in [(11, 31), (10, 30), (10, 31), (11, 30), (12.5, 12.5 + 41.7), (13, 13 + 1.5), (190, 192)]:
            inside = (t >= begin) & (t <= end)
            if delay < 0 and end > t[-1]:
                continue
            out = flowed(sill, tmp_path, file, f"window {begin}ms {end}ms")
            np.testing.assert_array_equal(out.samples(), rows[:, inside])
            assert set(out.word("delrt")) == {t[inside][0]} and set(out.word("ns")) == {inside.sum()}
    # One window behind another, and behind another interval.
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=1), "window 4ms 150ms; window 6ms 22ms")
    np.testing.assert_array_equal(out.samples(), rows[:, 3:11])
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=1), "resample 4ms; window 9ms 29ms")
    assert out.samples().shape == (8, 6) and set(out.word("delrt")) == {9}


def test_refused_windows(sill, tmp_path):
    rows = kinds(101)
    file = file_of(rows, delay_ms=np.array([100, 100, 104, 100, 101, 100, 103, 100]))
    path = file.write(tmp_path / "in.sgy")
    for ranks in (None, 2):
        error = refused(sill, path, "window 120ms 160ms", ranks=ranks)
        assert "contains 20 samples of this trace" in error and "21 of the first" in error
        assert re.search(r"trace: +5\b", error)
    # 20 samples of each: no error, though they begin at different times.
    out = flowed(sill, tmp_path, file, "window 120ms 159ms")
    assert out.samples().shape == (8, 20)
    np.testing.assert_array_equal(out.word("delrt"), [120, 120, 120, 120, 121, 120, 121, 120])
    np.testing.assert_array_equal(out.samples()[4], rows[4, 10:30])
    path = file_of(rows, delay_ms=100).write(tmp_path / "in.sgy")
    for steps, reason in [("window 120.1ms 121ms", "no sample is in the window"), ("window 0s 1e300s", "choose fewer samples"),
                          ("window 20ms 10ms", "ends before it begins"), ("window 20 30", "has no unit")]:  # fmt: skip
        assert reason in refused(sill, path, steps, code=2)
    assert "not within the trace" in refused(sill, path, "window 98ms 120ms")
    assert "not within the trace" in refused(sill, path, "window 200ms 302ms")
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=100), "window 1s 1.1s pad")
    assert out.samples().shape == (8, 51) and not out.samples().any() and set(out.word("delrt")) == {1000}
    half = file_of(rows, delay_ms=0, dt_us=500).write(tmp_path / "in.sgy")
    assert "cannot store" in refused(sill, half, "window 10.5ms 20ms")
    assert "too short" in refused(sill, half, "window 40s 40.01s pad")


def test_refused_gains(sill, tmp_path):
    path = file_of(kinds(30)).write(tmp_path / "in.sgy")
    table = tmp_path / "v.csv"
    for lines, reason in [("0,1500\n0.1,-3\n", "not positive"), ("1,0,1500\n2,0,1600\n", "several locations")]:
        table.write_text(lines)
        error = refused(sill, path, f"gain divergence velocity=@{table}", code=2)
        assert reason in error
    for steps, reason in [("gain", "no gain is named"), ("gain divergence", "need each other"),
                          ("gain velocity=2km/s", "need each other"), ("gain db=3", "has no unit"),
                          ("gain divergence velocity=-2km/s", "not positive")]:  # fmt: skip
        assert reason in refused(sill, path, steps, code=2)
    rows = kinds(30)
    # Of depth are Seismic Unix files whose traces say so.
    depth = file_of(rows, order="little", trid=130)
    depth.head = depth.head[:0]
    path = depth.write(tmp_path / "in.su")
    for steps, factor in [("gain scale=3", 3), ("gain db=-20dB", 0.1)]:
        sill.run("flow", path, "-o", tmp_path / "out.su", "--do", steps)
        out = np.fromfile(tmp_path / "out.su", dtype=np.uint8).reshape(8, -1)[:, 240:].copy().view("<f4")
        close(out, rows * factor)
    for steps in ("gain t=1", "gain scale=2 dbps=3dB", "window 0ms 8ms", "taper 8ms"):
        assert "in depth" in refused(sill, path, steps, code=2)


@pytest.mark.parametrize("ranks", [None, 3])
def test_normalize_gathers(sill, tmp_path, ranks):
    random = np.random.default_rng(8)
    rows = random.standard_normal((60, 25)).astype(np.float32)
    cdp, ep = random.integers(0, 9, 60), random.integers(0, 2, 60)
    rows[cdp == 4] = 0
    rows[5, :10] = 0
    file = file_of(rows, cdp=cdp, ep=ep)
    out = flowed(sill, tmp_path, file, "normalize rms gather=cdp,-ep target=2", ranks=ranks)
    order = np.lexsort((-ep, cdp))
    want = rows.astype(float)
    for c, e in {*zip(cdp, ep, strict=True)}:
        at = (cdp == c) & (ep == e)
        live = np.count_nonzero(rows[at])
        if live:
            want[at] *= 2 / np.sqrt((rows[at].astype(float) ** 2).sum() / live)
    close(out.samples(), want[order])
    np.testing.assert_array_equal(out.word("cdp"), cdp[order])


def test_conditions_on_places(sill, tmp_path):
    """`trace` and `file` in select, kill and header, across files and ranks."""
    files = [segy_files.make(count, 12, seed=count) for count in (10, 7, 13)]
    for file in files:
        file.put_word("delrt", 0).put_word("trid", 1)
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    rows = np.concatenate([file.rows for file in files])
    number = np.repeat([1, 2, 3], [10, 7, 13])
    whole = segy_files.Segy(files[0].head.copy(), rows.copy())
    steps = "header ep='file * 100 + trace'; kill 'file == 2 or trace % 5 == 0'; select 'trace > 3 and file != 1'"
    want = whole.copy().put_word("ep", number * 100 + np.arange(1, 31))
    killed = (number == 2) | (np.arange(1, 31) % 5 == 0)
    want.put_word("trid", np.where(killed, 2, 1))
    want.rows[killed, 240:] = 0
    for ranks in (None, 2):
        sill.run("flow", *paths, "-o", tmp_path / "o.sgy", "--do", steps, "--history", "none", ranks=ranks)
        assert segy_files.read(tmp_path / "o.sgy").rows.tobytes() == want.rows[10:].tobytes()
    assert "needs the number of the file" in sill.run(
        "flow", *paths, "-o", tmp_path / "o.sgy", "--do", "select 'trace > 1'; select 'trace > 1'; kill 'file == 1'",
        expect=2).err  # fmt: skip


def test_refused_headers(sill, tmp_path):
    path = segy_files.make(6, 10).write(tmp_path / "in.sgy")
    for steps in ("header @115:u2=3", "header @114:i4=3", "header @116:i2=0", "header dt=4000", "header samples_per_trace=3"):
        assert "determines the number or the interval" in refused(sill, path, steps, code=2)
    error = refused(sill, path, "header trid='trace * 10000'")
    assert "operation 1 (header)" in error and re.search(r"trace: +4\b", error)
    assert "is not a value" in refused(sill, path, "header cdp='fldr == 3'", code=2)
    assert refused(sill, path, "select 'cdp + 1'", code=2) and refused(sill, path, "kill", code=2)


@pytest.mark.parametrize(
    ("in_samples", "in_ms"),
    [
        ("agc 15samples", "agc 30ms"),
        ("mute top at=20.5samples ramp=4samples", "mute top at=41ms ramp=8ms"),
        ("window 10samples 90samples", "window 20ms 180ms"),
        ("lowpass 60Hz window=10samples:80samples", "lowpass 60Hz window=20ms:160ms"),
        ("resample 4ms; taper 10samples", "resample 4ms; taper 40ms"),  # of what the trace has there
    ],
)
def test_times_in_samples(sill, tmp_path, in_samples, in_ms):
    file = file_of(kinds(101))
    named = flowed(sill, tmp_path, file, in_samples, "--history", "none", name="samples.sgy")
    timed = flowed(sill, tmp_path, file, in_ms, "--history", "none", name="ms.sgy")
    assert (tmp_path / "samples.sgy").read_bytes() == (tmp_path / "ms.sgy").read_bytes()
    assert named.samples().any() and timed.samples().shape == named.samples().shape


@pytest.mark.parametrize("dt_us", [1000, 2000, 3000, 7000])
@pytest.mark.parametrize("count", [15, 17, 47, 49, 51])
def test_an_odd_number_of_samples_is_a_tie(sill, tmp_path, count, dt_us):
    """round(N / 2), halves up: as many samples whatever their interval."""
    rows = kinds(201)[:1]
    half = (count + 1) // 2
    padded = np.pad(rows[0].astype(float) ** 2, half)
    sums = np.convolve(padded, np.ones(2 * half + 1), "valid")
    counts = np.convolve(np.pad(np.ones(201), half), np.ones(2 * half + 1), "valid")
    out = flowed(sill, tmp_path, file_of(rows, dt_us=dt_us), f"agc {count}samples")
    np.testing.assert_allclose(out.samples()[0], rows[0] / np.sqrt(sums / counts), rtol=1e-5)


def test_samples_of_an_unknown_interval(sill, tmp_path):
    path = file_of(kinds(30), dt_us=0).write(tmp_path / "in.sgy")
    assert "the sample interval is not known" in refused(sill, path, "agc 15samples", code=2)


@pytest.mark.parametrize(
    "steps",
    [
        "normalize rms",
        "decon length=20ms gap=4ms",
        "autocorrelate length=40ms normalize",
        "stack method=diversity by=cdp",
        "stack method=median by=cdp",
        "semblance from=1500m/s to=2000m/s step=250m/s gate=8ms by=cdp",
    ],
)
def test_nan_does_not_look_like_silence(sill, tmp_path, steps):
    """No divisor that is NaN is taken as 0: each sample that depends on the sample is NaN."""
    rows = np.random.default_rng(4).standard_normal((4, 60)).astype("f4")
    rows[:1 if "stack" in steps else 4, 30] = np.nan
    path = file_of(rows, cdp=1, offset=0, trid=1).write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, "--nonfinite", "keep").out
    assert "not finite" in said
    out = segy_files.read(tmp_path / "o.sgy").samples()
    assert np.isnan(out[:, 15] if "auto" in steps else out[:, 30]).all()


@pytest.mark.parametrize("steps", ["polarity", "select 'trace>0'; agc 20ms", "stack by=cdp", "math plus @{} by=trace"])
def test_samples_beyond_floats(sill, tmp_path, steps):
    """Operations compute with floats of 4 bytes: the error names the trace, and its advice helps."""
    rows = np.full((3, 20), 3.0)
    file = file_of(rows, code=6, cdp=1, trid=1).put_binary(3501, "u1", 2)
    good = file.write(tmp_path / "good.sgy")
    rows[1, 5] = 1e300
    path = file.put_samples(rows).write(tmp_path / "in.sgy")
    flow = path, steps.format(good)
    if "math" in steps:  # the sample is in the other survey
        flow = good, steps.format(path)
    err = refused(sill, *flow)
    assert re.search("trace:? +2|in.sgy, trace 2", err) and "in.sgy" in err and "sample 6" in err, err
    assert "sill convert --sample-format ieee --clip" in err, err
    sill.run("convert", path, "-o", tmp_path / "c.sgy", "--sample-format", "ieee", "--clip")
    sill.run("flow", tmp_path / "c.sgy", "-o", tmp_path / "o.sgy", "--do", steps.format(tmp_path / "c.sgy"))


@pytest.mark.parametrize("steps", ["bandpass 8 60 window=1s:2s", "decon length=20ms window=1s:2s", "trim limit=8ms window=1s:2s by=cdp"])
def test_windows_beside_traces_are_reported(sill, tmp_path, steps):
    rows = np.random.default_rng(1).standard_normal((3, 60)).astype("f4")
    path = file_of(rows, cdp=[1, 1, 2], trid=1).write(tmp_path / "in.sgy")
    said = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps).out
    assert "no sample is in the window" in said and re.search(r"\b3 traces remained unchanged", said), said
    assert np.array_equal(segy_files.read(tmp_path / "o.sgy").samples(), rows)
    inside = steps.replace("1s:2s", "0ms:100ms")
    assert "in the window" not in sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", inside).out
