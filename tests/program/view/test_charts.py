"""Slices, lines, maps, plots, spectra and histograms against NumPy, by the pixels and numbers of their axes."""

import re

import numpy as np
import png_files
import pytest
import segy_files
from viewing import layout_of, noise, paged, plain, words_of


class Chart:
    """A chart as pixels, and where numbers lie by the labels of its axes."""

    def __init__(self, sill, *arguments, size="900x700", ranks=None):
        png, pdf = (arguments[1].parent / f"chart.{ending}" for ending in ("png", "pdf"))
        self.out = sill.run(*arguments, "-o", png, "--size", size, ranks=ranks).out
        sill.run(*arguments, "-o", pdf, "--size", size)
        self.page = png_files.decode(png.read_bytes()).astype(int)
        self.words = words_of(pdf)
        numbers = [w for w in self.words if re.fullmatch(r"-?[\d.]+", w.text)]
        bottom = max(w.y for w in numbers if w.y < self.page.shape[0] - 30)
        self.x_fit = np.polyfit(*zip(*[(float(w.text), w.x) for w in numbers if abs(w.y - bottom) < 3]), 1)
        left = [w for w in numbers if w.x < 90 and w.y < bottom - 5]
        self.y_fit = np.polyfit([float(w.text) for w in left], [w.y for w in left], 1)

    def x(self, value):
        return np.polyval(self.x_fit, value)

    def y(self, value):
        return np.polyval(self.y_fit, value)

    def pixel(self, x, y):
        return self.page[np.floor(self.y(y)).astype(int), np.floor(self.x(x)).astype(int)]


def cube(ilines, xlines, samples, **words):
    """Inlines from 100 by 2, crosslines from 20 by 1, 25 m and 12.5 m apart."""
    i, x = np.divmod(np.arange(ilines * xlines), xlines)
    file = plain(noise(ilines * xlines, samples), iline=100 + 2 * i, xline=20 + x, **words)
    for name in ("sx", "gx", "cdpx"):
        file.put_word(name, 1000 + 12.5 * x * 2)
    for name in ("sy", "gy", "cdpy"):
        file.put_word(name, 5000 + 25 * i)
    return file.put_word("scalco", 1).put_word("counit", 1), i, x


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_slice_has_the_samples_of_its_time(sill, tmp_path, ranks):
    file, i, x = cube(12, 20, 50, delrt=100)
    order = np.random.default_rng(3).permutation(240)
    rows = file.samples().copy()
    path, shuffled = tmp_path / "in.sgy", tmp_path / "shuffled.sgy"
    options = ["--slice", "150ms", "--clip", "2", "--interpolation", "none"]
    rows[17, 25] = np.nan
    file.put_samples(rows).write(path)
    chart = Chart(sill, "view", path, *options, ranks=ranks)
    file.rows[:] = file.rows[order]
    file.write(shuffled)
    share = 0.5 * (1 - np.clip(rows[:, 25] / 2, -1, 1))
    shown = chart.pixel(20 + x, 100 + 2 * i)
    assert {"NaN", "infinite", "(red)"} <= {w.text for w in chart.words}
    assert shown[17].tolist() == [230, 0, 0]
    assert np.abs(np.delete(shown, 17, axis=0) - np.rint(255 * np.delete(share, 17))[:, None]).max() <= 1
    for colors, color in (("redblue", [0, 160, 0]), ("viridis", [230, 0, 0])):
        smooth = Chart(sill, "view", path, "--slice", "150ms", "--colors", colors)
        assert smooth.pixel(20 + x, 100 + 2 * i)[17].tolist() == color
    assert "12 inlines, 20 crosslines" in chart.out
    assert np.abs(Chart(sill, "view", shuffled, *options).pixel(20 + x, 100 + 2 * i) - shown).max() == 0
    for wrong, said in (("150", "is not a time"), ("9s", "no trace has a sample"), ("x", "is not a time")):
        assert said in sill.run("view", path, "-o", tmp_path / "x.png", "--slice", wrong, expect=2).err
    assert "excludes" in sill.run("view", path, "-o", tmp_path / "x.png", "--slice", "1s", "--gain", "trace", expect=2).err
    cubic = ["-o", tmp_path / "x.png", "--slice", "150ms", "--interpolation", "cubic"]
    assert "give --interpolation linear or none" in sill.run("view", path, *cubic, expect=2).err


