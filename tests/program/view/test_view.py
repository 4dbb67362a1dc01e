"""`sill view`: pictures against NumPy, pixel by pixel."""

import numpy as np
import png_files
import pytest
import segy_files
from viewing import ABSENT, BAD, DEAD, extremes, grey, noise, paged, plain, viewed


@pytest.mark.parametrize("code, order", [(1, "big"), (5, "little"), (3, "big")])
def test_each_sample_has_the_pixels_of_its_time_and_trace(sill, tmp_path, code, order):
    rows = noise(30, 101) * 1000
    rows[11, 40:43] = 9000, -9000, 9000  # beyond the clip on both sides
    rows = np.rint(rows) if code == 3 else rows
    file = plain(rows, code=code, order=order)
    rows = file.samples()
    out = viewed(sill, file.write(tmp_path / "in.sgy"), "--clip", "2500", "--size", "310x303")
    assert out.pixels.shape == (3 * 101, 10 * 30, 3)
    expected = np.repeat(np.repeat(grey(rows, 2500), 3, axis=0), 10, axis=1)
    assert np.abs(out.pixels - expected).max() <= 1
    assert (out.pixels[40 * 3 + 1, 11 * 10 + 5] == 0).all() and (out.pixels[41 * 3 + 1, 11 * 10 + 5] == 255).all()
    # The PNG of the whole page has the same picture at the same place.
    sill.run("view", tmp_path / "in.sgy", "-o", tmp_path / "out.png", "--clip", "2500", "--size", "310x303")
    page = png_files.decode((tmp_path / "out.png").read_bytes())
    assert page.shape[:2] == out.size[::-1]
    assert np.array_equal(page[out.y : out.y + 303, out.x : out.x + 300], out.pixels)
    assert (page[:, -1] == 255).all() and (page[: out.y - 10] == 0).any()  # labels


