"""`bandpass`, `lowpass`, `highpass`, `bandstop` against SciPy, on traces of every kind."""

import numpy as np
import pytest
import segy_files
from flow_cases import DT_S, file_of, flowed, kinds
from scipy import signal

FS = 1 / DT_S


def padded_length(sos, samples):
    slowest = max(np.abs(np.roots(section[3:])).max() for section in sos)
    return min(int(np.ceil(np.log(1e-3) / np.log(slowest))), samples - 1)


def expected(rows, sos, *, zerophase=False, pad=None):
    x = np.asarray(rows, dtype=np.float64)
    length = padded_length(sos, x.shape[1])
    pad = pad or ("odd" if zerophase else "edge")
    if pad == "odd":
        x = np.pad(x, [(0, 0), (length, length)], mode="reflect", reflect_type="odd")
    else:
        x = np.pad(x, [(0, 0), (length, length)], mode="constant" if pad == "zero" else pad)
    zi = signal.sosfilt_zi(sos)

    def run(series):
        return signal.sosfilt(sos, series, zi=zi[:, None, :] * series[None, :, :1])[0]

    y = run(x)
    if zerophase:
        y = run(y[:, ::-1])[:, ::-1]
    return y[:, length : length + np.asarray(rows).shape[1]]


def check(out, want, rows):
    """Equal to 1e-6 of the largest sample of each trace."""
    scale = np.maximum(np.abs(np.asarray(rows, dtype=np.float64)).max(axis=1), 1e-30)[:, None]
    assert (np.abs(out - want) / scale).max() < 1e-6


def butter(kind, order, corners):
    return signal.butter(order, corners, kind, fs=FS, output="sos")


CASES = [
    ("bandpass 8 60", butter("bandpass", 4, [8, 60]), {}),
    ("bandpass f1=8Hz f2=60Hz zerophase order=4", butter("bandpass", 4, [8, 60]), {"zerophase": True}),
    ("bandpass 8 60 order=5 zerophase", butter("bandpass", 5, [8, 60]), {"zerophase": True}),
    ("bandpass 0.5 200 order=1 zerophase", butter("bandpass", 1, [0.5, 200]), {"zerophase": True}),
    ("bandpass 30 32 slope=48dB zerophase", butter("bandpass", 8, [30, 32]), {"zerophase": True}),
    ("lowpass 40 order=7", butter("lowpass", 7, 40), {}),
    ("lowpass 249 order=20 zerophase", butter("lowpass", 20, 249), {"zerophase": True}),
    ("lowpass 2 slope=6dB pad=zero zerophase", butter("lowpass", 1, 2), {"zerophase": True, "pad": "zero"}),
    ("highpass 3 slope=18dB zerophase pad=edge", butter("highpass", 3, 3), {"zerophase": True, "pad": "edge"}),
    ("highpass 40 order=2 pad=odd", butter("highpass", 2, 40), {"pad": "odd"}),
    ("bandstop 45 55 order=3 zerophase pad=reflect", butter("bandstop", 3, [45, 55]),
     {"zerophase": True, "pad": "reflect"}),
    ("bandstop 10 200 order=12 zerophase pad=symmetric", butter("bandstop", 12, [10, 200]),
     {"zerophase": True, "pad": "symmetric"}),
    ("bandstop 45 55 pad=zero", butter("bandstop", 4, [45, 55]), {"pad": "zero"}),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "sos", "arguments"), CASES, ids=[case[0] for case in CASES])
def test_against_scipy(sill, tmp_path, steps, sos, arguments):
    # Ten traces: a group of eight, and two that are left.
    rows = np.concatenate([kinds(501), kinds(501, seed=4)[:2]])
    out = flowed(sill, tmp_path, file_of(rows), steps).samples()
    check(out, expected(rows, sos, **arguments), rows)
    assert (out[4] == 0).all()


def test_as_sosfiltfilt(sill, tmp_path):
    """SciPy's own function, with the same padding; the trace is much longer than that."""
    rows = kinds(20_001)
    sos = butter("bandpass", 4, [4, 80])
    out = flowed(sill, tmp_path, file_of(rows), "bandpass 4 80 zerophase").samples()
    check(out, signal.sosfiltfilt(sos, rows.astype(np.float64), padlen=padded_length(sos, 20_001)), rows)


