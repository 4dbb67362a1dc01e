"""What pictures say about traces that are dead, auxiliary or of another sample interval, and about units."""

import re

import numpy as np
import png_files
import pytest
import varied_files
from viewing import ABSENT, noise, plain, viewed, words_of

OTHER = "the headers of 3 traces state another sample interval (dt) than the one that is used, 2000 us: the first is trace 8, with 4000 us"


def zero_db(out):
    return float(re.search(r"0 dB is ([\d.e+-]+)", out)[1])


def test_dead_and_auxiliary_traces_are_not_in_spectra(sill, tmp_path):
    rows = noise(20, 64)
    trid = np.ones(20)
    trid[3], trid[7], rows[7] = 2, 6, 100 * rows[7]
    rows[11] = 0
    used = np.delete(np.arange(20), [3, 7, 11])
    path, out = plain(rows, trid=trid, offset=10 * np.arange(20)).write(tmp_path / "in.sgy"), tmp_path / "out.png"
    said = sill.run("spectrum", path, "-o", out).out
    assert "mean amplitude of 17 live traces" in said and "3 traces left out: dead, auxiliary, or" in said
    assert zero_db(said) == pytest.approx(np.abs(np.fft.rfft(rows[used], axis=1)).mean(axis=0).max(), rel=1e-5)
    said = sill.run("spectrum", path, "-o", out, "--fk").out
    zeros = rows.copy()
    zeros[[3, 7]] = 0
    assert "3 traces replaced by zeros" in said
    assert zero_db(said) == pytest.approx(np.abs(np.fft.fft2(zeros)).max(), rel=1e-5)
    said = sill.run("plot", path, "-o", out, "--histogram").out
    assert "17 live traces" in said and "3 traces left out" in said
    said = sill.run("spectrum", path, "-o", out, "--where", "trid == 6").out
    assert "1 live trace" in said and "left out" not in said, "if nothing else is chosen, auxiliary traces count"
    assert "auxiliary" in sill.run("spectrum", path, "-o", out, "--where", "trid == 2", expect=2).err


@pytest.mark.parametrize("ranks", [None, 2])
def test_maps_leave_auxiliary_traces_out(sill, tmp_path, ranks):
    file = plain(noise(20, 4), trid=[6, 2] + [1] * 18).put_word("counit", 1).put_word("scalco", 1)
    file.put_word("sx", [0, 500_000] + [500_000] * 2 + [500_100] * 16).put_word("sy", 6_000_000)
    path, out = file.write(tmp_path / "in.sgy"), tmp_path / "out.pdf"
    said = sill.run("map", path, "-o", out, "--show", "sources", ranks=ranks).out
    assert "2 points from 19 of 20 traces, 1 auxiliary left out" in said
    assert not any(w.text == "200000" for w in words_of(out))
    assert {"3", "16"} <= {w.text for w in words_of(out)}  # the dead trace is counted, as in `info --geometry`
    sill.run("map", path, "-o", out, "--show", "sources", "--color", "iline", "--size", "600x400")
    (only,) = (w for w in words_of(out) if w.text == "7" and w.x > 400)  # the inline of all: the middle of the bar
    ends = [w.y for w in words_of(out) if re.fullmatch(r"\d{7}(\.\d)?", w.text)]
    assert min(ends) + 30 < only.y < max(ends) - 30
    assert "are auxiliary" in sill.run("map", path, "-o", out, "--where", "trid == 6", "--show", "sources", expect=2).err


