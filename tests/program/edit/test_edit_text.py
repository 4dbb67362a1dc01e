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
    "text, told",
    [
        ("\n" * 2 + "a" * 81, "line 3"),
        ("x\n" * 41, "41 lines"),
        ("x\n" * 80, "80 lines"),
        ("ok\nK\u0416ln", "line 2"),
        ("ok\na\tb", "line 2"),
        ("\n\n", "empty"),
    ],
)
def test_text_that_cannot_be(sill, small, tmp_path, text, told):
    file, path = small
    (tmp_path / "header.txt").write_text(text, encoding="utf-8")
    refused = edit(sill, path, "--text", tmp_path / "header.txt", expect=2)
    assert told in re.sub(r"line: +", "line ", refused.err)
    assert path.read_bytes() == file.to_bytes()


# What `sill text` prints is what `--text` takes -----------------------------------------------------------------------


def text_of(sill, path, tmp_path):
    text = tmp_path / "t.txt"
    text.write_bytes(sill.run("text", path).out.encode())
    return text


def raw_texts(kind: str, blocks: int) -> np.ndarray:
    """Blocks of text of a kind, as bytes."""
    bytes_of = {
        "all bytes": bytes(range(256)) * 13,
        "EBCDIC": segy_files.text_header("EBCDIC"),
        "ASCII": segy_files.text_header("ASCII"),
        "letters of Latin-1": "".join(f"C{i:2d} GRÖßE ÑANDÚ ½ ¢ ¬ ]".ljust(80) for i in range(1, 41)).encode("cp037"),
        "no-break spaces": (b"\xc3\x41\x41\xf1" + b"\x41" * 76) * 40,
        "some not printable": segy_files.text_header("ASCII").replace(b" ", b"\x01", 20),
        "ASCII, padded with NUL": b"".join(f"C{i:2d} LINE".encode().ljust(80, b"\0") for i in range(1, 41)),
        "EBCDIC, padded with NUL": b"".join(f"C{i:2d} LINE".encode("cp037").ljust(80, b"\0") for i in range(1, 41)),
        "few characters": bytes(320) + b"LINE_ID 0",
        "NUL": b"",
        "blanks of ASCII": b" " * 3200,
        "blanks of EBCDIC": b"@" * 3200,
        "ends of lines": b"".join(f"C{i:2d} LINE".encode().ljust(78) + b"\r\n" for i in range(1, 41)),
    }[kind]
    block = np.frombuffer(bytes_of[:3200].ljust(3200, b"\0"), np.uint8)
    return np.concatenate([np.roll(block, 80 * i) for i in range(blocks)])


