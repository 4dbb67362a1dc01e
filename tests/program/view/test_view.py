"""`sill view`: pictures against NumPy, pixel by pixel."""

import re
import zlib

import numpy as np
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
    out = viewed(sill, file.write(tmp_path / "in.sgy"), "--clip", "2500", "--size", "700x500")
    assert out.page.shape == (500, 700, 3)
    assert np.abs(out.cells() - grey(rows, 2500)).max() <= 1
    # Every pixel is that of the sample that it lies in, to the edges of the area.
    height, width = out.pixels.shape[:2]
    trace = np.floor((np.arange(width) + 0.5) / out.trace_px).astype(int)
    row = np.floor((np.arange(height) + 0.5) / out.row_px).astype(int)
    assert np.abs(out.pixels - grey(rows, 2500)[row[:, None], trace[None, :]].astype(float)).max() <= 1
    assert (out.page[:, -1] == 255).all() and (out.page[: out.y - 10] == 0).any()  # labels


def test_an_event_lies_at_its_time_and_trace_whatever_the_interpolation(sill, tmp_path):
    rows = np.zeros((40, 200), np.float32)
    rows[:, 0] = 1e-3
    rows[23, 120] = 1
    path = plain(rows).write(tmp_path / "in.sgy")
    for how in ("none", "linear", "cubic"):
        out = viewed(sill, path, "--interpolation", how, "--clip", "1", "--size", "900x700")
        darkness = 255.0 - 2 * 127.5 + np.abs(out.pixels[:, :, 0].astype(float) - 127.5)
        darkness[: 2 * int(out.row_px) + 2] = 0
        weight = np.where(out.pixels[:, :, 0] < 100, darkness, 0)
        y, x = np.indices(weight.shape)
        assert abs((x * weight).sum() / weight.sum() + 0.5 - 23.5 * out.trace_px) <= 1
        assert abs((y * weight).sum() / weight.sum() + 0.5 - 120.5 * out.row_px) <= 1
        ticks = out.ticks()
        (first, second), (at_first, at_second) = sorted(ticks.values())[:2], sorted(ticks)[:2]
        expected = at_first + (120 * 0.002 - first) / (second - first) * (at_second - at_first)
        assert abs(out.y + 120.5 * out.row_px - expected) <= 1.5


def catmull_rom(places, count):
    """The weights of `count` values at equal distances for their cubic spline at these places, a row for each place."""
    weights = np.zeros((len(places), count))
    first = np.floor(places).astype(int)
    for k in range(-1, 3):
        d = np.abs(places - first - k)
        share = np.where(d < 1, 1.5 * d**3 - 2.5 * d**2 + 1, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2)
        np.add.at(weights, (np.arange(len(places)), np.clip(first + k, 0, count - 1)), share)
    return weights


def linear(places, count):
    return np.array([np.interp(places, np.arange(count), one) for one in np.eye(count)]).T


@pytest.mark.parametrize(("how", "weights", "reach"), [("linear", linear, 1.05), ("cubic", catmull_rom, 2.05)])
def test_interpolation_is_between_the_middles_of_samples(sill, tmp_path, how, weights, reach):
    rows = noise(30, 40)
    rows[4], rows[9, 20] = 0, np.nan
    out = viewed(sill, plain(rows).write(tmp_path / "in.sgy"), "--interpolation", how, "--clip", "3", "--size", "800x600")
    height, width = out.pixels.shape[:2]
    x, y = (np.arange(width) + 0.5) / out.trace_px - 0.5, (np.arange(height) + 0.5) / out.row_px - 0.5
    expected = weights(y, 40) @ np.nan_to_num(rows).T.astype(float) @ weights(x, 30).T
    shown = out.pixels[:, :, 0].astype(float)
    near_nan = (np.abs(x - 9)[None, :] < reach) & (np.abs(y - 20)[:, None] < reach)
    keep = (np.abs(x - 4) > reach)[None, :] & ~near_nan
    assert keep.mean() > 0.8
    assert np.abs(shown - 127.5 * (1 - np.clip(expected / 3, -1, 1)))[keep].max() <= 1.5
    middle = out.cells()
    assert tuple(middle[20, 9]) == BAD and tuple(middle[7, 4]) == DEAD


def test_dead_traces_bad_samples_and_delays(sill, tmp_path):
    rows = noise(40, 50)
    rows[3] = 0
    rows[4, 10], rows[5, 11], rows[6, 12] = np.nan, np.inf, -np.inf
    trid = np.where(np.arange(40) == 8, 2, 1)  # stated dead, with samples
    delay = np.where(np.arange(40) >= 20, 120, 100)  # the second half ten samples later
    path = plain(rows, trid=trid, delrt=delay).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--clip", "2")
    cells = out.cells()
    assert cells.shape == (60, 40, 3)
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
    cells = red.cells()
    assert tuple(cells[10, 4]) == (0, 160, 0) and "(green)" in red.caption
    strong, weak = np.argmax(rows[0]), np.argmin(rows[0])
    assert tuple(cells[strong, 0])[0] == 255 and tuple(cells[weak, 0])[2] == 255
    assert tuple(cells[strong, 0])[2] < 128 and tuple(cells[weak, 0])[0] < 128