def test_dead_traces_bad_samples_and_delays(sill, tmp_path):
    rows = noise(40, 50)
    rows[3] = 0
    rows[4, 10], rows[5, 11], rows[6, 12] = np.nan, np.inf, -np.inf
    trid = np.where(np.arange(40) == 8, 2, 1)  # stated dead, with samples
    delay = np.where(np.arange(40) >= 20, 120, 100)  # the second half ten samples later
    path = plain(rows, trid=trid, delrt=delay).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--clip", "2")
    px, py = 7, 3  # 300 / 40, 200 / 60
    assert out.pixels.shape == (60 * py, 40 * px, 3)
    cells = out.pixels[py // 2 :: py, px // 2 :: px].astype(int)
    assert (cells[:50, 3] == DEAD).all()
    for trace, sample in ((4, 10), (5, 11), (6, 12)):
        assert tuple(cells[sample, trace]) == BAD
        assert tuple(cells[sample + 1, trace]) == tuple(grey(rows[trace : trace + 1], 2)[sample + 1, 0])
    assert (cells[50:, :20] == ABSENT).all() and (cells[:10, 20:] == ABSENT).all()
    expected = grey(rows, 2)
    assert np.abs(cells[:50, 0] - expected[:, 0]).max() <= 1
    assert np.abs(cells[10:, 20] - expected[:, 20]).max() <= 1
    assert np.abs(cells[:50, 8] - expected[:, 8] * DEAD / 255).max() <= 1
    assert "2 dead traces (khaki); 3 samples are NaN or infinite (red)" in out.caption
    assert "delay 100 ms (of the first trace; delays differ)" in out.caption
    red = viewed(sill, path, "--clip", "2", "--colors", "redblue")
    cells = red.pixels[py // 2 :: py, px // 2 :: px].astype(int)
    assert tuple(cells[10, 4]) == (0, 160, 0) and "(green)" in red.caption
    strong, weak = np.argmax(rows[0]), np.argmin(rows[0])
    assert tuple(cells[strong, 0])[0] == 255 and tuple(cells[weak, 0])[2] == 255
    assert tuple(cells[strong, 0])[2] < 128 and tuple(cells[weak, 0])[0] < 128


def test_decimation_takes_every_nth_trace_and_the_extreme_with_its_sign(sill, tmp_path):
    rows = noise(2000, 1003)
    rows[24, 500] = np.nan
    path = plain(rows).write(tmp_path / "in.sgy")
    about, (cells,) = paged(sill, path, "--size", "300x200", "--clip", "3")
    # 270 of 300 pixels are for traces: one of 8; 1003 samples in 200 rows: 6 each
    assert [t["values"][about["words"].index("trace")] for t in about["traces"]] == [str(i) for i in range(1, 2001, 8)]
    assert (about["samples_per_row"], about["rows"]) == (6, 168)
    shown = rows[::8]
    expected = extremes(np.where(np.isnan(shown), 0, shown), 6)
    expected[3, 500 // 6] = np.nan
    np.testing.assert_array_equal(cells, expected)
    out = viewed(sill, path, "--size", "300x200", "--clip", "3")
    assert out.pixels.shape == (168, 250, 3)
    assert tuple(out.pixels[500 // 6, 3]) == BAD
    pixels = np.delete(out.pixels.astype(int), 3, axis=1)
    assert np.abs(pixels - np.delete(grey(expected, 3), 3, axis=1)).max() <= 1
    assert "1 of 8 traces (250 shown), none averaged; of 6 samples the one of the largest |x|" in out.caption
    assert "traces 1 to 2,000 of 2,000" in out.caption


def test_the_clip_is_a_percentile_of_what_is_shown(sill, tmp_path):
    rows = noise(60, 300) * np.linspace(0.1, 30, 60)[:, None].astype(np.float32)
    rows[:, :100] = 0
    rows[50:] *= 1e4
    path = plain(rows).write(tmp_path / "in.sgy")
    for share, options in ((98, []), (50, ["--clip", "50%"]), (100, ["--clip", "100%"])):
        out, shown = viewed(sill, path, "--traces", "11:50", "--time", "100ms:500ms", *options), rows[10:50, 50:251]
        about, _ = paged(sill, path, "--traces", "11:50", "--time", "100ms:500ms", *options)
        magnitudes = np.abs(shown[shown != 0])
        exact = np.percentile(magnitudes, share, method="inverted_cdf")
        assert exact <= about["clip"] <= exact * (1 + 1 / 2048)
        assert about["clip"] in magnitudes
        clipped = 100 * (np.abs(shown) > np.float32(about["clip"])).sum() / shown.size
        assert f"clip +-{about['clip']:.6g} ({share}% of the non-zero |x| shown), {clipped:.2f}% of samples" in out.caption
    out = viewed(sill, path, "--clip", "12.5", "--traces", "1:50")
    assert f"clip +-12.5 (as given), {100 * (np.abs(rows[:50]) > 12.5).mean():.2f}% of samples clipped" in out.caption


def test_wiggles_are_filled_to_the_right_of_positive_samples(sill, tmp_path):
    rows = np.zeros((30, 100), np.float32)
    rows[:, 60] = 1e-3  # no trace is dead
    rows[10, 20:24], rows[10, 40:44] = 1, -1
    rows[20, 5] = np.nan
    out = viewed(sill, plain(rows).write(tmp_path / "in.sgy"), "--kind", "wiggle", "--clip", "2", "--size", "600x400")
    px, py = 20, 4
    assert out.pixels.shape == (100 * py, 30 * px, 3)
    zero = 10 * px + px // 2
    dark = (out.pixels == 0).all(axis=2)
    peak, trough = dark[22 * py], dark[42 * py]
    near = slice(zero - px + 1, zero + px)
    assert np.flatnonzero(peak[near])[[0, -1]].tolist() == [px - 1, px - 1 + px // 2]  # half a trace, from zero on
    assert peak[zero : zero + px // 2].all()
    assert np.flatnonzero(trough[near]).tolist() == [px - 1 - px // 2]  # the line alone
    assert tuple(out.pixels[5 * py + 3, 20 * px + 3]) == BAD
    assert "positive is black, filled to the right" in out.caption
    assert (out.pixels[0, 3] == 255).all()
    many = viewed(sill, plain(noise(900, 20)).write(tmp_path / "many.sgy"), "--kind", "both")
    assert many.pixels.shape[1] <= 300 and "1 of 14 traces" in many.caption  # at least 4 pixels each


def test_gains(sill, tmp_path):
    rows = noise(9, 301) * np.exp(-np.arange(301) / 60).astype(np.float32)
    rows[2] = 0
    rows[3, :50] = 0
    rows[5, 100] = np.nan
    path = plain(rows).write(tmp_path / "in.sgy")
    clean = np.where(np.isnan(rows), 0, rows).astype(np.float64)
    is_bad = np.isnan(rows)
    half = 25  # 2 round(100 ms / 4 ms) + 1 samples
    agc = np.zeros_like(clean)
    for s in range(301):
        window = clean[:, max(0, s - half) : s + half + 1]
        count = (window != 0).sum(axis=1)
        rms = np.sqrt((window**2).sum(axis=1) / np.maximum(count, 1))
        agc[:, s] = np.divide(clean[:, s], rms, out=np.zeros(9), where=rms > 0)
    rms = np.sqrt((clean**2).sum(axis=1) / np.maximum((clean != 0).sum(axis=1), 1))[:, None]
    each = np.divide(clean, rms, out=np.zeros_like(clean), where=rms > 0)
    for gain, expected, said in (("agc=100ms", agc, "AGC, window 100ms"), ("trace", each, "divided by its rms")):
        about, (cells,) = paged(sill, path, "--gain", gain)
        np.testing.assert_allclose(cells, np.where(is_bad, np.nan, expected), rtol=2e-6, atol=1e-9)
        assert said in viewed(sill, path, "--gain", gain).caption
    # A window of time does not change the gain.
    about, (cells,) = paged(sill, path, "--gain", "agc=100ms", "--time", "200ms:300ms")
    np.testing.assert_allclose(cells, np.where(is_bad, np.nan, agc)[:, 100:151], rtol=2e-6, atol=1e-9)


def test_a_difference_has_the_clip_of_the_first(sill, tmp_path):
    a, b = noise(40, 60), noise(40, 60, seed=8)
    b[7] = a[7]
    first, second = plain(a).write(tmp_path / "a.sgy"), plain(b, code=1).write(tmp_path / "b.sgy")
    b = segy_files.read(second).samples().astype(np.float32)
    about, cells = paged(sill, first, "--diff", second, "--size", "300x200")
    for shown, expected in zip(cells, (a, b, a - b), strict=True):
        np.testing.assert_array_equal(shown, expected)
    magnitudes = np.abs(a[a != 0])
    exact = np.percentile(magnitudes, 98, method="inverted_cdf")
    assert exact <= about["clip"] <= exact * (1 + 1 / 2048)
    assert not any(about["traces"][7]["dead"])
    out = viewed(sill, first, "--diff", second)
    px = about["trace_px"]
    middles = about["panel_x"][2] + np.arange(40) * px + px // 2
    cells = out.pixels[about["row_px"] // 2 :: about["row_px"], middles].astype(int)
    assert np.abs(cells - grey(a - b, about["clip"])).max() <= 1
    assert out.pixels.shape[1] <= 300
    for change, message in (
        (plain(noise(39, 60)), "39 traces"), (plain(noise(40, 61)), "61 samples"),
        (plain(noise(40, 60), dt_us=4000), "4000 us"), (plain(noise(40, 60), delrt=8), "begins at 8 ms"),
    ):  # fmt: skip
        other = change.write(tmp_path / "c.sgy")
        assert message in sill.run("view", first, "-o", tmp_path / "x.png", "--diff", other, expect=2).err
    assert "gain" in sill.run("view", first, "-o", tmp_path / "x.png", "--diff", second, "--gain", "trace", expect=2).err
    assert not (tmp_path / "x.png").exists()


def test_auxiliary_traces_do_not_set_the_clip(sill, tmp_path):
    rows = np.tile(np.sin(np.arange(50)), (8, 1))
    rows[7] = 1e6
    file = plain(rows).put_word("trid", [1] * 7 + [6])
    about, _ = paged(sill, file.write(tmp_path / "in.sgy"))
    assert about["clip"] <= 1
    about, _ = paged(sill, file.put_word("trid", 6).write(tmp_path / "in.sgy"))
    assert about["clip"] > 1e5, "where nothing else is shown they set it"