@pytest.mark.parametrize("passes", ["", " zerophase"])
@pytest.mark.parametrize(
    ("kind", "pass_hz", "stop_hz"),
    [
        ("lowpass", 40, 60),
        ("highpass", 10, 4),
        ("bandpass", [8, 60], [3, 90]),
        ("bandstop", [30, 80], [45, 60]),
        ("bandstop", [30, 120], [40, 70]),
    ],
)
def test_corners_of_bands(sill, tmp_path, kind, pass_hz, stop_hz, passes):
    share = 2 if passes else 1
    order, corners = signal.buttord(pass_hz, stop_hz, 3 / share, 20 / share, fs=FS)
    if kind == "bandstop":
        # buttord searches for the corner of the pass band that balances both edges, to 5 digits; here it is computed.
        w = np.tan(np.pi * np.array(pass_hz) / FS)
        stops = np.prod(np.tan(np.pi * np.array(stop_hz) / FS))
        w = [stops / w[1], w[1]] if w[0] * w[1] < stops else [w[0], stops / w[0]]
        width = (w[1] - w[0]) * (10 ** (0.3 / share) - 1) ** (1 / (2 * order))
        top = (width + np.sqrt(width**2 + 4 * stops)) / 2
        exact = np.arctan([stops / top, top]) * FS / np.pi
        np.testing.assert_allclose(corners, exact, rtol=1e-3)
        corners = exact
    rows = kinds(400)
    text = [",".join(map(str, np.atleast_1d(f))) for f in (pass_hz, stop_hz)]
    out = flowed(sill, tmp_path, file_of(rows), f"{kind} pass={text[0]} stop={text[1]}{passes}").samples()
    check(out, expected(rows, butter(kind, order, corners), zerophase=bool(passes)), rows)


@pytest.mark.parametrize(
    ("steps", "corners"),
    [("lowpass 40", [40]), ("highpass 20 order=3", [20]), ("bandpass 15 70", [15, 70]), ("bandstop 20 60", [20, 60])],
)
def test_corrected(sill, tmp_path, steps, corners):
    """The spectrum of a spike's answer: -3 dB at the corners after two passes, -6 dB without `corrected`."""
    rows = np.zeros((1, 4001), dtype=np.float32)
    rows[0, 2000] = 1
    for flags, wanted in ((" zerophase", 20 * np.log10(0.5)), (" zerophase corrected", -10 * np.log10(2))):
        out = flowed(sill, tmp_path, file_of(rows), steps + flags, name=f"{len(flags)}.sgy").samples()[0]
        for corner in corners:
            turn = np.exp(-2j * np.pi * corner * DT_S * (np.arange(4001) - 2000))
            answer = (out * turn).sum()
            assert 20 * np.log10(abs(answer)) == pytest.approx(wanted, abs=1e-4)
            assert abs(answer.imag) < 1e-6


def test_remute(sill, tmp_path):
    rows = kinds(300)
    out = flowed(sill, tmp_path, file_of(rows), "lowpass 30 zerophase remute").samples()
    want = expected(rows, butter("lowpass", 4, 30), zerophase=True)
    for row in np.flatnonzero(rows.any(axis=1)):
        live = np.flatnonzero(rows[row])
        assert row not in (2, 6) or want[row, live[0] - 1] != 0
        want[row, : live[0]] = 0
        want[row, live[-1] + 1 :] = 0
    check(out, want, rows)
    assert (out[2, :60] == 0).all()
    assert (out[3, 200:250] != 0).any()  # zeros inside are no mute


def test_window(sill, tmp_path):
    """Traces of several delays: each has other samples in the window, one has none."""
    rows = kinds(300)
    delays = np.array([0, 0, 100, 0, 0, 7, 700, -700])
    file = file_of(rows, delay_ms=0)
    file.put_word("delrt", delays)
    out = flowed(sill, tmp_path, file, "bandpass 8 60 zerophase window=100ms:400ms").samples()
    sos = butter("bandpass", 4, [8, 60])
    want = rows.astype(np.float64)
    for r, delay in enumerate(delays):
        t = delay + np.arange(300) * 2
        at = np.flatnonzero((t >= 100) & (t <= 400))
        if len(at):
            want[r, at] = expected(rows[r : r + 1, at], sos, zerophase=True)[0]
    check(out, want, rows)
    np.testing.assert_array_equal(out[6], rows[6])
    np.testing.assert_array_equal(out[7], rows[7])


@pytest.mark.parametrize(("code", "order"), [(1, "big"), (3, "big"), (5, "little")])
def test_sample_formats(sill, tmp_path, code, order):
    rows = np.clip(np.round(kinds(65) * 100), -20000, 20000).astype(np.float32)
    out = flowed(sill, tmp_path, file_of(rows, code=code, order=order), "lowpass 60 zerophase",
                 "--accept-loss").samples()
    want = expected(rows, butter("lowpass", 4, 60), zerophase=True)
    if code == 3:
        want = np.round(want)
        assert np.abs(out - want).max() <= 1
    else:
        check(out, want, rows)


