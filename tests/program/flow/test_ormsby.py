"""`ormsby` against numpy.fft with the same padding, on traces of every kind."""

import numpy as np
import pytest
from flow_cases import DT_S, file_of, flowed, kinds


def fast_length(samples):
    half = max(2, (samples + 1) // 2)
    while True:
        rest = half
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return 2 * half
        half += 1


def weights(f, corners, shape):
    f1, f2, f3, f4 = corners
    up = np.clip((f - f1) / (f2 - f1), 0, 1) if f2 > f1 else np.ones_like(f)
    down = np.clip((f4 - f) / (f4 - f3), 0, 1) if f4 > f3 else np.ones_like(f)
    if shape == "cosine2":
        up, down = (0.5 - 0.5 * np.cos(np.pi * u) for u in (up, down))
    return up * down


def expected(rows, corners, shape="linear"):
    rows = np.asarray(rows, dtype=np.float64)
    samples = rows.shape[1]
    ramps = [b - a for a, b in (corners[:2], corners[2:]) if b > a]
    padding = int(np.ceil(2 / min(ramps) / DT_S - 1e-6)) if ramps else 0
    length = fast_length(samples + padding)
    spectrum = np.fft.rfft(rows, length, axis=1)
    spectrum *= weights(np.fft.rfftfreq(length, DT_S), corners, shape)
    return np.fft.irfft(spectrum, length, axis=1)[:, :samples]


def check(out, want, rows):
    scale = np.maximum(np.abs(np.asarray(rows, dtype=np.float64)).max(axis=1), 1e-30)[:, None]
    assert (np.abs(out - want) / scale).max() < 1e-6


@pytest.mark.parametrize("samples", [1, 2, 3, 300, 501])
@pytest.mark.parametrize(
    ("corners", "shape"),
    [
        ((4, 8, 60, 80), None),
        ((4, 8, 60, 80), "cosine2"),
        ((4.5, 9, 100.5, 250), "hann"),
        ((0, 0, 60, 80), "linear"),
        ((0, 5, 250, 250), None),
        ((0, 0, 250, 250), None),
    ],
)
def test_against_numpy(sill, tmp_path, corners, shape, samples):
    rows = kinds(max(samples, 8))[:, -samples:]
    steps = "ormsby " + ",".join(map(str, corners)) + (f" shape={shape}" if shape else "")
    out = flowed(sill, tmp_path, file_of(rows), steps).samples()
    check(out, expected(rows, corners, "cosine2" if shape in ("cosine2", "hann") else "linear"), rows)
    assert (out[4] == 0).all()
    assert not np.signbit(out[4]).any()


def test_remute_and_formats(sill, tmp_path):
    rows = np.round(kinds(300)[2:4] * 100)
    out = flowed(sill, tmp_path, file_of(rows, code=1), "ormsby 4,8,60,80 remute").samples()
    want = expected(rows, (4, 8, 60, 80))
    live = np.flatnonzero(rows[0])
    want[0, : live[0]] = 0
    want[0, live[-1] + 1 :] = 0
    check(out, want, rows)
    assert (out[0, : live[0]] == 0).all()
    assert (out[1, 200:220] != 0).any()
    small = flowed(sill, tmp_path, file_of(np.clip(rows, -9000, 9000), code=3, order="little"), "ormsby 4,8,60,80",
                   "--accept-loss", name="small.sgy")  # fmt: skip
    assert np.abs(small.samples() - expected(np.clip(rows, -9000, 9000), (4, 8, 60, 80))).max() <= 0.51


def test_a_long_trace_and_what_is_not_finite(sill, tmp_path):
    rows = kinds(30_000)
    rows[3, 7] = np.inf
    with np.errstate(invalid="ignore"):
        want = expected(rows, (4, 8, 60, 80))
    out = flowed(sill, tmp_path, file_of(rows), "ormsby 4,8,60,80", "--nonfinite", "keep").samples()
    assert np.isnan(out[3]).all()
    others = np.arange(8) != 3
    check(out[others], want[others], rows[others])


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("ormsby", "corners= is missing"),
        ("ormsby 4,8,60", "four corners are needed, but 3"),
        ("ormsby 8,4,60,80", "the corners do not ascend: 4 Hz after 8 Hz"),
        ("ormsby -1,4,60,80", "-1 Hz is below 0"),
        ("ormsby 4,4,60,80", "the first two corners may only be equal at 0"),
        ("ormsby 4,8,8,80", "the second and the third corner are equal"),
        ("ormsby 4,8,60,60", "the last two corners may only be equal at the Nyquist frequency, 250 Hz"),
        ("ormsby 4,8,60,251", "251 Hz is above the Nyquist frequency, 250 Hz"),
        ("ormsby 4,8,60,80 shape=sine", "sine is not a value of shape="),
        ("ormsby 4,8,60,80m", "'80m' is not in Hz"),
        ("ormsby 4,4.0000001,60,80", "samples of padding, which is too many"),
    ],
)
def test_wrong_arguments(sill, tmp_path, steps, reason):
    path = file_of(kinds(10)).write(tmp_path / "in.sgy")
    refused = sill.run("flow", path, "-o", tmp_path / "o.sgy", "--do", steps, expect=2)
    assert reason in refused.err
    assert "^" in refused.err
    assert not (tmp_path / "o.sgy").exists()
