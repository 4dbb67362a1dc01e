"""Operations that move samples in time, against formulas: nmo, lmo, shift, statics, resample; and mix."""

import numpy as np
import pytest
import scipy.signal
from flow_cases import DT_S, file_of, flowed, kinds

SAMPLES = 401
T = np.arange(SAMPLES) * DT_S


def ricker(t, at, hz=25):
    a = (np.pi * hz * (t - at)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def interpolated(row, places):
    """The definition: 16 points of a sinc under a Kaiser window, zeros outside; in double, without a table."""
    out = np.zeros(len(places))
    for i, p in enumerate(places):
        k = np.arange(int(np.floor(p)) - 7, int(np.floor(p)) + 9)
        u = (p - k) / 8
        window = np.i0(8 * np.sqrt(np.clip(1 - u**2, 0, None))) / np.i0(8)
        weights = np.sinc(p - k) * window * (np.abs(u) <= 1)
        inside = (k >= 0) & (k < len(row))
        out[i] = (weights / weights.sum())[inside] @ row[k[inside]]
    return out


def test_interpolation_of_sines(sill, tmp_path):
    """Below 1e-3 up to 0.6 of Nyquist."""
    share = np.array([0.05, 0.2, 0.4, 0.5, 0.6])
    rows = np.sin(np.pi * share[:, None] * np.arange(SAMPLES) + 0.3)
    for by in (0.37, 0.5, -1.71):
        out = flowed(sill, tmp_path, file_of(rows), f"shift {by * 2}ms").samples()
        want = np.sin(np.pi * share[:, None] * (np.arange(SAMPLES) - by) + 0.3)
        assert np.abs(out - want)[:, 12:-12].max() < 1e-3


def test_shift(sill, tmp_path):
    rows = kinds(101)
    for by in (0, 3, -7, 200, -200):
        source = np.arange(101) - by
        inside = (source >= 0) & (source < 101)
        want = np.where(inside, rows[:, np.clip(source, 0, 100)], 0)
        np.testing.assert_array_equal(flowed(sill, tmp_path, file_of(rows), f"shift {by * 2}ms").samples(), want)
    out = flowed(sill, tmp_path, file_of(rows), "shift 1.3ms").samples()
    for row, got in zip(rows, out, strict=True):
        np.testing.assert_allclose(got, interpolated(row, np.arange(101) - 0.65), atol=3e-4 * (np.abs(row).max() + 1e-9))
    assert flowed(sill, tmp_path, file_of([[3.0]]), "shift 0ms").samples()[0, 0] == 3


def test_statics(sill, tmp_path):
    rows = kinds(101)
    ms = np.array([0, 4, -6, 20, 3, 0, 2, -1])
    file = file_of(rows, sstat=ms, tstat=0)
    out = flowed(sill, tmp_path, file, "statics sstat")
    np.testing.assert_array_equal(out.word("tstat"), ms)
    np.testing.assert_array_equal(out.samples()[1, 2:], rows[1, :-2])
    back = flowed(sill, tmp_path, out, "statics sstat sign=-1 again", name="back.sgy")
    np.testing.assert_array_equal(back.word("tstat"), 0)
    np.testing.assert_array_equal(back.samples()[2, 3:], rows[2, 3:])
    again = sill.run("flow", tmp_path / "in.sgy", "-o", tmp_path / "o.sgy", "--do", "statics sstat", expect=3)
    assert "was already applied" in again.err and "trace:  2\n" in again.err


@pytest.mark.parametrize("order", ["big", "little"])
def test_statics_of_seismic_unix(sill, tmp_path, order):
    """Seismic Unix has no scalar of times: its words are whole milliseconds."""
    rows = kinds(101)
    ms = np.array([0, 4, -6, 20, 3, 0, 2, -1])
    file = file_of(rows, sstat=ms, tstat=0, muts=20)
    su = file_of(rows, order=order, sstat=ms, tstat=0, muts=20)
    su.head = su.head[:0]
    (tmp_path / "in.su").write_bytes(su.to_bytes())
    for do in ("statics sstat", "mute top word=muts"):
        out = flowed(sill, tmp_path, file, do)
        sill.run("flow", tmp_path / "in.su", "-o", tmp_path / "out.su", "--do", do)
        made = np.frombuffer((tmp_path / "out.su").read_bytes(), np.uint8).reshape(8, -1)
        kind = ">f4" if order == "big" else "<f4"
        np.testing.assert_array_equal(np.ascontiguousarray(made[:, 240:]).view(kind), out.samples())


def hyperbola(t0, x, v):
    return np.sqrt(t0**2 + (x / v) ** 2)


@pytest.mark.parametrize("feet", [False, True])
def test_nmo_flattens(sill, tmp_path, feet):
    offsets = np.array([0, 300, -600, 900, 1200])
    metres = offsets * (0.3048 if feet else 1)
    rows = np.array([ricker(T, hyperbola(0.4, x, 2000)) for x in metres])
    file = file_of(rows, offset=offsets).put_binary(3255, "i2", 2 if feet else 1)
    out = flowed(sill, tmp_path, file, "nmo velocity=2km/s").samples()
    assert (np.abs(out.argmax(axis=1) - 200) <= 0).all()
    for row, got, x in zip(rows, out, metres, strict=True):
        places = hyperbola(T, x, 2000) / DT_S
        np.testing.assert_allclose(got[2:], interpolated(row, places)[2:], atol=5e-4)


def test_nmo_of_a_field(sill, tmp_path):
    """Velocities between locations and times; delays; the stretch by its formula."""
    random = np.random.default_rng(2)
    rows = random.standard_normal((6, SAMPLES)).astype(np.float32)
    offsets, cdp, delay = np.array([0, 200, 400, 800, 1500, 700]), np.array([5, 10, 14, 20, 30, 25]), 100
    table = tmp_path / "v.csv"
    table.write_text("cdp,time,velocity\n10,0.2,1500\n10,0.6,2100\n20,0.1,1600\n20,0.9,2600\n")
    file = file_of(rows, offset=offsets, cdp=cdp, delay_ms=delay)
    t0 = T + delay / 1000
    v1, v2 = np.interp(t0, [0.2, 0.6], [1500, 2100]), np.interp(t0, [0.1, 0.9], [1600, 2600])
    s1 = np.where((t0 >= 0.2) & (t0 < 0.6), 600 / 0.4, 0)
    s2 = np.where((t0 >= 0.1) & (t0 < 0.9), 1000 / 0.8, 0)
    for limit, rule in ((None, ""), (0.3, ""), (0.3, " rule=classic")):
        steps = f"nmo velocity=@{table}" + (f" stretch={limit * 100}%{rule}" if limit else "")
        out = flowed(sill, tmp_path, file, steps).samples()
        for i, (x, c) in enumerate(zip(offsets, cdp, strict=True)):
            share = np.clip((c - 10) / 10, 0, 1)
            v, slope = (1 - share) * v1 + share * v2, (1 - share) * s1 + share * s2
            t = hyperbola(t0, x, v)
            derivative = (t0 - x**2 * slope / v**3) / t
            muted = (derivative <= 0) & (x > 0)
            if limit:
                muted |= (t / t0 - 1 > limit) if rule else ((1 / derivative - 1 > limit) & (x > 0))
            first = np.flatnonzero(muted)[-1] + 1 if muted.any() else 0
            want = interpolated(rows[i], (t - t0[0]) / DT_S)
            want[:first] = 0
            np.testing.assert_allclose(out[i], want, atol=2e-3 * np.abs(rows).max())
            assert (out[i, :first] == 0).all()


def test_nmo_inverse(sill, tmp_path):
    rows = np.array([ricker(T, hyperbola(0.5, x, 2200), 20) for x in (0, 200, 500)])
    file = file_of(rows, offset=np.array([0, 200, 500]))
    out = flowed(sill, tmp_path, file, "nmo velocity=2200m/s; nmo velocity=2200m/s inverse").samples()
    assert np.abs(out - rows)[:, 150:].max() < 5e-3


def test_lmo(sill, tmp_path):
    offsets = np.array([0, 300, -600])
    rows = np.array([ricker(T, 0.2 + abs(x) / 1500) for x in offsets])
    out = flowed(sill, tmp_path, file_of(rows, offset=offsets), "lmo velocity=1500m/s").samples()
    np.testing.assert_allclose(out, np.tile(ricker(T, 0.2), (3, 1)), atol=1e-3)


@pytest.mark.parametrize("text", ["1,2,3,4\n", "0.1,-3\n", "0.2,1500\n0.1,1600\n", "", "1,0,1500\n2,0,9\n1,1,3\n"])
def test_wrong_velocities(sill, small, tmp_path, text):
    table = tmp_path / "v.csv"
    table.write_text(text)
    refused = sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", f"nmo velocity=@{table}", expect=2)
    assert "v.csv" in refused.err


@pytest.mark.parametrize(("to_us", "samples"), [(4000, 401), (1000, 200), (3000, 301), (2000, 50), (1500, 7), (5000, 1)])
def test_resample_shape(sill, tmp_path, to_us, samples):
    rows = np.tile(np.float32(2), (3, samples))
    out = flowed(sill, tmp_path, file_of(rows, delay_ms=8), f"resample {to_us}us")
    want = (samples - 1) * 2000 // to_us + 1
    assert out.samples().shape == (3, want) and out.binary(3217, "u2") == to_us and out.binary(3221, "u2") == want
    assert set(out.word("dt")) == {to_us} and set(out.word("ns")) == {want} and set(out.word("delrt")) == {8}


@pytest.mark.parametrize("to_us", [1000, 3000, 4000, 7000])
def test_resample_passes_and_stops(sill, tmp_path, to_us):
    """A ripple of 1e-5 up to 0.8 of the lower Nyquist, -60 dB from 1.0 on."""
    samples = 2001
    t = np.arange(samples) * DT_S
    lower = min(250.0, 0.5e6 / to_us)
    passed = lower * np.array([0.1, 0.5, 0.8])
    stopped = lower * np.array([1.0, 1.3]) if lower < 250 else np.array([])
    stopped = stopped[stopped < 250]
    hz = np.concatenate([passed, stopped])
    out = flowed(sill, tmp_path, file_of(np.cos(2 * np.pi * hz[:, None] * t + 0.4)), f"resample {to_us}us").samples()
    new_t = np.arange(out.shape[1]) * to_us * 1e-6
    middle = slice(out.shape[1] // 4, -(out.shape[1] // 4))
    want = np.cos(2 * np.pi * hz[:, None] * new_t + 0.4)
    assert np.abs(out - want)[: len(passed), middle].max() < 1.2e-5
    if len(stopped):
        assert np.abs(out[len(passed) :, middle]).max() < 1.1e-3


def test_resample_is_near_scipy(sill, tmp_path):
    random = np.random.default_rng(4)
    smooth = scipy.signal.lfilter(*scipy.signal.butter(6, 0.2), random.standard_normal((3, 800)))
    out = flowed(sill, tmp_path, file_of(smooth), "resample 4ms").samples()
    want = scipy.signal.resample_poly(smooth, 1, 2, axis=1, window=("kaiser", 9.0))
    np.testing.assert_allclose(out[:, 40:-40], want[:, 40:-40], atol=3e-3 * np.abs(smooth).max())


@pytest.mark.parametrize(
    ("steps", "reason"),
    [("resample 0.3us", "cannot be stated"), ("resample 0ms", "not positive"), ("resample 70ms", "cannot be stated")],
)
def test_wrong_intervals(sill, small, tmp_path, steps, reason):
    assert reason in sill.run("flow", small[1], "-o", tmp_path / "o.sgy", "--do", steps, expect=2).err


@pytest.mark.parametrize("ranks", [None, 3])
def test_mix(sill, tmp_path, ranks):
    random = np.random.default_rng(3)
    rows = random.standard_normal((41, 30)).astype(np.float32)
    rows[7] = 0
    cdp = np.sort(random.integers(0, 9, 41))
    marked = np.isin(np.arange(41), [11, 20])  # as dead, whatever their samples
    file = file_of(rows, cdp=cdp, trid=np.where(marked, 2, 1))

    def mixed(part, weights, dead=marked):
        reach = len(weights) // 2
        live = (part != 0).any(axis=1) & ~dead
        out = np.zeros(part.shape)
        for i in range(len(part)):
            at = [n for n in range(max(0, i - reach), min(len(part), i + reach + 1)) if live[n]]
            w = np.array([weights[n - i + reach] for n in at])
            out[i] = (w[:, None] * part[at].astype(float)).sum(axis=0) / w.sum() if len(at) else 0
        out[dead] = part[dead]
        return out.astype(np.float32)

    options = {"ranks": ranks}
    out = flowed(sill, tmp_path, file, "mix weights=1,2,1; mix 5", **options).samples()
    np.testing.assert_allclose(out, mixed(mixed(rows, [1, 2, 1]), [1] * 5), rtol=1e-5, atol=1e-6)
    out = flowed(sill, tmp_path, file, "mix 7 gather=cdp", **options).samples()
    want = np.concatenate([mixed(rows[cdp == c], [1] * 7, marked[cdp == c]) for c in np.unique(cdp)])
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)
    out = flowed(sill, tmp_path, file, "sort -tracl; mix 3; select 'trace > 2'", **options).samples()
    np.testing.assert_allclose(out, mixed(rows[::-1], [1] * 3, marked[::-1])[2:], rtol=1e-5, atol=1e-6)


def test_one_file_of_each_form(sill, tmp_path):
    """The same values of IBM and IEEE, big and little endian: the same result."""
    rows = np.round(kinds(60) * 16) / 16
    rows[1] = 1
    want = flowed(sill, tmp_path, file_of(rows), "nmo velocity=2km/s; shift 0.7ms").samples()
    for code, order in ((1, "big"), (5, "little")):
        out = flowed(sill, tmp_path, file_of(rows, code=code, order=order), "nmo velocity=2km/s; shift 0.7ms")
        np.testing.assert_allclose(out.samples(), want, rtol=1e-6, atol=1e-6)
        assert out.code == code