def test_decimation_takes_every_nth_trace_and_the_extreme_with_its_sign(sill, tmp_path):
    rows = noise(2000, 1003)
    path = plain(rows).write(tmp_path / "in.sgy")
    about, (cells,) = paged(sill, path, "--size", "400x300", "--clip", "3")
    # nine tenths of the pixels are for traces; no row of pixels is without a sample
    n, per_row = -(-2000 // (about["width"] * 9 // 10)), -(-1003 // about["height"])
    assert n > 5 and per_row > 3
    assert [t["values"][about["words"].index("trace")] for t in about["traces"]] == [str(i) for i in range(1, 2001, n)]
    assert (about["samples_per_row"], about["rows"]) == (per_row, -(-1003 // per_row))
    rows[3 * n, 500] = np.nan
    path = plain(rows).write(tmp_path / "in.sgy")
    about, (cells,) = paged(sill, path, "--size", "400x300", "--clip", "3")
    shown = rows[::n]
    expected = extremes(np.where(np.isnan(shown), 0, shown), per_row)
    expected[3, 500 // per_row] = np.nan
    np.testing.assert_array_equal(cells, expected)
    out = viewed(sill, path, "--size", "400x300", "--clip", "3")
    middle = out.cells()
    assert tuple(middle[500 // per_row, 3]) == BAD
    assert np.abs(np.delete(middle, 3, axis=1) - np.delete(grey(expected, 3), 3, axis=1)).max() <= 1
    assert f"1 of {n} traces ({len(shown)} shown), none averaged, of every {per_row} samples the one with the largest |x|" in out.caption
    assert out.title.endswith("in.sgy: traces 1 to 2,000 of 2,000")


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
        assert f"clip ±{about['clip']:.6g} ({share}% of the non-zero |x| shown), {clipped:.2f}% of samples" in out.caption
    out = viewed(sill, path, "--clip", "12.5", "--traces", "1:50")
    assert f"clip ±12.5 (as given), {100 * (np.abs(rows[:50]) > 12.5).mean():.2f}% of samples clipped" in out.caption


def test_samples_without_negative_ones_have_all_colors(sill, tmp_path):
    rows = np.abs(noise(40, 120)) + np.float32(0.01)
    path = plain(rows).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--clip", "2")
    assert "clip 0 to 2 (as given)" in out.caption
    assert np.abs(out.cells() - grey(2 * rows - 2, 2)).max() <= 1
    for options in (["--colors", "redblue"], ["--kind", "wiggle"]):
        assert "clip ±2 (as given)" in viewed(sill, path, "--clip", "2", *options).caption


def test_wiggles_are_filled_to_the_right_of_positive_samples(sill, tmp_path):
    rows = np.zeros((30, 100), np.float32)
    rows[:, 60] = 1e-3  # no trace is dead
    rows[10, 20:24], rows[10, 40:44] = 1, -1
    rows[20, 5] = np.nan
    out = viewed(sill, plain(rows).write(tmp_path / "in.sgy"), "--kind", "wiggle", "--clip", "2", "--size", "900x700")
    px, py = out.trace_px, out.row_px
    dark = (out.pixels < 100).all(axis=2)
    zero, half = round(10.5 * px), px / 2
    near = slice(round(9.7 * px), round(11.3 * px))
    peak, trough = dark[round(22 * py)][near], (out.pixels[round(42 * py)] < 200).all(axis=1)[near]
    offset = near.start - zero
    assert abs(np.flatnonzero(peak)[0] + offset) <= 1 and abs(np.flatnonzero(peak)[-1] + offset - half) <= 1
    assert peak[-offset + 1 : int(half) - offset - 1].all()  # filled from zero to half a trace
    assert np.abs(np.flatnonzero(trough) + offset + half).max() <= 1.5  # the line alone
    assert tuple(out.cells()[5, 20]) == BAD
    assert "positive is black, filled to the right" in out.caption
    assert (out.pixels[1, 3] == 255).all()
    assert not [w for w in out.words if w.text == "amplitude"]  # no color bar
    many = viewed(sill, plain(noise(900, 20)).write(tmp_path / "many.sgy"), "--kind", "both")
    assert many.trace_px >= 4 and len(many.about["traces"]) > 50


def test_wiggles_are_paths_in_vector_files(sill, tmp_path):
    path = plain(noise(20, 50)).write(tmp_path / "in.sgy")
    svg = tmp_path / "out.svg"
    sill.run("view", path, "-o", svg, "--kind", "wiggle")
    texts = [len(d) for d in re.findall(r'<path[^>]* d="([^"]*)"', svg.read_text(encoding="utf-8"))]
    assert sum(length > 500 for length in texts) >= 40  # a line and what is filled, of each trace
    pdf = tmp_path / "out.pdf"
    sill.run("view", path, "-o", pdf, "--kind", "wiggle")
    content = zlib.decompress(re.search(rb"stream\r?\n(.*?)\r?\nendstream", pdf.read_bytes(), re.S)[1]).decode()
    painted = re.split(r"\b(re f|[fS])\*?\s", content)
    lengths = {how: [len(path.split()) for path, by in zip(painted[::2], painted[1::2]) if by == how] for how in ("f", "S")}
    for how in ("f", "S"):
        assert sum(numbers > 60 for numbers in lengths[how]) == 20, how


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
    out = viewed(sill, first, "--diff", second, "--size", "900x400")
    assert np.abs(out.cells(2) - grey(a - b, about["clip"])).max() <= 1
    names = {w.text: w.x for w in out.words if w.y < out.y and w.text in ("a.sgy", "b.sgy", "first")}
    assert names["a.sgy"] < names["b.sgy"] < names["first"]
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
