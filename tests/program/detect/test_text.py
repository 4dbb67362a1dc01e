"""`sill text`: the texts of a file, against Python's and segyio's decoding."""

import re

import numpy as np
import pytest
import segy_files
import segy_forms

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


def card_image(seed: int) -> str:
    """40 lines of 80 characters, each of ASCII's printable ones somewhere, blanks at the ends of lines."""
    random = np.random.default_rng(seed)
    lines = []
    for i in range(40):
        many = int(random.integers(0, 70))
        body = "".join(random.choice(list(PRINTABLE), many))
        lines.append(f"C{i + 1:2d} {PRINTABLE[i:i + 6]}{body}"[:80].ljust(80))
    return "".join(lines)


def lines_of(text: str) -> list[str]:
    return [text[at : at + 80].rstrip(" ") for at in range(0, 3200, 80)]


def blocks_of(ran) -> list[tuple[str, list[str]]]:
    """The blocks of one file: what standard error calls them, and their lines, which standard output is all of."""
    names = re.findall(r"(?m)^sill: /\S+\.sgy, (?!tape label)(.*)$", ran.err)
    lines = ran.out.split("\n")
    assert len(lines) == 40 * len(names) + 1 and lines[-1] == ""
    return [(name, lines[40 * i : 40 * i + 40]) for i, name in enumerate(names)]


def with_texts(file: segy_files.Segy, texts: list[str], encodings: list[str]) -> segy_files.Segy:
    """Puts texts into the text header, the extended ones and the trailers, in this order."""
    raw = [np.frombuffer(t.encode("cp037" if e == "EBCDIC" else "ascii"), np.uint8) for t, e in zip(texts, encodings)]
    file.head[:3200] = raw[0]
    for i in range(file.extended):
        file.head[3600 + 3200 * i :][:3200] = raw[1 + i]
    file.tail = b"".join(block.tobytes() for block in raw[1 + file.extended :])
    return file


@pytest.mark.parametrize("encoding", ["EBCDIC", "ASCII"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_all_texts(sill, tmp_path, encoding, ranks):
    texts = [card_image(seed) for seed in range(5)]
    file = with_texts(segy_forms.make(9, 7, extended=2, trailers=2, label=True), texts, [encoding] * 5)
    ran = sill.run("text", file.write(tmp_path / "in.sgy"), ranks=ranks)
    blocks = blocks_of(ran)
    assert [name for name, _ in blocks] == [
        f"text header ({encoding})", f"extended text header 1 of 2 ({encoding})",
        f"extended text header 2 of 2 ({encoding})", f"data trailer 1 of 2 ({encoding})",
        f"data trailer 2 of 2 ({encoding})",
    ]  # fmt: skip
    for (_, lines), text in zip(blocks, texts):
        assert lines == lines_of(text)
    assert f"tape label: {file.label.decode().rstrip()}" in ran.err


def test_each_text_by_its_own_encoding(sill, tmp_path):
    encodings = ["EBCDIC", "ASCII", "EBCDIC", "ASCII"]
    texts = [card_image(seed) for seed in range(4)]
    file = with_texts(segy_forms.make(9, 7, extended=2, trailers=1), texts, encodings)
    blocks = blocks_of(sill.run("text", file.write(tmp_path / "in.sgy")))
    assert [re.search(r"\((\w+)\)", name).group(1) for name, _ in blocks] == encodings
    assert [lines for _, lines in blocks] == [lines_of(text) for text in texts]


def test_letters_beyond_ascii(sill, tmp_path):
    """Code page 037 has those of Latin-1."""
    text = ("C 1 PROSPECCION SÍSMICA ÑANDÚ, GRÖßE 3½ µs ÷ 2 ¢ ¬ ¦".ljust(80) + " " * 3120)
    file = with_texts(segy_files.make(9, 7), [text], ["EBCDIC"])
    assert blocks_of(sill.run("text", file.write(tmp_path / "in.sgy")))[0][1] == lines_of(text)


@pytest.mark.parametrize("trailers", [1, 3])
def test_trailers_of_an_open_count(sill, tmp_path, trailers):
    texts = [card_image(seed) for seed in range(1 + trailers)]
    file = segy_forms.make(9, 7, trailers=trailers, trailers_told=-1)
    file = with_texts(file, texts, ["EBCDIC"] * len(texts))
    blocks = blocks_of(sill.run("text", file.write(tmp_path / "in.sgy")))
    assert [lines for _, lines in blocks] == [lines_of(text) for text in texts]


def test_no_text_breaks_a_terminal(sill, tmp_path):
    """Controls, and bytes that are no text, show as something printable."""
    file = segy_files.make(9, 7)
    file.head[:3200] = np.resize(np.arange(256, dtype=np.uint8), 3200)
    out = sill.run("text", file.write(tmp_path / "in.sgy")).out
    assert all(c == "\n" or c.isprintable() for c in out)
    assert out.count("\n") >= 40


def test_seismic_unix_has_none(sill, tmp_path):
    assert "no text" in sill.run("text", segy_forms.make_su(30, 9).write(tmp_path / "in.su")).out


def test_several_files(sill, tmp_path):
    paths = [segy_files.make(3, 7, text=text).write(tmp_path / f"{text}.sgy") for text in ("EBCDIC", "ASCII")]
    parts = re.split(r"(?m)^(?=/\S+\.sgy, )", sill.run("text", *paths).out)[1:]
    parts = [part.split("\n") for part in parts]
    assert [lines[0].split(", ", 1)[1] for lines in parts] == ["text header (EBCDIC)", "text header (ASCII)"]
    assert parts[0][1:41] == parts[1][1:41] == lines_of(segy_files.text_header("ASCII").decode())


def test_real_files_as_segyio_decodes_them(sill, samples):
    """segyio decodes EBCDIC to ASCII; what ASCII has not is left out of the comparison."""
    segyio = pytest.importorskip("segyio")
    compared = 0
    for path in sorted(samples.glob("*.sgy")):
        if path.name in ("segyio_broken.sgy", "segyio_text-only.sgy"):
            continue
        try:
            with segyio.open(path, ignore_geometry=True) as opened:
                texts = [bytes(opened.text[i]) for i in range(1 + opened.ext_headers)]
        except (RuntimeError, ValueError):
            continue
        blocks = blocks_of(sill.run("text", path))
        if not all("EBCDIC" in name for name, _ in blocks):
            continue
        assert len(blocks) == len(texts), path.name
        for (_, lines), text in zip(blocks, texts):
            for i, line in enumerate(lines):
                theirs = text[80 * i : 80 * i + 80].decode("latin-1").ljust(80)
                for ours, other in zip(line.ljust(80), theirs):
                    if "!" <= ours <= "~" and ours not in ".[]^|!" and other.isprintable() and other.isascii():
                        assert ours == other, (path.name, i, line)
                        compared += 1
    assert compared > 5_000


def test_a_half_edited_file_is_not_shown(sill, tmp_path):
    path = segy_files.make(3, 4).write(tmp_path / "f.sgy")
    path.with_name("f.sgy.sill-journal").write_bytes(b"an edit that was interrupted")
    assert "--recover" in sill.run("text", path, expect=3).reason
