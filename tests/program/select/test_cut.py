"""`sill cut`: traces chosen by a condition and windows of time, against the oracle, byte for byte."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from program import leftovers


def chosen(file: segy_files.Segy, which) -> segy_files.Segy:
    """The file with only some of its traces, and its number of traces told."""
    other = file.permuted(np.flatnonzero(which))
    if len(file.head) and file.head[3500] == 2 and file.binary(3513, "u8"):
        other.put_binary(3513, "u8", other.traces)
    return other


def windowed(file: segy_files.Segy, first: int, count: int, delay_ms: int) -> segy_files.Segy:
    """The file with some of the samples of each trace, as the headers then say."""
    other = file.copy()
    width = segy_files.size_of(segy_files.SAMPLE_TYPES[file.code])
    at = file.header_bytes
    samples = file.rows[:, at + first * width : at + (first + count) * width]
    other.rows = np.concatenate([file.rows[:, :at], samples], axis=1)
    other.put_word("delrt", delay_ms)
    other.put_word("ns", np.where(file.word("ns") == 0, 0, count))
    if len(file.head):
        other.put_binary(3221, "u2", count)
        if file.head[3500] == 2 and file.binary(3269, "u4"):
            other.put_binary(3269, "u4", count)
    if file.headers > 1:
        other.put(240 + 137, "u4", count)
    return other


CONDITIONS = [
    ("iline == 1010", lambda f: f.word("iline") == 1010),
    ("offset > 0 and not xline < -20", lambda f: (f.word("offset") > 0) & ~(f.word("xline") < -20)),
    ("trace % 7 == 3", lambda f: np.arange(1, f.traces + 1) % 7 == 3),
    ("abs(offset) <= 500 or cdp == 3", lambda f: (abs(f.word("offset")) <= 500) | (f.word("cdp") == 3)),
    ("calc_offset < 1500", lambda f: segy_files.derived(f, "calc_offset") < 1500),
    ("true(sx) >= 432500.5", lambda f: f.word("sx") / 100 >= 432500.5),
    ("trace <= 1", lambda f: np.arange(f.traces) < 1),
]


@pytest.mark.parametrize("condition, holds", CONDITIONS, ids=[c for c, _ in CONDITIONS])
def test_traces(sill, tmp_path, condition, holds):
    file = segy_files.make(400, 11)
    path = file.write(tmp_path / "f.sgy")
    result = sill.run("cut", path, "-o", tmp_path / "out.sgy", "--where", condition)
    expected = chosen(file, holds(file))
    assert (tmp_path / "out.sgy").read_bytes() == expected.to_bytes()
    assert f"{expected.traces} of 400 traces" in result.out


FORMS = {
    "rev 0, ibm, pairwise": lambda: segy_files.make(60, 30, code=1, order="pairwise", revision=(0, 0)),
    "rev 1, int16, extended text": lambda: segy_files.make(60, 30, code=3, extended=2),
    "rev 2.1, all": lambda: segy_forms.make(60, 30, additional=2, trailers=2, label=True, order="little"),
    "rev 2.0, int24": lambda: segy_forms.make(60, 30, revision=(2, 0), code=7),
    "su, little": lambda: segy_forms.make_su(60, 30, order="little"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(sill, tmp_path, form):
    file = FORMS[form]().put_word("delrt", 100)
    path = file.write(tmp_path / ("f.su" if form.startswith("su") else "f.sgy"))
    some = file.word("offset") > 0
    sill.run("cut", path, "-o", tmp_path / "some.sgy", "--where", "offset > 0")
    assert (tmp_path / "some.sgy").read_bytes() == chosen(file, some).to_bytes()
    # 2 ms a sample from 100 ms on.
    sill.run("cut", path, "-o", tmp_path / "window.sgy", "--where", "offset > 0", "--time", "110ms:0.13s")
    assert (tmp_path / "window.sgy").read_bytes() == windowed(chosen(file, some), 5, 11, 110).to_bytes()


@pytest.mark.parametrize(
    "window, first, count",
    [
        ("100ms:", 0, 50), ("0s:1h", None, None), (":100ms", 0, 1), (":0.13s", 0, 16), ("196ms:", 48, 2),
        ("100001us:103999us", 1, 1), ("100000us:104ms", 0, 3), (" 0.15 s : 2s ", 25, 25),
    ],
)  # fmt: skip
def test_windows(sill, tmp_path, window, first, count):
    file = segy_files.make(40, 50).put_word("delrt", 100)
    path = file.write(tmp_path / "f.sgy")
    if first is None:
        said = sill.run("cut", path, "-o", tmp_path / "out.sgy", "--time", window, expect=2).err
        assert "not one of s, ms, us" in said
        return
    sill.run("cut", path, "-o", tmp_path / "out.sgy", "--time", window)
    assert (tmp_path / "out.sgy").read_bytes() == windowed(file, first, count, 100 + 2 * first).to_bytes()


def test_numbers_that_are_none(sill, tmp_path):
    path, out = segy_files.make(4, 50).write(tmp_path / "f.sgy"), tmp_path / "out.sgy"
    for window in ("nanms:20ms", "10ms:infs", "-infs:20ms", "10ms:nans"):
        assert "is not a time" in sill.run("cut", path, "-o", out, "--time", window, expect=2).err
        assert "is not a time" in sill.run("view", path, "-o", tmp_path / "x.png", "--time", window, expect=2).err
    assert "nan" in sill.run("view", path, "-o", tmp_path / "x.png", "--dpi", "nan", expect=2).err
    for number, said in (("9223372036854775808", "exceeds 64 bits"), ("1e999", "exceeds the range of a double")):
        assert said in sill.run("cut", path, "-o", out, "--where", f"fldr == {number}", expect=2).err
    sill.run("cut", path, "-o", out, "--where", "fldr < 9223372036854775808.0")


def test_traces_that_begin_at_different_times(sill, tmp_path):
    file = segy_files.make(40, 50)
    file.put_word("delrt", 100 + 4 * (np.arange(40) % 3))
    path = file.write(tmp_path / "f.sgy")
    sill.run("cut", path, "-o", tmp_path / "out.sgy", "--time", "120ms:150ms")
    out = segy_files.read(tmp_path / "out.sgy")
    assert np.array_equal(out.word("delrt"), np.full(40, 120))
    for i, first in enumerate(10 - 2 * (np.arange(40) % 3)):
        assert np.array_equal(out.samples()[i], file.samples()[i][first : first + 16])
    refused = sill.run("cut", path, "-o", tmp_path / "no.sgy", "--time", "100ms:150ms", expect=3)
    assert "24 samples of this trace" in refused.err and "trace:" in refused.err
    assert leftovers(tmp_path) == [] and not (tmp_path / "no.sgy").exists()


def test_a_delay_that_cannot_be_said(sill, tmp_path):
    file = segy_files.make(10, 50, interval_us=250).put_word("delrt", 0)
    path = file.write(tmp_path / "f.sgy")
    refused = sill.run("cut", path, "-o", tmp_path / "no.sgy", "--time", "1250us:", expect=3)
    assert "1250 us" in refused.err and "trace:" in refused.err
    file.put(215, "i2", -100).write(path)
    sill.run("cut", path, "-o", tmp_path / "out.sgy", "--time", "1250us:")
    assert np.array_equal(segy_files.read(tmp_path / "out.sgy").word("delrt"), np.full(10, 125))


def test_traces_of_different_lengths(sill, tmp_path):
    file = segy_files.make(30, 40).put_word("delrt", 0)
    lengths = 20 + np.arange(30) % 21
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    some = file.word("offset") > 0
    sill.run("cut", path, "-o", tmp_path / "some.sgy", "--where", "offset > 0")
    assert (tmp_path / "some.sgy").read_bytes() == segy_forms.varying(chosen(file, some), lengths[some])
    sill.run("cut", path, "-o", tmp_path / "window.sgy", "--time", "10ms:60ms")
    expected = windowed(file, 5, 35, 10).put_binary(3221, "u2", 40)
    assert (tmp_path / "window.sgy").read_bytes() == segy_forms.varying(expected, np.minimum(lengths, 31) - 5)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_ranks(sill, tmp_path, ranks):
    files = [segy_files.make(n, 13, seed=n).put_word("delrt", 0) for n in (50, 1, 77)]
    paths = [f.write(tmp_path / f"{i}.sgy") for i, f in enumerate(files)]
    together = files[0].copy()
    together.rows = np.concatenate([f.rows for f in files])
    some = together.word("iline") % 3 == 1
    options = ["--where", "iline % 3 == 1", "--time", "4ms:", "--policy", ["staged", "elected,threads=2"][ranks % 2]]
    report = tmp_path / "report.json"
    sill.run("cut", *paths, "-o", tmp_path / "out.sgy", *options, "--report", report, ranks=ranks)
    assert (tmp_path / "out.sgy").read_bytes() == windowed(chosen(together, some), 2, 11, 4).to_bytes()
    assert json.loads(report.read_text())["traces_out"] == some.sum()


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("window", [[], ["--time", "104ms:"]])
def test_numbers_and_history(sill, tmp_path, ranks, window):
    file = segy_files.make(90, 12).put_word("delrt", 100)
    file.put_word("cdp", np.arange(90) // 7)
    path = file.write(tmp_path / "f.sgy")
    options = ["--where", "trace % 3 == 0", *window, "--renumber", "--history"]
    sill.run("cut", path, "-o", tmp_path / "out.sgy", *options, ranks=ranks)
    out = segy_files.read(tmp_path / "out.sgy")
    assert np.array_equal(out.word("tracl"), np.arange(1, 31)) and np.array_equal(out.word("tracr"), np.arange(1, 31))
    cdp = out.word("cdp")
    begins = np.flatnonzero(np.r_[True, cdp[1:] != cdp[:-1]])
    assert np.array_equal(out.word("cdpt"), np.arange(30) - np.repeat(begins, np.diff(np.r_[begins, 30])) + 1)
    text = bytes(out.head[:3200]).decode("cp037")
    said = f"SILL CUT WHERE trace % 3 == 0{' TIME 104ms:' if window else ''}"
    assert text[80:160].startswith("C 2 " + said)
    assert text[:80] == bytes(file.head[:80]).decode("cp037")
    rest = chosen(file, np.arange(90) % 3 == 2)
    assert np.array_equal(out.samples(), rest.samples()[:, 2 if window else 0 :])


def test_a_map_names_the_words(sill, tmp_path):
    file = segy_files.make(50, 5)
    path = file.write(tmp_path / "f.sgy")
    (tmp_path / "map.toml").write_text("[words.shot]\nbyte = 197\ntype = 'i4'\n")
    file.put(197, "i4", np.arange(50) // 10).write(path)
    sill.run("cut", path, "-o", tmp_path / "o.sgy", "--where", "shot == 2", "--map", tmp_path / "map.toml")
    assert segy_files.read(tmp_path / "o.sgy").traces == 10


def test_an_interval_of_zero_has_no_times(sill, tmp_path):
    file = segy_files.make(10, 20).put_word("dt", 0).put_binary(3217, "u2", 0)
    path = file.write(tmp_path / "f.sgy")
    for window in (":2s", "0s:2s"):
        said = sill.run("cut", path, "-o", tmp_path / "o.sgy", "--time", window, expect=3).err
        assert "the sample interval is 0" in said
    sill.run("cut", path, "-o", tmp_path / "o.sgy", "--time", ":2s", "--assume", "interval=2000")


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("traces", [20, 5000])  # of the latter traces are sought
def test_a_trace_of_another_interval_has_other_times(sill, tmp_path, order, traces):
    file = segy_files.make(traces, 20, order=order).put_word("fldr", np.arange(traces) // 10)
    file.put_word("dt", 2000).put_binary(3217, "u2", 2000)
    intervals = file.word("dt")
    intervals[[7, 8]] = 0, 4000
    path = file.put_word("dt", intervals).write(tmp_path / "f.sgy")
    out = tmp_path / "o.sgy"
    for command in (["--time", ":10s"], ["--time", ":10s", "--where", "fldr == 0"]):
        for ranks in (None, 2):
            said = sill.run("cut", path, "-o", out, *command, expect=3, ranks=ranks).err
            assert "a sample interval of 4000 us" in said and "2000 us" in said and "trace:  9" in said
            assert "--assume interval=" in said and not out.exists()
    expected = chosen(file, file.word("fldr") == 0)
    sill.run("cut", path, "-o", out, "--where", "fldr == 0")
    assert out.read_bytes() == expected.to_bytes()
    sill.run("cut", path, "-o", out, "--where", "fldr == 0", "--time", ":10s", "--assume", "interval=2000")
    assert out.read_bytes() == expected.to_bytes()
    sill.run("cut", path, "-o", out, "--where", "fldr == 0 and dt != 4000", "--time", ":10s")
    assert out.read_bytes() == chosen(file, (file.word("fldr") == 0) & (intervals != 4000)).to_bytes()


def test_no_trace_to_cut(sill, tmp_path):
    path = segy_files.make(0, 20).write(tmp_path / "f.sgy")
    assert "the input has no traces" in sill.run("cut", path, "-o", tmp_path / "o.sgy", "--time", "0s:1s", expect=2).err


def test_refusals(sill, tmp_path, small):
    file, path = small
    before = path.read_bytes()
    for options, said in [
        ([], "--where CONDITION"),
        (["--where", "iline"], "a condition is needed"),
        (["--where", "iline == 99999"], "none of 120 traces"),
        (["--where", "ilne == 5"], "did you mean iline"),
        (["--time", "1:3"], "has no unit"),
        (["--time", "3s:1s"], "ends before it begins"),
        (["--time", "1s"], "one colon"),
        (["--time", ":"], "both ends are open"),
    ]:
        result = sill.run("cut", path, "-o", tmp_path / "out.sgy", *options, expect=2)
        assert said in result.err
    said = sill.run("cut", path, "-o", tmp_path / "out.sgy", "--time", "100s:200s", expect=3).err
    assert "no sample of this trace is in the window" in said
    sill.run("cut", path, "-o", path, "--where", "trace == 1", expect=2)
    assert path.read_bytes() == before
    assert not (tmp_path / "out.sgy").exists() and leftovers(tmp_path) == []


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("option", ["--time", "--where"])
def test_buffers_may_take_all_memory(sill, tmp_path, monkeypatch, ranks, option):
    """No memory is left beside the buffers: a short list of traces needs none."""
    monkeypatch.setenv("SILL_OPTIONS", "memory=1000000G")
    file = segy_files.make(50, 20).put_word("delrt", 0)
    path, out = file.write(tmp_path / "f.sgy"), tmp_path / "o.sgy"
    sill.run("cut", path, "-o", out, option, "0s:" if option == "--time" else "tracl > 10", ranks=ranks)
    wanted = file if option == "--time" else chosen(file, file.word("tracl") > 10)
    assert out.read_bytes() == wanted.to_bytes()


def test_lines_and_gathers_as_view_names_them(sill, tmp_path):
    ilines, xlines = np.repeat(np.arange(10, 15), 6), np.tile(np.arange(100, 106), 5)
    file = segy_files.make(30, 8).put_word("iline", ilines).put_word("xline", xlines).put_word("cdp", np.arange(30) // 3)
    path = file.write(tmp_path / "in.sgy")
    for options, condition in [(["--inline", "12"], "iline == 12"), (["--crossline", "103"], "xline == 103"),
                               (["--gather", "cdp=4"], "cdp == 4"), (["--gather", "cdp=4:6"], "cdp >= 4 and cdp <= 6"),
                               (["--inline", "12", "--where", "xline > 102"], "iline == 12 and xline > 102")]:
        sill.run("cut", path, "-o", tmp_path / "a.sgy", *options)
        sill.run("cut", path, "-o", tmp_path / "b.sgy", "--where", condition)
        assert (tmp_path / "a.sgy").read_bytes() == (tmp_path / "b.sgy").read_bytes(), options
    assert "--inline" in sill.run("cut", path, "-o", tmp_path / "c.sgy", expect=2).err
    assert "gather" in sill.run("cut", path, "-o", tmp_path / "c.sgy", "--gather", "cdp", expect=2).err
