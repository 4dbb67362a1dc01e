"""`sill convert`: headers word by word, header maps, and Seismic Unix, against the tables of the standard."""

import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import segy_files
import segy_forms
from converting import expected, first_revision, trace_words, turn
from sample_files import facts_of, kind_of, manifest, oracle_of

NATIVE = sys.byteorder


def filled(file: segy_files.Segy, first: int = 1, last: int = 232, seed: int = 6) -> segy_files.Segy:
    """Random bytes in the trace headers, but for what tells the number of samples, the interval and the byte order."""
    raw = np.random.default_rng(seed).integers(0, 256, (file.traces, last - first + 1))
    file.rows[:, first - 1 : last] = raw
    samples = (file.rows.shape[1] - file.header_bytes) // segy_files.size_of(segy_forms.kind_of(file))
    for byte in range(first, 28, 4):
        file.put(byte, "i4", np.random.default_rng(byte).integers(0, 30_000, file.traces))
    return file.put_word("ns", samples).put_word("dt", 2000)


def notes(sill, *arguments) -> list[str]:
    """What a conversion says of words lost or carried."""
    report = arguments[2].parent / "report.json"
    sill.run("convert", *arguments, "--report", report)
    return json.loads(report.read_text())["words_changed"]


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("revision", [(0, 0), (1, 0), (2, 0), (2, 1)])
def test_every_word_is_turned(sill, tmp_path, order, revision):
    make = segy_forms.make if revision[0] == 2 else segy_files.make
    file = filled(make(40, 9, order=order, revision=revision))
    if revision[0] == 2:
        file.rows[:, 232:240] = np.frombuffer(b"SEG00000", np.uint8)  # text has no order
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    for made in ("big", "little"):
        if revision == (0, 0) and made != order:
            refused = sill.run("convert", path, "-o", target, "--byte-order", made, expect=3)
            assert "revision 0 does not define them" in refused.err and "--map standard" in refused.err
        of_revision_1 = [] if revision[0] else ["--map", "standard"]
        sill.run("convert", path, "-o", target, "--byte-order", made, *of_revision_1)
        assert target.read_bytes() == expected(file, order=made).to_bytes(), made


@pytest.mark.parametrize("revision", [(0, 0), (1, 0)])
def test_the_last_bytes_are_no_word_before_revision_2(sill, tmp_path, revision):
    """They are carried in the order of the input, and that is said; a map says what they are."""
    file = segy_files.make(10, 9, revision=revision).put(233, "i4", 77).put(237, "f4", 0.5)
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    of_revision_1 = [] if revision[0] else ["--map", "standard"]
    said = notes(sill, path, "-o", target, "--byte-order", "little", *of_revision_1)
    assert any(re.search(r"bytes 236-237 .*--map", note) for note in said)
    assert target.read_bytes() == expected(file, order="little").to_bytes()
    (tmp_path / "map.json").write_text(
        '{"base": "standard", "words": {"mine": {"byte": 233, "type": "i4"}, "half": {"byte": 237, "type": "f4"}}}'
    )
    said = notes(sill, path, "-o", target, "--byte-order", "little", "--map", tmp_path / "map.json")
    assert [note for note in said if "little-endian" not in note] == []
    words = [*trace_words(file, 1), (233, "i4"), (237, "f4")]
    assert target.read_bytes() == expected(file, order="little", words=words).to_bytes()


def test_an_exponent_behind_a_standard_word_is_turned(sill, tmp_path):
    """A layout that gives the in-line number an exponent cuts the cross-line number's word."""
    file = filled(segy_forms.make(10, 9, revision=(2, 1), extended=1), 181, 232)
    layout = (
        b'((SEG:Layout:text/xml))<segy-layout name="t"><entry name="iline" byte="189" type="scale6"/></segy-layout>'
        b"((SEG:EndText))"
    )
    file.head[3600:6800] = np.frombuffer(layout.ljust(3200), np.uint8)
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    sill.run("convert", path, "-o", target, "--byte-order", "little")
    words = [word for word in trace_words(file, 1) if word[0] not in (189, 193)]
    words += [(189, "i4"), (193, "i2")]
    assert target.read_bytes() == expected(file, order="little", words=words).to_bytes()


# A map's words over the standard's, over pairs of a mantissa and an exponent, over words that the map moves or that a
# preset below it has put there.
OVER = {
    "within a mantissa": ({"iline": (207, "i2")}, [(207, "i2"), (209, "i2")]),
    "across a pair": ({"iline": (227, "i4")}, [(227, "i4")]),
    "text": ({"iline": (206, "a3")}, [(206, "a3"), (209, "i2")]),
    "five bytes": ({"sx": (68, "i5")}, [(68, "i5")]),
    "behind a moved pair": ({"sp": (156, "u3"), "gx": (159, "u6")}, [(156, "u3"), (159, "u6")]),
}