def test_dead_traces_of_a_slice_are_khaki_and_edges_interpolated(sill, tmp_path):
    file, i, x = cube(12, 20, 50)
    rows = np.broadcast_to((20 + x)[:, None] / 40, (240, 50)).astype("f4")  # ascends along an inline
    file.put_samples(rows).put_word("trid", np.where(np.arange(240) == 130, 2, 1))
    chart = Chart(sill, "view", file.write(tmp_path / "in.sgy"), "--slice", "40ms", "--clip", "2")
    assert {"dead", "trace", "(khaki)"} <= {w.text for w in chart.words} and "1 dead trace (khaki)" in chart.out
    share = 1 - rows[:, 20] / 2  # no sample is negative
    shown = chart.pixel(20 + x, 100 + 2 * i)
    assert np.abs(shown[130] - np.array([222, 206, 140]) * share[130]).max() <= 2
    assert np.abs(np.delete(shown, 130, axis=0) - 255 * np.delete(share, 130)[:, None]).max() <= 2
    # Beside the outer inlines, values change from pixel to pixel as between them.
    along = chart.pixel(np.linspace(20, 39, 100), np.full(100, 122.7))[:, 0]
    assert np.abs(along - 255 * (1 - np.linspace(20, 39, 100) / 80)).max() <= 2


def test_the_ends_of_a_colour_bar_agree_with_its_ticks(sill, tmp_path):
    file, i, x = cube(6, 8, 20)
    file.put_word("cdpx", 431644 + 1000 * i).write(tmp_path / "in.sgy")
    chart = Chart(sill, "map", tmp_path / "in.sgy", "--show", "bins", "--color", "true(cdpx) + 0.25")
    assert {"431644", "436644"} <= {w.text for w in chart.words}
    for expression, ends in {"(iline - 110) * 0.00002": {"-0.0002", "0"}, "iline * 0 + 0.0003": {"0.0003"},
                             "(iline - 100) * 20000000": {"0", "200000000"}, "iline / 100": {"1", "1.1"},
                             "iline * 0 + 20000000": {"20000000"}}.items():  # fmt: skip
        chart = Chart(sill, "map", tmp_path / "in.sgy", "--show", "bins", "--color", expression)
        assert ends <= {w.text for w in chart.words}, expression