@pytest.mark.parametrize(("counit", "unit"), [(1, "[m]"), (2, "seconds]"), (3, "[degrees]")])
def test_maps_have_the_unit_of_the_coordinates(sill, tmp_path, counit, unit):
    i = np.arange(30)
    file = plain(noise(30, 4)).put_word("counit", counit).put_word("scalco", -100)
    for name in ("sx", "gx"):
        file.put_word(name, 1000 + 10 * i)
    for name in ("sy", "gy"):
        file.put_word(name, 2000 + 10 * (i % 5))
    sill.run("map", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.pdf", "--show", "sources")
    texts = [w.text for w in words_of(tmp_path / "out.pdf")]
    assert texts.count(unit) >= 2 and ("[m]" in texts) == (counit == 1)


def grid(count, samples, dt_us=2000, rows=None, **words):
    """One crossline of 3 inlines by `count`, 25 m apart."""
    i, x = np.divmod(np.arange(3 * count), count)
    file = plain(noise(3 * count, samples) if rows is None else rows, dt_us=dt_us, iline=10 + i, xline=1 + x, **words)
    for name in ("cdpx", "sx", "gx"):
        file.put_word(name, 25 * (1 + x))
    for name in ("cdpy", "sy", "gy"):
        file.put_word(name, 25 * (10 + i))
    return file.put_word("scalco", 1).put_word("counit", 1)


def test_other_intervals_are_noted(sill, tmp_path):
    dt = np.full(60, 2000)
    dt[[7, 8, 30]] = 4000
    path = grid(20, 40).put_word("dt", dt).put_word("offset", np.arange(60)).write(tmp_path / "in.sgy")
    out = tmp_path / "out.png"
    for command in (["view"], ["view", "--slice", "20ms"], ["spectrum"], ["spectrum", "--fk"]):
        assert OTHER in sill.run(command[0], path, "-o", out, *command[1:]).out, command
    assert OTHER in viewed(sill, path).caption
    assert "dt)" not in sill.run("view", path, "-o", out, "--traces", "10:30").out
    agreed = grid(20, 40).put_word("dt", 2000).write(tmp_path / "agreed.sgy")
    assert f"in.sgy: {OTHER}" in sill.run("view", agreed, "-o", out, "--diff", path).out


def test_depths_have_no_frequencies(sill, tmp_path):
    path, out = plain(noise(9, 40), offset=np.arange(9)).write(tmp_path / "in.sgy"), tmp_path / "x.png"
    for fk in ([], ["--fk"]):
        assert "in depth" in sill.run("spectrum", path, "-o", out, *fk, "--assume", "domain=depth", expect=2).err
    (tmp_path / "v.csv").write_text("0,1500\n1,2000\n")
    picks = ["--picks", tmp_path / "v.csv", "--assume", "domain=depth"]
    assert "in depth" in sill.run("view", path, "-o", out, *picks, expect=2).err
    assert not out.exists()


def test_depths_of_slices_are_converted(sill, tmp_path):
    file = grid(20, 200)
    path, depth = file.put_binary(3255, "i2", 1).write(tmp_path / "in.sgy"), ["--assume", "domain=depth"]
    shown = {}
    for at in ("100ft", "30.48m", "30.48", "100m"):
        sill.run("view", path, "-o", tmp_path / "out.png", "--slice", at, *depth)
        shown[at] = (tmp_path / "out.png").read_bytes()
    assert shown["100ft"] == shown["30.48m"] == shown["30.48"] != shown["100m"]
    sill.run("view", path, "-o", tmp_path / "out.pdf", "--slice", "100ft", *depth)
    assert {"30.48", "m"} <= {w.text for w in words_of(tmp_path / "out.pdf")}
    file.put_binary(3255, "i2", 0).write(path)
    sill.run("view", path, "-o", tmp_path / "out.png", "--slice", "100", *depth)
    for at in ("100ft", "100m"):
        refused = sill.run("view", path, "-o", tmp_path / "out.png", "--slice", at, *depth, expect=2).err
        assert "does not state whether its depths are in metres or in feet" in refused


def test_wavenumbers_have_no_unit_that_is_not_stated(sill, tmp_path):
    file = plain(noise(9, 40), offset=10 * np.arange(9))
    for system, unit in ((1, "[cycles/m]"), (2, "[cycles/ft]"), (0, "unit]")):
        path = file.put_binary(3255, "i2", system).write(tmp_path / "in.sgy")
        sill.run("spectrum", path, "-o", tmp_path / "out.pdf", "--fk")
        texts = [w.text for w in words_of(tmp_path / "out.pdf")]
        assert unit in texts and ("m]" in "".join(texts)) == (system == 1)


def test_an_f_k_spectrum_takes_neighbouring_traces_only(sill, tmp_path):
    path, out = plain(noise(1201, 8), offset=np.arange(1201)).write(tmp_path / "in.sgy"), tmp_path / "x.png"
    refused = sill.run("spectrum", path, "-o", out, "--fk", expect=2).err
    assert "1,201 traces are selected" in refused and "--traces 1:1200" in refused and not out.exists()
    sill.run("spectrum", path, "-o", out, "--fk", "--traces", "2:60")


@pytest.mark.parametrize("line", ["25,275:22500,275", "-9e9,275:9e9,275"])
def test_a_long_line_shows_one_of_every_n_traces(sill, tmp_path, line):
    path = grid(900, 5).write(tmp_path / "in.sgy")
    out = viewed(sill, path, "--line", line, "--size", "700x450")
    traces = [int(t["values"][out.about["words"].index("trace")]) for t in out.about["traces"]]
    n = traces[1] - traces[0]
    assert 1 < n < 4 and traces == list(range(901, 1801, n))
    assert f"1 of {n} traces ({len(traces)} shown), none averaged" in out.caption and "900 of 2,700 traces" in out.title


def test_bins_of_a_slice_without_a_sample_are_pale(sill, tmp_path):
    rows = noise(60, 40)
    rows[:, 10] = -5  # white, with the grey of a clip of 1
    file = grid(20, 40, rows=rows)
    file.rows = np.delete(file.rows, 30, axis=0)
    path = file.write(tmp_path / "in.sgy")
    sill.run("view", path, "-o", tmp_path / "out.png", "--slice", "20ms", "--clip", "1", "--size", "600x400")
    pixels = png_files.decode((tmp_path / "out.png").read_bytes()).astype(int)
    pale = (pixels == ABSENT).all(axis=2)
    assert 1 / 120 < pale.sum() / (pixels[60:330, 80:480].size / 3) < 1 / 30


def test_the_clip_is_not_rounded_up(sill, tmp_path):
    for count in (1000, 9000):
        rows = np.random.default_rng(22).uniform(0.5, 1, (10, count // 10))
        rows[3, 40] = 1e6
        path = plain(rows).write(tmp_path / "in.sgy")
        said = sill.run("view", path, "-o", tmp_path / "out.png", "--clip", "99.9%").out
        assert float(re.search(r"clip\s+(\S+)", said)[1]) < 1


def test_different_lengths_are_stated(sill, tmp_path):
    path = varied_files.make([40, 60, 80, 50]).write(tmp_path / "in.sgy")
    assert "40 to 80 samples per trace" in viewed(sill, path).caption
    assert "4 of 4 traces, 40 to 80 samples each" in sill.run("view", path, "-o", tmp_path / "out.png").out


def test_fractions_of_samples_and_lengths_are_stated(sill, tmp_path):
    path = plain(noise(9, 50), dt_us=4000, delrt=[0, 4, 8, 12, 101, 140, 0, 0, 1]).write(tmp_path / "in.sgy")
    note = "delays differ by fractions of a sample: samples are shown up to 1 ms from their time"
    assert note in viewed(sill, path).caption
    said = sill.run("view", path, "-o", tmp_path / "out.png").out
    assert note in said and "50 samples each" in said
    assert "12 to 47 samples each" in sill.run("view", path, "-o", tmp_path / "out.png", "--time", "150ms:").out
    assert "delays differ" not in sill.run("view", path, "-o", tmp_path / "out.png", "--traces", "1:4").out