KINDS = [
    "all bytes", "EBCDIC", "ASCII", "letters of Latin-1", "no-break spaces", "some not printable",
    "ASCII, padded with NUL", "EBCDIC, padded with NUL", "few characters", "NUL", "blanks of ASCII", "blanks of EBCDIC",
    "ends of lines",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extended, trailers, label", [(0, 0, False), (2, 1, True)])
def test_what_text_prints_changes_nothing(sill, tmp_path, kind, extended, trailers, label):
    """Bytes that no text can name, too: a line that is given as it is shown keeps them."""
    file = segy_forms.make(5, 7, extended=extended, trailers=trailers, label=label)
    blocks = raw_texts(kind, 1 + extended + trailers)
    file.head[:3200] = blocks[:3200]
    file.head[3600:] = blocks[3200 : 3200 * (1 + extended)]
    file.tail = blocks[3200 * (1 + extended) :].tobytes()
    path = file.write(tmp_path / "in.sgy")
    text = text_of(sill, path, tmp_path)
    assert len(text.read_bytes().split(b"\n")) == 40 * (1 + extended + trailers) + 1
    edit(sill, path, "--text", text)
    assert path.read_bytes() == file.to_bytes()
    edit(sill, path, "--text", text, "-o", tmp_path / "out.sgy", ranks=2)
    assert (tmp_path / "out.sgy").read_bytes() == file.to_bytes()


@pytest.mark.parametrize("into", ["in place", "new"])
@pytest.mark.parametrize("kind", ["EBCDIC", "ASCII, padded with NUL", "letters of Latin-1", "some not printable"])
def test_only_the_lines_that_were_changed(sill, tmp_path, into, kind):
    """The third line of each block gets another text, all others keep their bytes."""
    file = segy_forms.make(5, 7, extended=1, trailers=2, label=True)
    blocks = raw_texts(kind, 4)
    file.head[:3200], file.head[3600:], file.tail = blocks[:3200], blocks[3200:6400], blocks[6400:].tobytes()
    path = file.write(tmp_path / "in.sgy")
    text = text_of(sill, path, tmp_path)
    lines = text.read_text(encoding="utf-8").split("\n")
    for block in range(4):
        lines[40 * block + 2] = f"C 3 {'GRÖßE' if kind == 'letters of Latin-1' else 'SIZE'} {block}"
    text.write_text("\n".join(lines), encoding="utf-8")
    target = path if into == "in place" else tmp_path / "out.sgy"
    edit(sill, path, "--text", text, *([] if into == "in place" else ["-o", target]), ranks=2)
    wanted = blocks.copy()
    encoding = "cp037" if kind in ("EBCDIC", "letters of Latin-1") else "ascii"
    for block in range(4):
        at = 3200 * block + 160
        wanted[at : at + 80] = np.frombuffer(lines[40 * block + 2].ljust(80).encode(encoding), np.uint8)
    file.head[:3200], file.head[3600:], file.tail = wanted[:3200], wanted[3200:6400], wanted[6400:].tobytes()
    assert target.read_bytes() == file.to_bytes()


def test_a_text_and_a_table_from_standard_input(sill, tmp_path):
    file = segy_files.make(5, 5)
    path = file.write(tmp_path / "in.sgy")
    (tmp_path / "t.txt").write_text("C 1 NEW")
    with (tmp_path / "t.txt").open() as text:
        edit(sill, path, "--text", "-", stdin=text)
    assert path.read_bytes()[:3200] == "C 1 NEW".ljust(3200).encode("cp037")
    (tmp_path / "t.csv").write_text("tracl,x\n" + "".join(f"{n},{n + 70}\n" for n in file.word("tracl")))
    with (tmp_path / "t.csv").open() as table:
        edit(sill, path, "--from", "-", "--match", "tracl", "--set", "cdp=x", stdin=table)
    assert segy_files.read(path).word("cdp").tolist() == [n + 70 for n in file.word("tracl").tolist()]


def test_a_letter_that_ascii_has_not(sill, tmp_path):
    path = segy_files.make(5, 5, text="ASCII").write(tmp_path / "in.sgy")
    (tmp_path / "t.txt").write_text("ok\nKöln", encoding="utf-8")
    before = path.read_bytes()
    refused = edit(sill, path, "--text", tmp_path / "t.txt", expect=2)
    assert "line 2" in refused.err and "ASCII" in refused.err
    assert path.read_bytes() == before


def test_a_text_that_is_no_text_at_all(sill, small, tmp_path):
    """Neither a huge file nor one of other bytes becomes a text header."""
    _, path = small
    huge = tmp_path / "huge"
    with huge.open("wb") as opened:
        opened.truncate(10 << 30)
    assert "is longer than" in edit(sill, path, "--text", huge, expect=2).err
    assert edit(sill, path, "--text", path, expect=2).code == 2


def test_real_texts_change_nothing(sill, tmp_path, samples):
    for name in ("obspy_1_int32_ascii.sgy", "su_329.sgy", "segyio_multi-text.sgy", "segyio_text-only.sgy",
                 "segyio_delay-scalar.sgy", "segyio_stanzas-known-count.sgy", "obspy_planes_le.segy"):  # fmt: skip
        path = tmp_path / name
        path.write_bytes((samples / name).read_bytes())
        before = path.read_bytes()
        text = text_of(sill, path, tmp_path)
        ran = edit(sill, path, "--text", text, expect=(0, 3))
        assert path.read_bytes() == before, name
        assert ran.code == 0 or name == "segyio_text-only.sgy", name


def test_a_history_of_several_lines_stays_together(sill, tmp_path):
    steps = "gain scale=2; gain scale=0.5; gain scale=4"

    def history_of(used):
        file = segy_files.make(5, 5)
        lines = [f"C{n:2} " + ("TEXT" if n in used else "") for n in range(1, 41)]
        file.head[:3200] = np.frombuffer("".join(f"{line:80}" for line in lines).encode("cp037"), np.uint8)
        path = file.write(tmp_path / "in.sgy")
        sill.run("flow", path, "-o", tmp_path / "out.sgy", "--do", steps)
        text = (tmp_path / "out.sgy").read_bytes()[:3200].decode("cp037")
        return [n for n in range(1, 41) if "SILL FLOW" in text[80 * n - 80 : 80 * n]]

    assert history_of({1, 3, 7, 39, 40}) == [8, 9, 10]
    assert history_of({1, 3, 7, *range(12, 37), 40}) == [4, 5, 6]
    assert history_of({1, *range(3, 38, 2)}) == [2, 4, 6]
    assert history_of(set(range(1, 38)) - {5}) == [5, 38]


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


@pytest.mark.parametrize("ranks", [None, 2])
def test_text_behind_the_traces_and_words_of_them(sill, tmp_path, ranks):
    """Texts and traces are written at the same time, all within what one request may cover."""
    file = segy_forms.make(20, 7, extended=1, trailers=2)
    path = file.write(tmp_path / "in.sgy")
    text = tmp_path / "t.txt"
    for run in range(5):
        text.write_text("\n".join([f"C 1 RUN {run}"] * 160))
        edit(sill, path, "--text", text, "--set", f"sx=trace+{1000 * run}", "--threads", 4, ranks=ranks)
        line = f"C 1 RUN {run}".ljust(80)
        ebcdic, ascii = (np.frombuffer(line.encode(code), np.uint8) for code in ("cp037", "ascii"))
        data = np.frombuffer(path.read_bytes(), np.uint8)
        expected = file.copy().put_word("sx", np.arange(1, 21) + 1000 * run)
        assert (data[6800:-6400] == expected.rows.reshape(-1)).all()
        for begin in (0, 3600, len(data) - 6400, len(data) - 3200):
            lines = data[begin : begin + 3200].reshape(40, 80)
            assert any((lines == line).all() for line in (ebcdic, ascii))