@pytest.mark.parametrize("name", OVER)
@pytest.mark.parametrize("ranks", [None, 2])
def test_words_of_a_map_are_turned_before_those_they_lie_over(sill, tmp_path, name, ranks):
    placed, turned = OVER[name]
    file = filled(segy_files.make(10, 9, revision=(1, 0)))
    path, target, map_file = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy", tmp_path / "m.json"
    map_file.write_text(json.dumps({"words": {word: {"byte": at, "type": kind} for word, (at, kind) in placed.items()}}))
    sill.run("convert", path, "-o", target, "--byte-order", "little", "--map", map_file, ranks=ranks)
    clear = [
        (at, kind) for at, kind in trace_words(file, 1)
        if all(at + int(kind[1:]) <= over or over + int(other[1:]) <= at for over, other in turned)
    ]  # fmt: skip
    turned_bytes = [word for word in turned if word[1][0] != "a"]  # text has no order
    made = expected(file, order="little", words=[*clear, *turned_bytes])
    assert target.read_bytes() == made.to_bytes()
    same = sill.run("compare", path, target, "--map", map_file, "--ignore", "text", ranks=ranks, expect=(0, 1))
    assert same.code == 0, same.out
    raw = bytearray(target.read_bytes())
    raw[3600 + turned[0][0] - 1] ^= 1
    target.write_bytes(raw)
    found = sill.run("compare", path, target, "--map", map_file, ranks=ranks, expect=1).out
    assert f"{next(iter(placed))}: differs in 1 trace" in found


@pytest.mark.parametrize("map_base", ["rev2.1-ext1", "standard", None])
def test_words_of_a_map_count_before_those_of_its_base(sill, tmp_path, map_base):
    file = filled(segy_forms.make(10, 9, revision=(2, 1), additional=1), 241, 300)
    path, target, map_file = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy", tmp_path / "m.json"
    base = {} if map_base is None else {"base": map_base}
    map_file.write_text(json.dumps({**base, "words": {"mine": {"byte": 343, "type": "i4"}}}))
    sill.run("convert", path, "-o", target, "--byte-order", "little", "--map", map_file)
    keys = ("--keys=mine", "--map", map_file, "--csv", "-")
    assert sill.run("scan", target, *keys).out == sill.run("scan", path, *keys).out


@pytest.mark.parametrize("preset", ["petrel", "standard", "rev2.1-ext1"])
def test_a_preset_that_moves_names_takes_no_word_away(sill, tmp_path, preset):
    """In-line 5 for 189: what other readers find at 189 is still a word."""
    file = filled(segy_forms.make(20, 9, additional=1))
    target = tmp_path / "out.sgy"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", target, "--byte-order", "little", "--map", preset)
    assert target.read_bytes() == expected(file, order="little").to_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_every_word_of_extension_1_is_turned(sill, tmp_path, order):
    """Its unassigned bytes and a proprietary header are carried in the order of the input, and named."""
    file = segy_forms.make(40, 9, order=order, additional=2)
    for byte, kind in segy_forms.EXTENSION_1_WORDS:
        if byte not in (137, 157):
            raw = np.random.default_rng(byte).integers(0, 256, (40, segy_files.size_of(kind)))
            file.rows[:, 240 + byte - 1 : 240 + byte - 1 + raw.shape[1]] = raw
    file.rows[:, 240 + 176 : 240 + 180] = 5  # unassigned
    file.rows[:, 480 + 99 : 480 + 110] = 6  # of the proprietary header
    target = tmp_path / "out.sgy"
    other = "little" if order == "big" else "big"
    said = notes(sill, file.write(tmp_path / "in.sgy"), "-o", target, "--byte-order", other)
    assert target.read_bytes() == expected(file, order=other).to_bytes()
    assert any("417-420" in note and "580-590" in note and "--map" in note for note in said)


def test_no_word_is_no_matter_if_the_byte_order_stays(sill, tmp_path):
    file = segy_forms.make(10, 9, additional=2)
    file.rows[:, 480:720] = 6
    path = file.write(tmp_path / "in.sgy")
    assert notes(sill, path, "-o", tmp_path / "out.sgy", "--sample-format", "int32", "--clip") == []


