"""Text headers, histories and trace numbers: by `sill edit`, and as `sort` and `convert` have them, too."""

import re

import numpy as np
import pytest
import segy_files
import segy_forms
from editing import RANKS, edit, numbered


# Text headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["EBCDIC", "ASCII"])
def test_text_from_a_file(sill, tmp_path, encoding):
    file = segy_files.make(5, 5, text=encoding)
    path = file.write(tmp_path / "in.sgy")
    text = tmp_path / "header.txt"
    text.write_text("C 1 NEW\n\nC 3 THIRD LINE")
    edit(sill, path, "--text", text, ranks=2)
    block = "".join(f"{line:<80}" for line in ["C 1 NEW", "", "C 3 THIRD LINE", *[""] * 37])
    data = path.read_bytes()
    assert data[:3200] == block.encode("cp037" if encoding == "EBCDIC" else "ascii")
    assert data[3200:] == file.to_bytes()[3200:]


@pytest.mark.parametrize(
    "text, told", [("\n" * 2 + "a" * 81, "line 3"), ("x\n" * 41, "line 41"), ("ok\nK\u00f6ln", "line 2")]
)
def test_text_that_cannot_be(sill, small, tmp_path, text, told):
    file, path = small
    (tmp_path / "header.txt").write_text(text, encoding="utf-8")
    refused = edit(sill, path, "--text", tmp_path / "header.txt", expect=2)
    assert told in re.sub(r"line: +", "line ", refused.err)
    assert path.read_bytes() == file.to_bytes()


def test_history(sill, tmp_path):
    file = segy_files.make(5, 5)
    path = file.write(tmp_path / "in.sgy")
    edit(sill, path, "--set", "cdp=9", "--where", "trace>2", "--history")
    lines = path.read_bytes()[:3200].decode("cp037")
    assert lines[80:160].startswith("C 2 SILL EDIT cdp=9 WHERE trace>2")
    assert lines[:80] + lines[160:] == (file.to_bytes()[:3200].decode("cp037")[:80]
                                        + file.to_bytes()[:3200].decode("cp037")[160:])  # fmt: skip
    full = segy_files.make(5, 5)
    full.head[:3200] = np.frombuffer(("C 1 FULL" + "X" * 72).encode("cp037") * 40, np.uint8)
    path = full.write(tmp_path / "full.sgy")
    assert "no line" in edit(sill, path, "--set", "cdp=9", "--history", expect=2).err
    assert path.read_bytes() == full.to_bytes()
    edit(sill, segy_forms.make_su(5, 5).write(tmp_path / "a.su"), "--set", "cdp=9", "--history", expect=2)


# Trace numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("into", ["in place", "new"])
def test_renumbering(sill, tmp_path, ranks, into):
    file = segy_files.make(97, 5)
    file.put_word("cdp", np.sort(file.word("cdp")) // 5)
    path = file.write(tmp_path / "in.sgy")
    target = path if into == "in place" else tmp_path / "out.sgy"
    edit(sill, path, "--renumber", *([] if into == "in place" else ["-o", target]), ranks=ranks)
    n = np.arange(1, 98)
    cdp = file.word("cdp")
    first = np.maximum.accumulate(np.where(np.r_[True, cdp[1:] != cdp[:-1]], np.arange(97), 0))
    file.put_word("tracl", n).put_word("tracr", n).put_word("cdpt", np.arange(97) - first + 1)
    assert target.read_bytes() == file.to_bytes()


def with_history(data: bytes, what: str) -> bytes:
    """With the second line of the text header, which `segy_files` leaves free."""
    line = f"C 2 {what}"
    return data[:80] + f"{line:<80}".encode("cp037") + data[160:]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_sort_renumbers_and_tells(sill, tmp_path, ranks, method):
    file = segy_files.make(90, 5)
    path = file.write(tmp_path / "in.sgy")
    order = segy_files.sort_order(file, ["cdp", "-offset"])
    out = tmp_path / "out.sgy"
    sill.run("sort", path, "-o", out, "--by", "cdp,-offset", "--renumber", "--history", "--keep-sorting-code",
             "--method", method, ranks=ranks)  # fmt: skip
    assert out.read_bytes() == with_history(numbered(file.permuted(order)).to_bytes(), "SILL SORT BY cdp,-offset")


@pytest.mark.parametrize("ranks", RANKS)
def test_convert_renumbers_and_tells(sill, tmp_path, ranks):
    file = segy_files.make(90, 5)
    file.put_word("cdp", np.arange(90) // 40)
    path = file.write(tmp_path / "in.sgy")
    out = tmp_path / "out.sgy"
    sill.run("convert", path, "-o", out, "--renumber", "--history", "--sample-format", "ieee", ranks=ranks)
    assert out.read_bytes() == with_history(numbered(file).to_bytes(), "SILL CONVERT SAMPLES ieee")
    sill.run("convert", path, "-o", tmp_path / "out.su", "--history", expect=2)


def test_sort_of_many_lengths_renumbers(sill, tmp_path):
    file = segy_files.make(30, 12)
    lengths = [3 + i % 9 for i in range(30)]
    path = tmp_path / "in.sgy"
    path.write_bytes(segy_forms.varying(file.copy(), lengths))
    order = segy_files.sort_order(file, ["cdp"])
    out = tmp_path / "out.sgy"
    sill.run("sort", path, "-o", out, "--by", "cdp", "--renumber", "--keep-sorting-code", ranks=3)
    sill.run("sort", path, "-o", tmp_path / "plain.sgy", "--by", "cdp", "--keep-sorting-code")
    wanted = bytearray((tmp_path / "plain.sgy").read_bytes())
    cdp = file.word("cdp")[order]
    at, number = 3600, 0
    for i, trace in enumerate(order):
        number = number + 1 if i and cdp[i] == cdp[i - 1] else 1
        for place, value in [(0, i + 1), (4, i + 1), (24, number)]:
            wanted[at + place : at + place + 4] = value.to_bytes(4, "big")
        at += 240 + 4 * lengths[trace]
    assert out.read_bytes() == wanted
