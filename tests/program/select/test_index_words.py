"""`sill index --words` and `sill cut --where` by the words stored: the same bytes as without an index, or why not."""

import json
import os
import random
import struct

import numpy as np
import pytest
import segy_files
import segy_forms
import survey_shapes
from test_cut import chosen, windowed
from index_files import SUFFIX, checksum


def cube(lines=40, places=30, samples=3, **options) -> segy_files.Segy:
    slow, fast = survey_shapes.grid_numbers(100 + 2 * np.arange(lines), 7 + np.arange(places), 1)
    file = segy_files.make(len(slow), samples, **options).put_word("delrt", 0)
    return file.put_word("iline", slow).put_word("xline", fast)


class Cut:
    """Runs cut, holds its output against the oracle byte for byte, and tells what it reported."""

    def __init__(self, sill, folder):
        self.sill, self.folder = sill, folder

    def __call__(self, paths, where, expected, *more, ranks=None) -> dict:
        out, report, log = (self.folder / name for name in ("out.sgy", "report.json", "log.txt"))
        log.unlink(missing_ok=True)
        said = self.sill.run(
            "cut", *paths, "-o", out, "--where", where, "--report", report, "--log", log, *more, ranks=ranks
        )
        assert out.read_bytes() == (expected if isinstance(expected, bytes) else expected.to_bytes())
        told = json.loads(report.read_text())
        assert ("words stored in" in said.out) == told["index_used"]
        return told | {"said": said.out, "log": log.read_text(), "err": said.err}


@pytest.fixture
def cut(sill, tmp_path):
    return Cut(sill, tmp_path)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_words_of_a_cube(sill, cut, tmp_path, order, ranks):
    """Whatever is in the headers, wrong numbers inside lines too: only those of the traces taken are read."""
    file = cube(order=order)
    iline = file.word("iline").copy()
    iline[605:620] = 150
    file.put_word("iline", iline)
    path = file.write(tmp_path / "cube.sgy")
    told = json.loads(sill.run("index", "--json", "--words", "iline, XLINE,@189:i4", path, ranks=ranks).out)
    index = tmp_path / ("cube.sgy" + SUFFIX)
    assert (told["words"], told["traces"], told["needed"]) == (2, 1200, False)
    assert told["bytes"] == index.stat().st_size
    xline, trace = file.word("xline"), np.arange(file.traces)
    some = np.isin(xline, [7, 20, 21, 22]) & ((iline < 102) | (iline > 120))
    for where, which in [
        ("iline == 150", iline == 150),
        ("xline in (7, 20:22) and iline not between 102 and 120", some),
        ("@189:i4 == 150 or trace == 3", (iline == 150) | (trace == 2)),
        ("iline > 0", iline > 0),
    ]:
        told = cut([path], where, chosen(file, which), ranks=ranks)
        assert told["index_used"] and told["headers_read"] == which.sum() and not told["sought"]
        assert str(index) in told["said"]
    told = cut([path], "iline == 150", windowed(chosen(file, iline == 150), 1, 2, 2), "--time", "2ms:4ms", ranks=ranks)
    assert told["index_used"]
    assert cut([path], "iline == 150", chosen(file, iline == 150), "--seek", ranks=ranks)["index_used"]
    for where, which in [("iline == 150 and trid == 1", iline == 150), ("iline == 150 and calc_offset >= 0", iline == 150)]:
        told = cut([path], where, chosen(file, which), ranks=ranks)
        assert not told["index_used"] and told["headers_read"] == file.traces
    command = ("cut", path, "-o", tmp_path / "x", "--where")
    assert "none of 1200" in sill.run(*command, "iline == 1", expect=2, ranks=ranks).err
    refused = sill.run(*command, "5 % (iline - 150) == 2", expect=3, ranks=ranks)
    assert "is undefined" in refused.err and "606" in refused.err