MAP = """
base = "rev2.1-ext1"
[words.depth]
byte = 233
type = "f4"
[words.halves]
byte = 9
type = "i2"
[words.other]
byte = 11
type = "i2"
[words.tiny]
byte = 481
type = "f8"
[words.label]
byte = 489
type = "a8"
"""


@pytest.mark.parametrize("made", ["big", "little"])
def test_words_of_a_map_override_the_standard(sill, tmp_path, made):
    order = "little" if made == "big" else "big"
    file = filled(segy_forms.make(20, 9, order=order, additional=2), last=240)
    file.rows[:, 480:496] = np.random.default_rng(2).integers(0, 256, (20, 16))
    (tmp_path / "map.toml").write_text(MAP)
    target = tmp_path / "out.sgy"
    said = notes(
        sill, file.write(tmp_path / "in.sgy"), "-o", target, "--byte-order", made, "--map", tmp_path / "map.toml"
    )
    words = [word for word in trace_words(file, 3) if word != (9, "i4")]
    words += [(9, "i2"), (11, "i2"), (233, "f4"), (481, "f8")]
    assert target.read_bytes() == expected(file, order=made, words=words).to_bytes()
    assert not any("489" in note or "481" in note for note in said)  # text is a word too


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("revision", [(1, 0), (2, 0), (2, 1)])
def test_every_word_of_the_binary_header_is_turned(sill, tmp_path, order, revision):
    """What the output determines, and codes that readers act on, are sound; the others are random."""
    file = (segy_forms.make if revision[0] == 2 else segy_files.make)(10, 9, order=order, revision=revision)
    raw = np.random.default_rng(4)
    for first, last in [(3213, 3216), (3219, 3220), (3223, 3224), (3227, 3228), (3231, 3254), (3257, 3260)]:
        file.head[first - 1 : last] = raw.integers(0, 256, last - first + 1)
    for byte in (3201, 3205, 3209):
        file.put_binary(byte, "i4", raw.integers(0, 30_000))  # smaller in their own order than in any other
    file.head[3300:3500] = raw.integers(0, 256, 200)  # unassigned: no words, so that no order is theirs
    file.head[3532:3600] = raw.integers(0, 256, 68)
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "out.sgy"
    for made in ("big", "little"):
        sill.run("convert", path, "-o", target, "--byte-order", made)
        assert target.read_bytes() == expected(file, order=made).to_bytes(), made


