"""`sill view`: what is shown, axes, captions, errors, and the page in a browser."""

import re
import shutil

import numpy as np
import pypdfium2
import pytest
import varied_files
from viewing import ABSENT, DEAD, in_browser, noise, paged, plain, viewed, words_of


def test_axes_have_real_values_at_their_traces_and_times(sill, tmp_path):
    gather, inside = np.divmod(np.arange(90), 30)
    path = plain(noise(90, 400), delrt=300, fldr=gather * 10 + 205, offset=150 + 20 * inside).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--size", "900x500")
    edges = np.flatnonzero((out.pixels == ABSENT).all(axis=(0, 2)))  # two gaps between three gathers
    assert (np.diff(edges) > 1).sum() == 1
    middles = [out.x + trace["x"] + out.trace_px / 2 for trace in out.about["traces"]]
    labels = out.row_of("offset")
    assert len(labels) > 8
    for x, text in labels.items():
        (trace,) = np.flatnonzero(np.abs(np.array(middles) - x) <= 2)
        assert float(text) == 150 + 20 * inside[trace]
    assert sorted(out.row_of("fldr").values()) == ["205", "215", "225"]
    assert len(out.ticks()) >= 5
    for y, time_s in out.ticks().items():
        assert abs(y - out.y - ((time_s - 0.3) / 0.002 + 0.5) * out.row_px / out.about["samples_per_row"]) <= 1.5
    out = viewed(sill, path, "--gather", "fldr=215", "--top", "trace,gx")
    assert sorted(float(text) for text in out.row_of("trace").values())[0] >= 31
    assert "fldr == 215, 30 of 90 traces" in out.title
    with pytest.raises(ValueError):
        out.row_of("offset")