def test_the_bytes_are_as_documented(sill, tmp_path):
    """docs/index-file.md, read by hand: more than one block of traces."""
    file = cube(200, 100, samples=1)
    path = file.write(tmp_path / "cube.sgy")
    sill.run("index", path, "--words", "xline,@1:u2")
    raw = (tmp_path / ("cube.sgy" + SUFFIX)).read_bytes()
    stretches, words = struct.unpack_from("<qq", raw, 104)
    assert (stretches, words) == (1, 2)
    assert struct.unpack_from("<qII", raw, 144) == (193, 0, 4) and struct.unpack_from("<qII", raw, 160) == (1, 1, 2)
    assert struct.unpack_from("<Q", raw, 176)[0] == checksum(raw[:176])
    at, first = 184, 0
    while first < file.traces:
        rows = file.rows[first : first + 16384]
        block = np.concatenate([rows[:, 192:196], rows[:, 0:2]], axis=1).tobytes()
        assert raw[at : at + len(block)] == block
        assert struct.unpack_from("<Q", raw, at + len(block))[0] == checksum(block)
        at, first = at + len(block) + 8, first + 16384
    assert at == len(raw)


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_index_that_does_not_fit_is_not_used(sill, cut, tmp_path, ranks):
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    sill.run("index", path, "--words", "iline")
    index = tmp_path / ("cube.sgy" + SUFFIX)
    stamp = path.stat()
    # Another program's change that the time tells.
    iline = file.word("iline").copy()
    iline[5:9] = 150
    file.put_word("iline", iline).write(path)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1000))
    told = cut([path], "iline == 150", chosen(file, iline == 150), ranks=ranks)
    assert not told["index_used"] and told["headers_read"] == file.traces and "the file has changed" in told["err"]
    # The same where the time was set back: the first trace is looked at, and those that would be taken.
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert cut([path], "iline == 130", chosen(file, iline == 130), ranks=ranks)["index_used"]
    iline[300:303] = 199
    file.put_word("iline", iline)
    file.write(path)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    told = cut([path], "iline == 120", chosen(file, iline == 120), ranks=ranks)
    assert not told["index_used"] and "trace 301 has other numbers" in told["log"]
    iline[-1] = 5
    file.put_word("iline", iline)
    file.write(path)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    told = cut([path], "iline == 5", chosen(file, iline == 5), ranks=ranks)
    assert not told["index_used"] and "trace 1200 contains other words" in told["err"]
    # One of another version, and damaged ones.
    sill.run("index", path, "--words", "iline")
    for damage, why in [(8, "version"), (index.stat().st_size - 20, "checksum"), (120, "checksum")]:
        raw = bytearray(index.read_bytes())
        raw[damage] ^= 1
        index.write_bytes(raw)
        told = cut([path], "iline == 5", chosen(file, iline == 5), ranks=ranks)
        assert not told["index_used"] and why in told["err"]
        raw[damage] ^= 1
        index.write_bytes(raw)
    assert cut([path], "iline == 5", chosen(file, iline == 5), ranks=ranks)["index_used"]
    sill.run("index", "--remove", path)
    told = cut([path], "iline == 5", chosen(file, iline == 5), ranks=ranks)
    assert not told["index_used"] and told["err"] == ""


def test_an_edit_in_place_renews_the_index(sill, cut, tmp_path):
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    sill.run("index", path, "--words", "iline,xline")
    sill.run("edit", path, "--set", "iline=150", "--where", "trace between 6 and 9")
    iline = file.word("iline").copy()
    iline[5:9] = 150
    file.put_word("iline", iline)
    for where, which in [("iline == 150", iline == 150), ("iline == 100", iline == 100)]:
        assert cut([path], where, chosen(file, which))["index_used"]