def test_short_traces(sill, tmp_path):
    """One sample: a constant as far as anyone can see. Two: padding of one; and it is said that this is short."""
    for samples in (1, 2, 3):
        rows = np.arange(1, 1 + 3 * samples, dtype=np.float32).reshape(3, samples)
        path = file_of(rows).write(tmp_path / f"{samples}.sgy")
        done = sill.run("flow", path, "-o", tmp_path / f"o{samples}.sgy", "--do", "lowpass 30 zerophase")
        out = segy_files.read(tmp_path / f"o{samples}.sgy").samples()
        check(out, expected(rows, butter("lowpass", 4, 30), zerophase=True), rows)
        assert "3 traces that are too short for the padding" in done.out + done.err


def test_not_finite(sill, tmp_path):
    """A NaN stays in its trace."""
    rows = kinds(100)
    rows[3, 50] = np.nan
    path = file_of(rows).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", "bandpass 8 60", expect=3)
    assert "sample 51 is nan" in refused.err
    out = flowed(sill, tmp_path, file_of(rows), "bandpass 8 60", "--nonfinite", "keep").samples()
    want = expected(rows, butter("bandpass", 4, [8, 60]))
    assert np.isnan(out[3, 50:]).all()
    check(out[3:4, :50], want[3:4, :50], rows[3:4, :50])
    others = np.arange(8) != 3
    check(out[others], want[others], rows[others])


def test_bytes_do_not_depend_on_how_traces_are_shared_out(sill, tmp_path):
    rows = np.concatenate([kinds(251, seed=seed) for seed in range(5)])
    file = file_of(rows, code=1)
    whole = flowed(sill, tmp_path, file, "bandpass 8 60 zerophase", "--threads", "1").to_bytes()
    for ranks, threads in ((3, "1"), (1, "2")):
        again = flowed(sill, tmp_path, file, "bandpass 8 60 zerophase", "--threads", threads, ranks=ranks,
                       name=f"{ranks}{threads}.sgy")  # fmt: skip
        assert again.to_bytes() == whole
    # And not on where a trace stands.
    turned = flowed(sill, tmp_path, file_of(rows[::-1], code=1), "bandpass 8 60 zerophase", name="turned.sgy")
    np.testing.assert_array_equal(turned.samples()[::-1], segy_files.read(tmp_path / "out.sgy").samples())


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("bandpass", "f1= is missing"),
        ("bandpass 8", "f2= is missing"),
        ("bandpass 8 8", "8 Hz is not above 8 Hz"),
        ("bandpass 60 8", "8 Hz is not above 60 Hz"),
        ("bandpass 0 60", "0 Hz is not above 0"),
        ("bandpass -3 60", "-3 Hz is not above 0"),
        ("bandpass 8 250", "250 Hz is not below the Nyquist frequency, 250 Hz"),
        ("lowpass 300", "300 Hz is not below the Nyquist frequency, 250 Hz"),
        ("lowpass 30ms", "'30ms' is not in Hz"),
        ("lowpass 30 40", "lowpass has no parameter '40'"),
        ("lowpass 30 order=0", "order= must be an integer from 1 to 20"),
        ("lowpass 30 order=21", "order= must be an integer from 1 to 20"),
        ("lowpass 30 slope=20dB", "a slope must be a multiple of 6dB"),
        ("lowpass 30 slope=24", "'24' has no unit"),
        ("lowpass 30 order=4 slope=24dB", "order= and slope= set the same property"),
        ("lowpass 30 corrected", "corrected needs zerophase"),
        ("lowpass 30 pad=even", "even is not a value of pad="),
        ("lowpass 30 window=1s", "window"),
        ("lowpass pass=30", "stop= is missing"),
        ("lowpass 30 pass=30 stop=60", "f= and pass= exclude each other"),
        ("lowpass pass=30 stop=20", "the corners are not in order, pass < stop"),
        ("lowpass pass=30 stop=260", "260 Hz is not below the Nyquist frequency"),
        ("lowpass pass=30 stop=31", "these corners need a filter of order"),
        ("bandpass pass=8,60 stop=10,80", "the corners are not in order, stop < pass < pass < stop"),
        ("bandpass pass=8 stop=10,80", "two frequencies are needed"),
    ],
)
def test_wrong_arguments(sill, tmp_path, steps, reason):
    path = file_of(kinds(10)).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2)
    assert reason in refused.err
    assert "^" in refused.err
    assert not (tmp_path / "o.sgy").exists()