def test_traces_are_chosen_by_number_gather_line_and_condition(sill, tmp_path):
    i = np.arange(60)
    path = plain(noise(60, 20), cdp=100 + i // 4, offset=i % 4, iline=1 + i // 10, xline=20 + i % 10).write(tmp_path / "in.sgy")
    for options, expected in [
        (["--traces", "11:20"], range(10, 20)),
        (["--gather", "cdp=103"], range(12, 16)),
        (["--gather", "cdp=103:104", "--where", "offset > 1"], [14, 15, 18, 19]),
        (["--inline", "3"], range(20, 30)),
        (["--crossline", "25", "--traces", "21:last"], [25, 35, 45, 55]),
        (["--where", "iline == 2 or trace == 60"], [*range(10, 20), 59]),
    ]:
        about, (cells,) = paged(sill, path, *options)
        numbers = [int(t["values"][about["words"].index("trace")]) - 1 for t in about["traces"]]
        assert numbers == list(expected), options
    # The axis on top: the words of gathers and of what varies in them, or what varies along the line.
    assert paged(sill, path, "--inline", "3")[0]["words"][:2] == ["cdp", "offset"]
    stacked = plain(noise(60, 20), iline=1 + i // 10, xline=20 + i % 10).write(tmp_path / "stacked.sgy")
    assert paged(sill, stacked, "--inline", "3")[0]["words"][0] == "xline"
    assert paged(sill, stacked, "--crossline", "25")[0]["words"][0] == "iline"
    assert paged(sill, stacked)[0]["words"][:2] == ["iline", "xline"]
    assert paged(sill, path, "--traces", "1:4")[0]["words"][0] == "offset"  # one gather
    # Stacked traces have mean offsets.
    words = {"iline": 1 + i // 10, "xline": 20 + i % 10, "offset": 1000 + 7 * i}
    stacked = plain(noise(60, 20), fldr=1, **words).write(tmp_path / "stacked.sgy")
    assert paged(sill, stacked, "--inline", "3")[0]["words"][0] == "xline"
    line = plain(noise(60, 20), fldr=1, cdp=100 + i, iline=1, xline=100 + i, offset=1000 + 7 * i)
    assert paged(sill, line.write(tmp_path / "line.sgy"))[0]["words"][0] == "cdp"
    shot = plain(noise(60, 20), fldr=7, tracf=1 + i, cdp=300 - i, offset=100 + 25 * i).write(tmp_path / "shot.sgy")
    page, _ = paged(sill, shot)
    assert page["words"][0] == "offset"


def test_the_caption_names_the_polarity_and_doubts(sill, tmp_path):
    file = plain(noise(5, 400), dt_us=500)
    for code, said in ((0, "not stated"), (1, "is a negative number"), (2, "is a positive number"), (9, "not defined")):
        out = viewed(sill, file.put_binary(3257, "i2", code).write(tmp_path / "a & <b>.sgy"))
        assert f"positive is black, as stored; polarity code {code} (bytes 3257-3258): " in out.caption
        assert said in out.caption
    assert "a & <b>.sgy: traces 1 to 5 of 5" in out.title
    assert "400 samples per trace, dt 0.5 ms, delay 0 ms; sample format 5: IEEE float, 4 bytes" in out.caption
    assert "every trace, of every 2 samples the one with the largest |x|" in out.caption
    flat = viewed(sill, plain(np.full((3, 40), 2.5)).write(tmp_path / "flat.sgy"))  # too few values to assess a format by
    assert "in doubt" in flat.caption and (flat.pixels == 0).all()
    refuted = plain(noise(40, 400)).put_binary(3225, "i2", 1).write(tmp_path / "refuted.sgy")
    assert "contradict the stated format" in sill.run("view", refuted, "-o", tmp_path / "x.png", expect=3).err


def test_little_to_show(sill, tmp_path):
    one = viewed(sill, plain([[1.0]]).write(tmp_path / "one.sgy"))
    assert (one.pixels == 0).all()
    zero = viewed(sill, plain(np.zeros((4, 9))).write(tmp_path / "zero.sgy"))
    assert (zero.pixels == DEAD).all() and "no clip: all samples shown are 0" in zero.caption
    single = viewed(sill, plain(noise(3, 9)).write(tmp_path / "three.sgy"), "--traces", "2:2")
    assert "trace 2 of 3" in single.title
    long = viewed(sill, plain(noise(2, 32_000)).write(tmp_path / "long.sgy"))
    assert f"of every {long.about['samples_per_row']} samples" in long.caption
    no_time = plain(noise(3, 9)).put_word("dt", 0).put_binary(3217, "u2", 0).write(tmp_path / "no_time.sgy")
    assert "shown by number" in viewed(sill, no_time).caption


def test_traces_of_different_lengths_and_headers(sill, tmp_path):
    lengths = varied_files.any_samples(20, least=5, most=60)
    headers = np.random.default_rng(1).integers(1, 4, 20).tolist()
    for file in (varied_files.make(lengths), varied_files.make(lengths, headers=headers, label=True)):
        about, (cells,) = paged(sill, file.write(tmp_path / "in.sgy"))
        rows = file.base.samples()
        delays = file.base.word("delrt")
        assert about["first"] == pytest.approx(delays.min() / 1000)
        for i, trace in enumerate(about["traces"]):
            first = (delays[i] - delays.min()) / 2  # whole intervals, or half of one between
            assert abs(trace["first_row"] - first) <= 0.5 and trace["row_count"] == lengths[i]
            shown = cells[i, trace["first_row"] : trace["first_row"] + lengths[i]]
            np.testing.assert_array_equal(shown, rows[i, : lengths[i]].astype(np.float32))


def test_seismic_unix_along_depth(sill, tmp_path):
    file = plain(noise(12, 40), order="little", dt_us=5000, trid=130, delrt=10)
    file.head = file.head[:0]
    out = viewed(sill, file.write(tmp_path / "in.su"), "--size", "500x600")
    assert "40 samples per trace, along depth, 5 apart, first at 10 (the file's numbers, of thousandths)" in out.caption
    assert "no polarity code (Seismic Unix)" in out.caption
    assert any(word.text == "depth" for word in out.words)
    assert len(out.ticks()) >= 4
    for y, depth in out.ticks().items():
        assert abs((y - out.y) / out.row_px - (depth - 10) / 5 - 0.5) <= 0.2
    for option in (["--time", "0s:1s"], ["--gain", "agc=100ms"]):
        assert "depth" in sill.run("view", tmp_path / "in.su", "-o", tmp_path / "x.png", *option, expect=2).err


def test_too_many_gathers_leave_no_room_for_gaps(sill, tmp_path):
    i = np.arange(400)
    out = viewed(sill, plain(noise(400, 20), cdp=i // 2).write(tmp_path / "in.sgy"), "--size", "600x300")
    assert len(out.about["traces"]) > 300 and "no gaps between gathers (cdp)" in out.caption


SIZES = ["300x200", "320x900", "900x300", "640x480", "1200x800", "4000x3000"]


def words_apart(path, width, height, dpi, what):
    """Returns the words of a page in PDF, after a check that none overlaps another or is outside the page."""
    page = pypdfium2.PdfDocument(path)[0]
    assert page.get_size() == pytest.approx((width * 72 / dpi, height * 72 / dpi), abs=1)
    scale = 96 / dpi
    words = words_of(path)
    boxes = np.array([[w.left, w.top, w.right, w.bottom] for w in words])
    inside = (boxes[:, :2] >= 0).all(axis=1) & (boxes[:, 2] <= width * scale) & (boxes[:, 3] <= height * scale)
    assert inside.all(), (what, [w.text for w, i in zip(words, inside) if not i])
    for i, box in enumerate(boxes):
        apart = (boxes[:, 0] >= box[2] - 0.3) | (boxes[:, 2] <= box[0] + 0.3)
        apart |= (boxes[:, 1] >= box[3] - 0.3) | (boxes[:, 3] <= box[1] + 0.3)
        apart[i] = True
        assert apart.all(), (what, words[i].text, [w.text for w, a in zip(words, apart) if not a])
    return words


@pytest.mark.parametrize("size", SIZES)
def test_no_text_overlaps_another_or_is_cut(sill, tmp_path, size):
    gather, inside = np.divmod(np.arange(120), 30)
    name = tmp_path / ("a_rather_long_name_of_a_survey_" * 3 + ".sgy")
    path = plain(noise(120, 900), fldr=gather * 1000 + 123_456, offset=150 + 25 * inside).write(name)
    width, height = map(int, size.split("x"))
    for options in ([], ["--kind", "wiggle"], ["--diff", path, "--top", "fldr,offset,trace"], ["--time", "123ms:125ms"]):
        for dpi in ("96", "300") if width >= 1200 else ("96",):
            out = tmp_path / "out.pdf"
            sill.run("view", path, "-o", out, "--size", size, "--dpi", dpi, *options)
            assert len(words_apart(out, width, height, float(dpi), (size, options))) > 15


CHARTS = {
    "slice": ("view", "--slice", "10ms"), "bins": ("map", "--show", "bins"),
    "plot": ("plot", "--x", "offset", "--y", "1000 * cdpy", "--color", "iline"), "histogram": ("plot", "--histogram"),
    "spectrum": ("spectrum",), "f-k": ("spectrum", "--fk", "--gather", "iline=104"),
}  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS)
def test_no_text_of_a_chart_overlaps_another(sill, tmp_path, chart):
    inline, crossline = np.divmod(np.arange(240), 20)
    file = plain(noise(240, 50), iline=100 + 2 * inline, xline=20 + crossline, offset=150_000 + 25 * crossline)
    for x, y in (("sx", "sy"), ("gx", "gy"), ("cdpx", "cdpy")):
        file.put_word(x, 431_250 + 25 * crossline).put_word(y, 6_512_400 + 25 * inline)
    path = file.put_word("scalco", 1).put_word("counit", 1).write(tmp_path / ("a_rather_long_name_" * 4 + ".sgy"))
    command, *options = CHARTS[chart]
    sizes = [(300, 200), (900, 300), *([(4000, 3000)] if chart == "bins" else [])]
    outs = [tmp_path / f"{width}.pdf" for width, _ in sizes]
    sill.run_together([(command, path, "-o", out, "--size", f"{width}x{height}", *options)
                       for out, (width, height) in zip(outs, sizes)])  # fmt: skip
    for out, size in zip(outs, sizes):
        words = words_apart(out, *size, 96.0, (size, chart))
        assert sum(w.text.lstrip("-").replace(".", "").isdigit() for w in words) >= 4


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("x", "y"), [((430_000, 9_870_000), (6_780_000, 6_790_000)), ((-12_345_678, 23_456_789), (0, 1)),
                                      ((0, 3), (-2_000_000_000, 2_000_000_000))])  # fmt: skip
def test_no_label_of_a_map_overlaps_another(sill, tmp_path, size, x, y):
    share = np.arange(60) / 59
    file = plain(noise(60, 4), scalco=1, counit=1, offset=np.arange(60) * 1_000_000)
    for name, (low, high) in (("sx", x), ("sy", y)):
        file.put_word(name, low + np.rint((high - low) * share).astype(np.int64))
    path, out = file.write(tmp_path / "in.sgy"), tmp_path / "out.pdf"
    width, height = map(int, size.split("x"))
    for options in ([], ["--color", "offset"]):
        sill.run("map", path, "-o", out, "--size", size, "--show", "sources", *options)
        words = words_apart(out, width, height, 96.0, (size, x, y, options))
        assert sum(w.text.lstrip("-").replace(".", "").isdigit() for w in words) >= 4


def test_colors(sill, tmp_path):
    path = plain(np.linspace(-1, 1, 400).reshape(20, 20)).write(tmp_path / "in.sgy")
    maps = {name: viewed(sill, path, "--colors", name, "--clip", "1").cells() for name in
            ("grey", "reversed", "redblue", "coolwarm", "viridis", "cividis", "viridis,reversed")}  # fmt: skip
    assert tuple(maps["grey"][19, 19]) == (0, 0, 0) and tuple(maps["reversed"][19, 19]) == (255, 255, 255)
    matplotlib = pytest.importorskip("matplotlib")
    for name in ("coolwarm", "viridis", "cividis"):
        values = np.linspace(-1, 1, 400).reshape(20, 20).T
        expected = 255 * matplotlib.colormaps[name]((values + 1) / 2)[:, :, :3]
        assert np.abs(maps[name] - expected).max() <= 6
    luminance = maps["viridis"] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance.T.ravel()) > -2).all()
    assert np.array_equal(maps["viridis,reversed"][::-1, ::-1], maps["viridis"])
    assert "viridis" in sill.run("view", path, "-o", tmp_path / "x.png", "--colors", "jet", expect=2).err


def test_without_cairo_everything_but_pictures_works(sill, tmp_path):
    path = plain(noise(5, 20)).write(tmp_path / "in.sgy")
    (tmp_path / "libcairo.so.2").write_bytes(b"no library")
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    failed = sill.run("view", path, "-o", tmp_path / "out.png", expect=4, env=env).err
    assert "cannot be loaded" in failed and "install libcairo2" in failed
    assert not (tmp_path / "out.png").exists()
    sill.run("info", path, env=env)
    page = tmp_path / "page.html"
    sill.run("check", path, "--html", page, env=env)
    assert "drawn by Cairo" in page.read_text(encoding="utf-8")


def test_without_a_font_it_warns(sill, tmp_path):
    path = plain(noise(5, 20)).write(tmp_path / "in.sgy")
    config = tmp_path / "fonts.conf"
    config.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
    for command in (["view", path], ["plot", path, "--y", "offset"]):
        drawn = sill.run(*command, "-o", tmp_path / "out.png", env={"FONTCONFIG_FILE": str(config)})
        assert "install fonts-dejavu-core" in drawn.err and (tmp_path / "out.png").exists()
        assert drawn.err.count("\n") == 1 and "font" not in sill.run(*command, "-o", tmp_path / "out.png").err


def test_small_pages_have_axes_on_both_sides_units_and_the_clip(sill, tmp_path):
    path = plain(noise(40, 400), offset=150 + 25 * np.arange(40)).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--size", "640x430", "--clip", "1.2345", "--top", "offset")
    right = out.x + out.about["width"]
    beside = [w for w in out.words if right < w.left < right + 60 and -5 < w.y - out.y < out.about["height"] + 5]
    numbers = {w.y: w.text for w in beside if re.fullmatch(r"[\d.]+", w.text)}
    assert [float(text) for _, text in sorted(numbers.items())] == [v for _, v in sorted(out.ticks().items())]
    assert sum(w.text == "time" for w in out.words) == 2  # the names of both
    ends = [w for w in out.words if re.fullmatch(r"-?1\.23[45]", w.text)]
    assert [w.y for w in sorted(ends, key=lambda w: w.y)] == pytest.approx(
        [out.y, out.y + out.about["height"]], abs=3)  # fmt: skip
    (name,) = (w for w in out.words if w.text == "offset")
    assert any(w.text == "[m]" and abs(w.y - name.y) < 4 and 0 < w.left - name.right < 10 for w in out.words)


def test_errors_say_what_to_do(sill, tmp_path):
    i = np.arange(60)
    path = plain(noise(60, 20), cdp=100 + i // 4, delrt=100).write(tmp_path / "in.sgy")
    out = tmp_path / "out.png"
    for options, said in [
        (["--gather", "cdp=99"], "the nearest value is 100, of 100 to 114"),
        (["--gather", "cdp=104.5"], "the nearest values are 104 and 105, of 100 to 114"),
        (["--inline", "12"], "the nearest value is 7"),
        (["--crossline", "61"], "the nearest value is 60"),
        (["--where", "cdp > 200"], "no trace satisfies cdp > 200"),
        (["--gather", "cdp=100", "--where", "trace > 30"], "no trace satisfies cdp == 100 and (trace > 30)"),
        (["--gather", "cdq=1"], "cdp"),
        (["--gather", "cdp"], "WORD=VALUE"),
        (["--traces", "61:70"], "61:70"),
        (["--time", "1s:2s"], "the samples are at 100 ms to 138 ms"),
        (["--clip", "0"], "is not a clip"),
        (["--clip", "101%"], "is not a clip"),
        (["--gain", "agc"], "agc=500ms"),
        (["--gain", "agc=500"], "500"),
        (["--size", "10x10"], "1200x800"),
        (["--size", "99999x100"], "1200x800"),
        (["--top", "cdq"], "cdp"),
        (["--kind", "bars"], "density"),
    ]:
        failed = sill.run("view", path, "-o", out, *options, expect=2)
        assert said in failed.err, (options, failed.err)
        assert not out.exists()
    assert ".png, .svg, .pdf or .html" in sill.run("view", path, "-o", tmp_path / "out.gif", expect=2).err
    shutil.copy(path, tmp_path / "in.png")
    sill.run("view", tmp_path / "in.png", "-o", tmp_path / "in.png", expect=2)
    assert (tmp_path / "in.png").read_bytes() == path.read_bytes()


def test_ranks_make_the_same_picture(sill, tmp_path):
    path = plain(noise(500, 40), cdp=np.arange(500) // 5).write(tmp_path / "in.sgy")
    options = ["--where", "cdp % 3 == 0", "--size", "200x100"]
    alone = viewed(sill, path, *options)
    assert np.array_equal(alone.pixels, viewed(sill, path, *options, ranks=2).pixels)
    failed = sill.run("view", path, "-o", tmp_path / "x.png", "--gather", "cdp=100", ranks=2, expect=2)
    assert "the nearest value is 99" in failed.err


def test_the_page_shows_what_is_under_the_pointer(sill, tmp_path):
    rows = noise(30, 100)
    path = plain(rows, delrt=100).write(tmp_path / "</script>".replace("/", "_").join(("in", ".sgy")))
    out = tmp_path / "page.html"
    sill.run("view", path, "-o", out)
    # A pointer over trace 12, sample 34.
    shown = in_browser(out, """const box = picture.getBoundingClientRect();
      const scale = box.width / about.page_width;
      picture.dispatchEvent(new MouseEvent("mousemove", {clientX: box.left + scale * (about.x + about.width * 11.5 / 30),
        clientY: box.top + scale * (about.y + about.height * 33.5 / 100)}));""")  # fmt: skip
    under = re.search(r'<div id="under">(.*?)</div>', shown, re.S)[1]
    value = float(re.search(r"value (\S+)", under)[1])
    assert abs(value - rows[11, 33]) <= 1e-6 * abs(rows[11, 33])
    assert "time 0.166000 s" in under and "trace 12" in under and "xline 12" in under and "iline 7" in under


def test_a_stack_has_no_gathers_but_what_it_was_stacked_by(sill, tmp_path):
    path, stack = tmp_path / "in.sgy", tmp_path / "stack.sgy"
    sill.run("make-survey", path, "--traces", "2400", "--samples", "50")
    sill.run("flow", path, "-o", stack, "--do", "sort cdp; stack")
    out = tmp_path / "out.pdf"
    sill.run("view", stack, "-o", out, "--size", "600x300")
    texts = {word.text for word in words_of(out)}
    assert "cdp" in texts and "fldr" not in texts and "xline" not in texts


def test_pages_that_exceed_the_memory_are_refused(sill, tmp_path):
    path = tmp_path / "in.sgy"
    sill.run("make-survey", path, "--traces", "20", "--samples", "100")
    out = tmp_path / "out.html"
    error = sill.run("view", path, "-o", out, "--size", "5000x5000", "--memory", "100M", expect=2).err
    size = re.search(r"give --size (\d+x\d+) or less", error).group(1)
    assert not out.exists()
    sill.run("view", path, "-o", out, "--size", size, "--memory", "100M")


@pytest.mark.parametrize("options", [(), ("--kind", "both", "--gain", "agc=100ms"), ("--kind", "wiggle", "--time", "100ms:900ms")])
def test_pictures_are_the_same_in_little_memory(sill, tmp_path, options):
    """Rows that are not held are read again: caption, clip and pixels stay."""
    samples = noise(60, 700)
    samples[7] = 0.0
    samples[11, 300] = np.nan
    path = plain(samples, dt_us=2000, cdp=np.arange(60) // 6).write(tmp_path / "in.sgy")
    for more in ((), ("--diff", path)) if "--gain" not in options else ((),):
        for ending in ("png", "svg"):
            whole, banded = tmp_path / f"whole.{ending}", tmp_path / f"banded.{ending}"
            size = ("--size", "500x1500")
            sill.run("view", path, "-o", whole, *size, *options, *more)
            sill.run("view", path, "-o", banded, *size, *options, *more, "--memory", "20K")
            assert whole.read_bytes() == banded.read_bytes()


def test_a_large_picture_is_drawn_in_little_memory(sill, tmp_path):
    """Neither the samples (96 MB), nor the rows (43 MB) and pixels (48 MB) of a page are all in memory."""
    path, out = tmp_path / "s.sgy", tmp_path / "out.png"
    sill.run("make-survey", path, "--kind", "plain", "--traces", 4000, "--samples", 6000, "--sample-format", "int16")
    code, peak_bytes = sill.run_measured("view", path, "-o", out, "--size", "4000x3000", "--interpolation", "none",
                                         "--memory", "32M")  # fmt: skip
    assert code == 0 and out.stat().st_size > 1_000_000
    assert peak_bytes < 80_000_000