def test_a_damaged_block_that_was_not_looked_at(sill, cut, tmp_path):
    """Of more blocks than are looked at first: every header is read, and the log tells why."""
    file = cube(660, 500, samples=1)
    path = file.write(tmp_path / "cube.sgy")
    sill.run("index", path, "--words", "iline")
    index = tmp_path / ("cube.sgy" + SUFFIX)
    raw = bytearray(index.read_bytes())
    blocks = -(-file.traces // 16384)
    looked_at = {(file.traces - 1) * i // 17 // 16384 for i in range(18)}
    block = next(b for b in range(blocks) if b not in looked_at)
    raw[120 + 24 + 16 + 8 + block * (16384 * 4 + 8) + 77] ^= 4
    index.write_bytes(raw)
    which = file.word("iline") == 300
    told = cut([path], "iline == 300", chosen(file, which), ranks=2)
    assert not told["index_used"] and "damaged" in told["log"]


def test_several_files(sill, cut, tmp_path):
    whole = cube()
    paths = []
    for i, (begin, end) in enumerate(((0, 500), (500, 501), (501, 1200))):
        part = whole.copy()
        part.rows = whole.rows[begin:end]
        paths.append(part.write(tmp_path / f"{i}.sgy"))
    which = whole.word("iline") == 132
    sill.run("index", *paths[:2], "--words", "iline")
    assert not cut(paths, "iline == 132", chosen(whole, which))["index_used"]
    sill.run("index", paths[2], "--words", "xline,iline")
    for ranks in (None, 3):
        assert cut(paths, "iline == 132", chosen(whole, which), ranks=ranks)["index_used"]
        both = which & (np.arange(1200) >= 501)
        assert cut(paths, "iline == 132 and file == 3", chosen(whole, both), ranks=ranks)["index_used"]
        assert not cut(paths, "xline == 12", chosen(whole, whole.word("xline") == 12), ranks=ranks)["index_used"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_traces_of_different_lengths(sill, cut, tmp_path, ranks):
    file = cube(samples=6)
    lengths = 4 + np.arange(file.traces) % 3
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    sill.run("index", path, "--words", "iline,cdp", ranks=ranks)
    some = file.word("iline") == 150
    told = cut([path], "iline == 150", segy_forms.varying(chosen(file, some), lengths[some]), ranks=ranks)
    assert told["index_used"] and told["headers_read"] == some.sum()
    assert sill.run("scan", path, "--keys=iline", ranks=ranks).err == ""


def test_words_of_a_map(sill, cut, tmp_path):
    """What counts is where a word lies, not what it is called."""
    file = cube()
    path = file.write(tmp_path / "cube.sgy")
    words = tmp_path / "words.toml"
    words.write_text('[words.iline]\nbyte = 193\ntype = "i4"\n')
    sill.run("index", path, "--words", "iline", "--map", words)
    which = file.word("xline") == 20
    assert cut([path], "iline == 20", chosen(file, which), "--map", words)["index_used"]
    assert cut([path], "xline == 20", chosen(file, which))["index_used"]
    assert not cut([path], "iline == 150", chosen(file, file.word("iline") == 150))["index_used"]


def test_what_cannot_be_stored(sill, tmp_path):
    path = cube().write(tmp_path / "cube.sgy")
    for words, why in [
        ("iline,nothing", "nothing"), ("@1:f4", "integer words"), ("@1:i8", "integer words"),
        ("iline xline", "operator"), ("iline,", "header word"),
    ]:  # fmt: skip
        assert why in sill.run("index", path, "--words", words, expect=2).err
    sill.run("index", path, "--words", "iline", "--remove", expect=2)
    assert "--words" in sill.run("index", path, "--map", "petrel", expect=2).err
    assert os.listdir(tmp_path) == ["cube.sgy"]
    many = ",".join(f"@{byte}:u1" for byte in range(1, 66))
    assert "at most 64" in sill.run("index", path, "--words", many, expect=2).err
    sill.run("index", path, "--words", many.rpartition(",")[0])
    (tmp_path / "cube.sgy.sill-journal").write_bytes(b"x" * 200)
    sill.run("index", path, "--words", "iline", expect=3)


@pytest.mark.parametrize("seed", range(6))
def test_random_surveys_and_conditions(sill, cut, tmp_path, seed):
    """Numbers without any order: the bytes that reading every header gives."""
    dice, numbers = random.Random(seed), np.random.default_rng(seed)
    traces = dice.choice([1, 2, 500, 16384, 16385, 33000])
    file = segy_files.make(traces, 1).put_word("iline", numbers.integers(-9, 9, traces))
    file.put_word("fldr", numbers.integers(-(2**31), 2**31, traces)).put_word("trid", numbers.integers(0, 3, traces))
    path = file.write(tmp_path / "f.sgy")
    sill.run("index", path, "--words", "trid,fldr,iline", ranks=dice.choice([None, 2]))
    iline, fldr, trid = (file.word(name) for name in ("iline", "fldr", "trid"))
    one = int(iline[dice.randrange(traces)])
    where, which = dice.choice([
        (f"iline == {one}", iline == one),
        (f"iline in ({one}, 20:30) or fldr > 0", (iline == one) | (fldr > 0)),
        (f"iline == {one} and trid != 7", iline == one),
    ])  # fmt: skip
    assert cut([path], where, chosen(file, which), ranks=dice.choice([None, 2, 3]))["index_used"]