@pytest.mark.parametrize("order", ["big", "little"])
def test_longer_words_of_the_binary_header_are_turned(sill, tmp_path, order):
    file = segy_forms.make(10, 9, order=order)
    words = [(3261, "i4", 40_000), (3265, "i4", -3), (3281, "f8", 62.5), (3289, "u4", 3_000_000_000), (3293, "i4", 99),
             (3509, "i2", 260), (3511, "i2", 3)]  # fmt: skip
    for word in words:
        file.put_binary(*word)
    other = "little" if order == "big" else "big"
    sill.run("convert", file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.sgy", "--byte-order", other)
    made = segy_forms.parse((tmp_path / "out.sgy").read_bytes(), replace(file, order=other))
    for byte, kind, value in words:
        assert made.binary(byte, kind) == value, byte


def su_header_expected(file: segy_files.Segy, made_order: str, keep: bool, words=None) -> np.ndarray:
    rows = turn(file.rows[:, :240], words or trace_words(file, 1), 1, file.order, made_order)
    if not keep:
        rows[:, 180:240] = 0
    return rows


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("made", ["big", "little", None])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("code", [1, 5, 7])
def test_segy_to_seismic_unix(sill, tmp_path, order, made, keep, code):
    """Floats in this machine's order; bytes 181-240, which mean other things there, are cleared and named."""
    if code == 7 and order == "pairwise":
        pytest.skip("the standard does not say how 24 bits are swapped in pairs")
    file = segy_forms.make(30, 9, order=order, code=code, extended=1, label=True, trailers=1)
    file.put_word("cdpx", 17).put(197, "i4", 5).put(231, "i2", 0)
    arguments = (["--byte-order", made] if made else []) + (["--keep-181"] if keep else [])
    target = tmp_path / "out.su"
    said = notes(sill, file.write(tmp_path / "in.sgy"), "-o", target, *arguments)
    made = made or NATIVE
    samples = segy_files.encode(file.samples().astype(np.float32), "f4", made).reshape(30, -1)
    rows = su_header_expected(file, made, keep)
    assert target.read_bytes() == np.concatenate([rows, samples], axis=1).tobytes()
    assert any("text header" in note for note in said) and any("trailers" in note for note in said)
    cleared = [note for note in said if "181-240" in note]
    if keep:
        assert not cleared
    else:
        assert len(cleared) == 1 and "--keep-181" in cleared[0]
        for lost in ("181-184", "189-192", "193-196", "197-200"):
            assert lost in cleared[0]
        assert "231-232" not in cleared[0] and "205-208" not in cleared[0]  # which hold nothing


def test_su_has_samples_and_interval_in_every_trace(sill, tmp_path):
    file = segy_files.make(30, 9).put_word("dt", 0)
    ns = np.full(30, 9)
    ns[7:] = 0
    file.put_word("ns", ns)
    said = notes(sill, file.write(tmp_path / "in.sgy"), "-o", tmp_path / "out.su", "--byte-order", "big")
    made = segy_forms.parse((tmp_path / "out.su").read_bytes(), segy_forms.make_su(1, 9))
    assert made.word("ns").tolist() == [9] * 30 and made.word("dt").tolist() == [2000] * 30
    assert any("115-116" in note and "23 traces" in note for note in said)
    assert any("117-118" in note and "30 traces" in note for note in said)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("keep", [False, True])
def test_seismic_unix_to_segy(sill, tmp_path, order, keep):
    file = segy_forms.make_su(30, 9, order=order)
    target = tmp_path / "out.sgy"
    arguments = ["--keep-181"] if keep else []
    said = notes(sill, file.write(tmp_path / "in.su"), "-o", target, *arguments)
    made = segy_files.read(target)  # big-endian by default
    assert (made.code, made.binary(3217, "u2"), made.binary(3503, "i2")) == (5, 2000, 1)
    assert (made.head[3500], made.head[3501]) == (1, 0)
    assert np.array_equal(made.samples(), file.samples())
    # What is kept are SEG-Y's words.
    words = trace_words(segy_files.make(1, 1), 1) if keep else None
    assert np.array_equal(made.rows[:, :240], su_header_expected(file, "big", keep, words))
    cleared = [note for note in said if "181-240" in note]
    assert bool(cleared) != keep
    if not keep:
        assert "d1" in cleared[0] and "ntr" in cleared[0] and "iline" not in cleared[0]
    text = made.head[:3200].tobytes().decode("cp037")
    assert all(text[80 * line : 80 * line + 3] == f"C{line + 1:2d}" for line in range(40))
    assert "SEISMIC UNIX" in text and "TRACES 30" in text and "SEG Y REV1 " in text[38 * 80 : 39 * 80]
    assert "END TEXTUAL HEADER" in text[39 * 80 :]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_seismic_unix_to_the_other_order_and_back(sill, tmp_path, order, ranks):
    file = segy_forms.make_su(30, 9, order=order)
    path, middle, back = file.write(tmp_path / "in.su"), tmp_path / "middle.su", tmp_path / "back.su"
    other = "little" if order == "big" else "big"
    sill.run("convert", path, "-o", middle, "--byte-order", other, ranks=ranks)
    rows = su_header_expected(file, other, True)
    samples = segy_files.encode(file.samples(), "f4", other).reshape(30, -1)
    assert middle.read_bytes() == np.concatenate([rows, samples], axis=1).tobytes()
    sill.run("convert", middle, "-o", back, "--byte-order", order, ranks=ranks)
    assert back.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("order", ["big", "little"])
def test_seismic_unix_through_segy_and_back(sill, tmp_path, order):
    file = segy_forms.make_su(30, 9, order=order)
    path, middle, back = file.write(tmp_path / "in.su"), tmp_path / "middle.sgy", tmp_path / "back.su"
    sill.run("convert", path, "-o", middle, "--byte-order", order, "--keep-181")
    sill.run("convert", middle, "-o", back, "--byte-order", order, "--keep-181")
    assert back.read_bytes() == path.read_bytes()


def test_the_kind_of_file_by_name_or_told(sill, tmp_path):
    path = segy_files.make(30, 9).write(tmp_path / "in.sgy")
    for name, arguments, is_su in [
        ("a.su", [], True), ("a.SU", [], True), ("a.sgy", [], False), ("a.sgy", ["--to", "su"], True),
        ("a.su", ["--to", "segy"], False),
    ]:  # fmt: skip
        sill.run("convert", path, "-o", tmp_path / name, *arguments)
        assert (tmp_path / name).stat().st_size == 30 * (240 + 36) + (0 if is_su else 3600)


def test_words_of_a_file_with_its_own_layout(sill, samples, tmp_path):
    """A real file of revision 2.1 whose stanza tells of words of every type, some of three, five and seven bytes."""
    path = samples / "segyio_mapping-all-types.sgy"
    little, back = tmp_path / "little.sgy", tmp_path / "back.sgy"
    sill.run("convert", path, "-o", little, "--byte-order", "little")
    sill.run("convert", little, "-o", back, "--byte-order", "big")
    one, other = path.read_bytes(), back.read_bytes()
    assert one[:3200] == other[:3200] and one[3600:] == other[3600:]
    sill.run("compare", path, little, "--ignore", "text", expect=(0, 1))


def test_real_twins(sill, samples, tmp_path):
    """The same gather as SU and as SEG-Y of IBM floats, by Seismic Unix's own segywrite."""
    su, segy = samples / "su_shaping_data.su", samples / "su_shaping_data.sgy"
    rows = {row["file"]: row for row in manifest(samples)}
    sill.run("convert", su, "-o", tmp_path / "out.sgy", "--sample-format", "ibm", "--revision", "0")
    made = segy_files.read(tmp_path / "out.sgy")
    twin = oracle_of(rows[segy.name], segy)
    own = oracle_of(rows[su.name], su)
    assert np.array_equal(segy_files.ibm_words(own.samples()), segy_files.ibm_words(made.samples()))
    difference = np.abs(made.samples() - twin.samples())
    assert difference.max() <= np.abs(twin.samples()).max() * 2.0**-20  # segywrite cuts digits off
    assert np.array_equal(made.rows[:, :180], twin.rows[:, :180])
    sill.run("convert", segy, "-o", tmp_path / "out.su", "--byte-order", "big")
    back = segy_forms.parse((tmp_path / "out.su").read_bytes(), own)
    assert np.array_equal(back.samples(), twin.samples().astype(np.float32))


def test_real_files_there_and_back(sill, samples, tmp_path):
    """Every real file that is whole, into the other byte order and back: traces come back byte for byte."""
    done = 0
    for row in manifest(samples):
        if kind_of(row) == "SEG-2" or "truncated" in row["special"] or facts_of(row)["ntr"] == "0":
            continue
        path = samples / row["file"]
        told = oracle_of(row, path)
        suffix = "su" if kind_of(row) == "SU" else "sgy"
        middle, back = tmp_path / f"middle.{suffix}", tmp_path / f"back.{suffix}"
        other = "little" if told.order == "big" else "big"
        # Some say revision 0 or 1 and have what came later, which is read but not written.
        late = []
        if suffix == "sgy" and told.head[3500] < max(first_revision(told.code), told.extended > 0):
            late = ["--revision", "2.1" if first_revision(told.code) == 2 else "1"]
        words = ["--map", "standard"] if suffix == "sgy" and told.head[3500] == 0 else []
        sill.run("convert", path, "-o", middle, "--byte-order", other, *late, *words)
        sill.run("convert", middle, "-o", back, "--byte-order", told.order, *(words if not late else []))
        at = len(told.head)
        assert back.read_bytes()[at:] == path.read_bytes()[at:], row["file"]
        assert back.read_bytes()[:3200] == path.read_bytes()[:3200] or not at, row["file"]
        done += 1
    assert done > 20


@pytest.mark.parametrize("ranks", [None, 2])
def test_extended_texts_of_revision_0_are_carried(sill, tmp_path, ranks):
    """Revision 0 has none, and files have them all the same: every command takes them as sort does."""
    file = segy_files.make(6, 50, revision=(0, 0)).put_binary(3505, "i2", 1)
    text = "".join(f"C{line:2} MORE TEXT".ljust(80) for line in range(1, 41)).encode("cp037")
    path = tmp_path / "in.sgy"
    path.write_bytes(file.head.tobytes()[:3600] + text + file.rows.tobytes())
    sill.run("convert", path, "-o", tmp_path / "c.sgy", "--sample-format", "ibm", ranks=ranks)
    sill.run("flow", path, "-o", tmp_path / "f.sgy", "--do", "polarity", ranks=ranks)
    for made in ("c.sgy", "f.sgy"):
        assert (tmp_path / made).read_bytes()[3600:6800] == text
        told = json.loads(sill.run("info", "--json", tmp_path / made).out)
        assert (told["traces"], told["first_trace_byte"]) == (6, 6800)
    newer = segy_files.make(6, 50, revision=(1, 0)).put_binary(3505, "i2", 1)
    path.write_bytes(newer.head.tobytes()[:3600] + text + newer.rows.tobytes())
    refused = sill.run("convert", path, "-o", tmp_path / "r.sgy", "--revision", "0", expect=2)
    assert "extended text headers" in refused.err