def test_slices_are_of_post_stack_grids(sill, tmp_path):
    file, i, x = cube(6, 8, 20)
    file.put_word("xline", 20 + x // 2).put_word("offset", x % 2 * 100)
    path = file.write(tmp_path / "in.sgy")
    assert "one trace per inline and crossline" in sill.run("view", path, "-o", tmp_path / "x.png", "--slice", "10ms",
                                                            expect=2).err  # fmt: skip


def test_a_line_has_the_nearest_traces_in_its_order(sill, tmp_path):
    file, i, x = cube(12, 20, 30)
    path = file.write(tmp_path / "in.sgy")
    for line in ("1000,5000:1475,5275", "1475,5000:1000,5000:1000,5275"):
        about, (cells,) = paged(sill, path, "--line", line)
        points = [tuple(map(float, p.split(","))) for p in line.split(":")]
        expected = []
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            for s in np.linspace(0, 1, 2001):
                px, py = x1 + s * (x2 - x1), y1 + s * (y2 - y1)
                place = (round((py - 5000) / 25), round((px - 1000) / 25))
                if not expected or expected[-1] != place:
                    expected.append(place)
        numbers = [int(t["values"][about["words"].index("trace")]) - 1 for t in about["traces"]]
        places = [(n // 20, n % 20) for n in numbers]
        assert places[0] == expected[0] and places[-1] == expected[-1]
        assert set(places) <= set(expected) and len(places) >= 0.7 * len(expected)
        assert [expected.index(p) for p in places if expected.count(p) == 1] == sorted(
            expected.index(p) for p in places if expected.count(p) == 1)
        np.testing.assert_array_equal(cells[:, :30], file.samples()[numbers].astype(np.float32))
        assert about["words"][:2] == ["iline", "xline"]
    far = sill.run("view", path, "-o", tmp_path / "x.png", "--line", "0,0:10,0", expect=2).err
    assert "no trace is along the line" in far and "1000.0,5000.0" in far
    assert "is not a line" in sill.run("view", path, "-o", tmp_path / "x.png", "--line", "0,0", expect=2).err


def viridis(values, low, high):
    matplotlib = pytest.importorskip("matplotlib")
    return 255 * matplotlib.colormaps["viridis"]((np.asarray(values) - low) / (high - low))[..., :3]


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_map_has_each_position_with_its_fold_or_mean(sill, tmp_path, ranks):
    # Bins of 1 to 4 traces; sources at every second.
    bins = np.repeat(np.arange(30), 1 + np.arange(30) % 4)
    file = plain(noise(len(bins), 10), cdp=bins + 1, offset=np.arange(len(bins)) * 7 % 50)
    x, y = 1000 + bins % 6 * 50, 2000 + bins // 6 * 50
    file.put_word("scalco", 1).put_word("counit", 1)
    file.put_word("sx", x - 20).put_word("sy", y).put_word("gx", x + 20).put_word("gy", y)
    path = file.write(tmp_path / "in.sgy")
    chart = Chart(sill, "map", path, "--show", "midpoints", ranks=ranks)
    fold = 1 + np.arange(30) % 4
    at = np.unique(bins, return_index=True)[1]
    assert np.abs(chart.pixel(x[at], y[at]) - viridis(fold, 1, 4)).max() <= 6
    assert f"30 points from {len(bins)} of {len(bins)} traces" in chart.out
    # Equal scales: 250 m are as long upwards as sideways.
    assert abs((chart.x(1250) - chart.x(1000)) + (chart.y(2250) - chart.y(2000))) <= 3
    chart = Chart(sill, "map", path, "--show", "sources", "--color", "offset", "--where", "cdp > 3")
    offset = file.word("offset")
    means = np.array([offset[bins == b].mean() for b in range(3, 30)])
    assert np.abs(chart.pixel(x[at[3:]] - 20, y[at[3:]]) - viridis(means, means.min(), means.max())).max() <= 6
    chart = Chart(sill, "map", path, "--show", "receivers", "--color", "offset")
    means = np.array([offset[bins == b].mean() for b in range(30)])
    assert np.abs(chart.pixel(x[at] + 20, y[at]) - viridis(means, means.min(), means.max())).max() <= 6
    assert "are at one point" in sill.run("map", path, "-o", tmp_path / "x.png", "--show", "bins", expect=2).err
    assert "offsets" in sill.run("map", path, "-o", tmp_path / "x.png", "--color", "offsets", expect=2).err


def test_a_map_shows_the_positions_of_the_geometry(sill, tmp_path):
    for kind, shown in (("line", "bins"), ("plain", "midpoints")):
        sill.run("make-survey", tmp_path / "s.sgy", "--kind", kind, "--traces", 2000, "--samples", 5)
        sill.run("map", tmp_path / "s.sgy", "-o", tmp_path / "m.pdf")
        assert shown in {w.text for w in words_of(tmp_path / "m.pdf")}


def test_words_have_their_units_and_whole_numbers_no_fractions(sill, tmp_path):
    file = plain(noise(30, 4), fldr=80 + np.arange(30) // 10, offset=100 * np.arange(30))
    file.put_word("gelev", 1000 + np.arange(30)).put_word("scalel", -10)
    path, out = file.write(tmp_path / "in.sgy"), tmp_path / "out.pdf"
    for options, whole, unit in (
        (["--x", "offset", "--y", "fldr"], r"8\d(\.\d+)?", "offset [m]"),
        (["--x", "fldr", "--y", "true(gelev)"], r"8\d(\.\d+)?", "true(gelev) [m]"),
        (["--x", "fldr", "--y", "gelev"], r"8\d(\.\d+)?", None),  # in tenths of a metre
        (["--y", "offset", "--color", "fldr"], r"8\d(\.\d+)?", "offset [m]"),
    ):
        sill.run("plot", path, "-o", out, "--size", "900x700", *options)
        words = [w.text for w in words_of(out)]
        numbers = {w for w in words if re.fullmatch(whole, w)}
        assert {"80", "81", "82"} == numbers, (options, numbers)
        assert unit is None or all(part in words for part in unit.split()), (options, words)
        assert unit is not None or "[m]" not in words


def test_many_points_become_cells(sill, tmp_path):
    path = tmp_path / "s.sgy"
    sill.run("make-survey", path, "--kind", "cube", "--traces", 250_000, "--samples", 1)
    chart = Chart(sill, "map", path, "--color", "iline")
    file = segy_files.read(path)
    x, y, iline = file.word("cdpx") / 100, file.word("cdpy") / 100, file.word("iline")
    some = np.random.default_rng(2).integers(0, 250_000, 300)
    inside = [t for t in some if 1010 < iline[t] < 1490 and 10 < file.word("xline")[t] < 490]
    assert np.abs(chart.pixel(x[inside], y[inside]) - viridis(iline[inside], 1001, 1500)).max() <= 12
    assert any("cell" in w.text for w in chart.words)


def test_header_words_are_plotted(sill, tmp_path):
    file = plain(noise(40, 10), offset=(np.arange(40) * 37) % 101)
    path = file.put_word("scalel", -10).put_word("gelev", np.arange(40) * 15).write(tmp_path / "in.sgy")
    chart = Chart(sill, "plot", path, "--y", "offset")
    blue = np.abs(chart.page - [31, 84, 148]).max(axis=2) < 30
    for trace, offset in enumerate(file.word("offset"), 1):
        y, x = int(chart.y(offset)), int(chart.x(trace))
        assert blue[y - 1 : y + 2, x - 1 : x + 2].any()
    chart = Chart(sill, "plot", path, "--x", "offset", "--y", "true(gelev)", "--traces", "1:20")
    blue = np.abs(chart.page - [31, 84, 148]).max(axis=2) < 30
    for offset, metres in zip(file.word("offset")[:20], np.arange(20) * 1.5):  # by scalel, not 0 to 285
        y, x = int(chart.y(metres)), int(chart.x(offset))
        assert blue[y - 1 : y + 2, x - 1 : x + 2].any()
    assert abs(chart.y(0) - chart.y(28.5)) > 0.6 * chart.page.shape[0]  # they fill the axis
    for options, said in (([], "nothing is selected to plot"), (["--y", "offset > 3"], "is not a number"),
                          (["--y", "offset", "--histogram"], "--histogram"), (["--y", "offse"], "offset"),
                          (["--x", "trace", "--histogram"], "--x"), (["--histogram", "--color", "cdp"], "--color"),
                          (["--y", "offset", "--colors", "grey"], "--colors requires --color")):  # fmt: skip
        assert said in sill.run("plot", path, "-o", tmp_path / "x.png", *options, expect=2).err


def test_a_histogram_counts_amplitudes(sill, tmp_path):
    rows = noise(100, 1000)
    rows[3] = 0
    rows[4, 5] = np.nan
    path = plain(rows).write(tmp_path / "in.sgy")
    chart = Chart(sill, "plot", path, "--histogram")
    live = np.delete(rows, [3, 4], axis=0)
    reach = np.percentile(np.abs(live), 99.9, method="inverted_cdf")
    counts, edges = np.histogram(live, bins=201, range=(-reach, reach))
    blue = np.abs(chart.page - [31, 84, 148]).max(axis=2) < 60
    for k in range(5, 196, 10):
        column = np.flatnonzero(blue[:, int(chart.x((edges[k] + edges[k + 1]) / 2))])
        column = column[column > 50]  # below the title
        assert abs(column.min() - chart.y(counts[k])) <= 4


def test_an_amplitude_spectrum(sill, tmp_path):
    time = np.arange(400) * 0.002
    rows = np.array([np.sin(2 * np.pi * 40 * time) + 0.3 * np.sin(2 * np.pi * 100 * time + k) for k in range(12)])
    rows += 0.01 * noise(12, 400)
    rows[5] = 0
    path = plain(rows.astype(np.float32)).write(tmp_path / "in.sgy")
    chart = Chart(sill, "spectrum", path)
    spectrum = np.abs(np.fft.rfft(np.delete(rows, 5, axis=0), axis=1)).mean(axis=0)
    db = 20 * np.log10(spectrum / spectrum.max())
    frequency = np.fft.rfftfreq(400, 0.002)
    blue = np.abs(chart.page - [31, 84, 148]).max(axis=2) < 90
    for k in range(4, 196, 8):
        at = int(chart.x(frequency[k]))
        column = np.flatnonzero(blue[:, at - 1 : at + 2].any(axis=1))
        expected = chart.y(max(-60, db[k]))
        assert column.min() - 3 <= expected <= column.max() + 3, frequency[k]


def test_an_fk_spectrum_has_events_at_their_slowness(sill, tmp_path):
    # A 50 Hz plane wave of 2,000 m/s away from the source: 0.025 cycles per metre.
    offset = 100 + 10 * np.arange(80)
    time = np.arange(250) * 0.004
    rows = np.sin(2 * np.pi * 50 * (time[None, :] - offset[:, None] / 2000))
    path = plain(rows.astype(np.float32), dt_us=4000, offset=offset, fldr=1).write(tmp_path / "in.sgy")
    turned = plain(rows[::-1].astype(np.float32), dt_us=4000, offset=offset[::-1]).write(tmp_path / "turned.sgy")
    for path, *options in ([path], [path, "--spacing", "10"], [turned]):
        chart = Chart(sill, "spectrum", path, "--fk", *options)
        area = chart.page[40 : int(chart.y(1)), int(chart.x(-0.049)) : int(chart.x(0.049)), 1]
        y, x = np.unravel_index(np.argmax(area), area.shape)
        assert abs(x + int(chart.x(-0.049)) - chart.x(0.025)) <= 4 and abs(y + 40 - chart.y(50)) <= 4
    assert "are not even" in sill.run("spectrum", plain(rows.astype(np.float32), offset=offset**2).write(tmp_path / "b.sgy"),
                                      "-o", tmp_path / "x.png", "--fk", expect=2).err  # fmt: skip


def test_an_fk_spectrum_needs_even_offsets_and_one_delay(sill, tmp_path):
    file = plain(noise(9, 50), offset=100 * np.arange(9))
    path, out = file.write(tmp_path / "in.sgy"), tmp_path / "x.png"
    sill.run("spectrum", path, "-o", out, "--fk")
    for wrong in ([0, 1, 2, 4, 5, 6, 7, 8, 9], [0, 1, 3, 2, 4, 5, 6, 7, 8], [0, 1, 2, 3, 3, 5, 6, 7, 8], 9 * [3]):
        file.put_word("offset", 100 * np.array(wrong)).write(path)
        assert "not evenly spaced" in sill.run("spectrum", path, "-o", out, "--fk", expect=2).err
    for wrong in ("nan", "0", "inf"):
        assert "--spacing" in sill.run("spectrum", path, "-o", out, "--fk", "--spacing", wrong, expect=2).err
    file.put_word("delrt", np.where(np.arange(9) > 4, 8, 4)).write(path)
    refused = sill.run("spectrum", path, "-o", out, "--fk", "--spacing", "10", expect=2).err
    assert "begins at 8 ms" in refused and "trace:  6" in refused and "window T1 T2 pad" in refused


def test_charts_have_all_forms(sill, tmp_path):
    path = plain(noise(20, 50), offset=np.arange(20)).write(tmp_path / "in.sgy")
    for ending, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>")):
        out = tmp_path / f"out.{ending}"
        sill.run("plot", path, "-o", out, "--y", "offset")
        assert out.read_bytes().startswith(begin)
    assert re.search(rb'<svg [^>]*width="1200px" height="800px"', (tmp_path / "out.svg").read_bytes())
    assert ".png, .svg, .pdf or .html" in sill.run("plot", path, "-o", tmp_path / "x.jpg", "--y", "offset", expect=2).err


@pytest.mark.nightly
@pytest.mark.parametrize("command", [("plot", "--y", "offset"), ("plot", "--histogram"), ("spectrum",)])
def test_a_browser_shows_charts_like_the_picture(sill, tmp_path, command):
    path = plain(noise(200, 50), offset=np.arange(200) * 37 % 101).write(tmp_path / "in.sgy")
    page, png = tmp_path / "out.html", tmp_path / "out.png"
    for out in (page, png):
        sill.run(command[0], path, "-o", out, *command[1:], "--size", "900x700")
    (image,) = layout_of(page)["images"]
    assert image["size"] == [900, 700] and image["box"][2] - image["box"][0] > 500
    pixels = png_files.decode(png.read_bytes()).astype(int)
    blue = (pixels[:, :, 0] < 60) & (np.abs(pixels[:, :, 1] - 84) < 30) & (np.abs(pixels[:, :, 2] - 148) < 30)
    assert blue.sum() > 300 and image["blue"] == pytest.approx(blue.sum(), rel=0.2)
