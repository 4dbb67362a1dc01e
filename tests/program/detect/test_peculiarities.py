"""What is found out about files that break the standard: each peculiarity, a file that has it, what is to be told."""

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
import segy_files
import segy_forms
from advice import follow

GRADES = ["info", "minor", "major", "critical"]


@dataclass
class Case:
    """`told`: of each finding the grade, and a pattern of its place, problem and action."""

    content: bytes
    facts: dict
    told: list = field(default_factory=list)
    name: str = "f.sgy"
    known: dict = field(default_factory=dict)  # what an advice leaves to be known of the file


def file(traces=7, samples=30, **options) -> segy_files.Segy:
    made = segy_files.make(traces, samples, **{"revision": (0, 0), **options})
    return made.put_word("ns", samples).put_word("dt", 2000)


def facts(traces=7, samples=30, **more) -> dict:
    return {"format": "SEG-Y", "traces": traces, "samples": samples, "first_trace_byte": 3600} | more


def with_text(text: bytes) -> bytes:
    content = file().to_bytes()
    return text.ljust(3200, b"\0")[:3200] + content[3200:]


def texts(count: int) -> bytes:
    return b"".join(segy_files.text_header("ASCII", f"EXTENDED {i}") for i in range(count))


def with_texts(count: int, told: int, revision=(1, 0), samples=40, **options) -> bytes:
    made = file(60, samples, revision=revision, **options).put_binary(3505, "i2", told).put_binary(3503, "i2", 1)
    content = made.to_bytes()
    return content[:3600] + texts(count) + content[3600:]


def turned_traces() -> bytes:
    big, little = file(code=5), file(code=5, order="little")
    return big.head.tobytes() + little.rows.tobytes()


def copied_as_text(made: segy_files.Segy) -> bytes:
    return made.to_bytes().replace(b"\n", b"\r\n")


def numbered(samples: int) -> segy_files.Segy:
    """Its values have many line feeds, and its headers none."""
    made = file(30, samples, code=2)
    return made.put_samples(np.full((30, samples), 0x0A0A0A0A).astype("i4")).put_word("tracl", 77).put_word("tracr", 77)


def two() -> segy_files.Segy:
    return segy_forms.make(7, 30, told=True).put_word("ns", 30).put_word("dt", 2000)


def su(order="big", traces=9, samples=30) -> bytes:
    return segy_forms.make_su(traces, samples, order=order).to_bytes()


def positions(value: int) -> segy_files.Segy:
    made = file().put_word("scalco", 1)
    for word in ("sx", "sy", "gx", "gy"):
        made.put_word(word, value)
    return made


def cube(word: str, value) -> bytes:
    return file().put_word(word, value).to_bytes()


CASES = {
    "revision swapped": Case(
        file(revision=(0, 1)).to_bytes(), facts(revision="0.1"), [("minor", "3501-3502.*swapped.*revision 1")]
    ),
    "revision swapped, little": Case(
        file(revision=(0, 1), order="little").to_bytes(), facts(byte_order="little"), [("info", "3501-3502.*swapped")]
    ),
    "revision bogus": Case(
        file(revision=(88, 7)).to_bytes(), facts(revision="88.7"), [("minor", "3501-3502.*undefined.*revision 0")]
    ),
    "little without constant": Case(file(order="little").to_bytes(), facts(byte_order="little")),
    "revision 2, little, without constant": Case(
        segy_forms.make(7, 30, order="little", constant=False).to_bytes(), facts(byte_order="little")
    ),
    "pairwise": Case(file(order="pairwise").to_bytes(), facts(byte_order="pairwise")),
    "constant that means nothing": Case(
        two().put_binary(3297, "i4", 77).to_bytes(), facts(), [("minor", "3297-3300.*undefined")]
    ),
    "constant that contradicts": Case(
        two().put_binary(3297, "i4", 0x04030201).to_bytes(), facts(byte_order="big"), [("major", "3297-3300.*little")]
    ),
    "traces of another byte order": Case(
        turned_traces(), facts(byte_order="big"), [("critical", "trace headers are in little.*--assume byte_order")]
    ),
    "ns 0 in traces": Case(cube("ns", 0), facts(), [("info", "115-116.*states? 0 samples")]),
    "ns other in traces, flag 1": Case(
        file(revision=(1, 0)).put_binary(3503, "i2", 1).put_word("ns", 462).to_bytes(),
        facts(),
        [("minor", "115-116.*462.*the value of the binary header is used")],
    ),
    "ns wrong in the binary header, flag 1": Case(
        file(9, 30, revision=(1, 0)).put_binary(3503, "i2", 1).put_binary(3221, "u2", 31).to_bytes(),
        facts(9),
        [("major", "3221-3222.*31 samples.*have 30")],
    ),
    "ns 0 in the binary header": Case(
        file().put_binary(3221, "u2", 0).to_bytes(), facts(), [("minor", "3221-3222.*first trace header: 30")]
    ),
    "dt 0": Case(
        file().put_binary(3217, "u2", 0).to_bytes(),
        facts(interval_us=2000),
        [("minor", "3217-3218.*first trace header: 2000")],
    ),
    "dt 0 everywhere": Case(
        file().put_binary(3217, "u2", 0).put_word("dt", 0).to_bytes(),
        facts(interval_us=0),
        [("minor", "3217-3218.*used unchanged")],
    ),
    "dt negative": Case(
        file().put_binary(3217, "u2", 65536 - 2000).to_bytes(),
        facts(interval_us=63536),
        [("major", "3217-3218.*-2000"), ("minor", "117-118.*2000")],
    ),
    "dt other in traces": Case(cube("dt", 4000), facts(interval_us=2000), [("minor", "117-118.*4000")]),
    "text of NULs": Case(with_text(b""), facts(text_encoding="unknown"), [("minor", "1-3200.*3200 bytes are NUL")]),
    "text that is garbage": Case(
        with_text(bytes(range(128, 256)) * 25), facts(text_encoding="unknown"), [("minor", "1-3200.*neither")]
    ),
    "text in ASCII": Case(file(text="ASCII").to_bytes(), facts(text_encoding="ASCII")),
    "text in both": Case(
        with_text(segy_files.text_header("EBCDIC")[:2400] + segy_files.text_header("ASCII")[2400:]),
        facts(text_encoding="EBCDIC"),
        [("minor", "1-3200.*lines 31, 32.*40 ASCII")],
    ),
    "a few words among NULs": Case(with_text(bytes(320) + b"LINE_ID 0"), facts(text_encoding="ASCII"), [("info", "3191 bytes.*NUL")]),
    "NULs and other bytes": Case(
        with_text(bytes(320) + b"LINE_ID 0\x01"), facts(text_encoding="unknown"), [("minor", "1-3200.*3190 of its")]
    ),
    "text with some NULs": Case(
        with_text(segy_files.text_header("ASCII")[:2000]), facts(text_encoding="ASCII"), [("info", "1200 bytes.*NUL")]
    ),
    "texts in revision 0": Case(
        with_texts(2, 2, (0, 0)),
        facts(60, 40, first_trace_byte=10_000, extended_text_headers=2),
        [("minor", "3505-3506.*revision 0.*used:")],
    ),
    "texts that are not told": Case(
        with_texts(2, 0, (0, 0)),
        facts(60, 40, first_trace_byte=10_000, extended_text_headers=2),
        [("major", "3505-3506.*at byte 3600.*at byte 10000")],
    ),
    "texts told too few": Case(
        with_texts(3, 1),
        facts(60, 40, first_trace_byte=13_200, extended_text_headers=3),
        [("major", "3505-3506.*at byte 6800.*at byte 13200")],
    ),
    "texts told too many": Case(
        with_texts(1, 4),
        facts(60, 40, first_trace_byte=6800, extended_text_headers=1),
        [("major", "3505-3506.*at byte 16400.*at byte 6800")],
    ),
    # 3200 bytes are eight of these traces: the size of the file tells nothing.
    "texts told, none there": Case(with_texts(0, 2), facts(60, 40), [("major", "3505-3506.*at byte 10000.*byte 3600")]),
    "texts told, none there, sizes of no help": Case(
        with_texts(0, 2, samples=41), facts(60, 41), [("minor", "3505-3506.*no text")]
    ),
    "texts told beyond the end": Case(with_texts(0, 3000), facts(60, 40), [("major", "3505-3506.*too short")]),
    "Seismic Unix named SEG-Y": Case(
        su(), {"format": "Seismic Unix", "traces": 9, "samples": 30}, [("info", "complete file.*\\.su")]
    ),
    "SEG-Y named Seismic Unix": Case(file().to_bytes(), facts(), [("info", "SEG-Y, although its name")], "f.su"),
    "Seismic Unix, tiny": Case(
        su("little", 1, 5), {"format": "Seismic Unix", "byte_order": "little", "traces": 1, "samples": 5}, [], "f.su"
    ),
    "Seismic Unix, tiny and cut": Case(
        su("little", 3, 100)[:900],
        {"format": "Seismic Unix", "byte_order": "little", "traces": 1, "samples": 100},
        [("critical", "byte 641 .*260 bytes follow")],
        "f.su",
    ),
    "Seismic Unix, less than a trace": Case(
        su("big", 1, 100)[:400],
        {"format": "Seismic Unix", "byte_order": "big", "traces": 0, "samples": 100},
        [("critical", "byte 1 .*400 bytes follow")],
        "f.su",
    ),
    "Seismic Unix, cut": Case(
        su("little", 60, 30)[:-100],
        {"format": "Seismic Unix", "byte_order": "little", "traces": 59, "samples": 30},
        [("critical", "260 bytes follow"), ("info", "\\.su")],
    ),
    "tape label": Case(
        segy_forms.make(7, 30, revision=(1, 0), label=True, told=False).to_bytes(),
        facts(tape_label=True, first_trace_byte=3728),
    ),
    "copied as text": Case(
        copied_as_text(numbered(50)), {"format": "SEG-Y"}, [("critical", "copied as text.*as binary")]
    ),
    "last trace cut": Case(
        file().to_bytes()[:-30], facts(6), [("critical", f"byte {3600 + 6 * 360 + 1} .*330 bytes follow")]
    ),
    "cut in the last header": Case(file().to_bytes()[:-200], facts(6), [("critical", "160 bytes follow")]),
    "zeros after the last trace": Case(
        file().to_bytes() + bytes(300),
        facts(7, padding_bytes=300),
        [("major", "300 zero bytes.*padding.*not copied")],
    ),
    "zeros of many traces": Case(
        file().to_bytes() + bytes(3 * 360), facts(10), [("minor", "trace 10.*only zeros"), ("info", "states? 0 samples")]
    ),
    "samples of revision 2 that are rubbish": Case(
        two().put_binary(3269, "u4", 29).to_bytes(), facts(), [("major", "3269-3272.*29 samples.*have 30")]
    ),
    "samples of revision 2 beyond the file": Case(
        two().put_binary(3269, "u4", 2**32 - 1).to_bytes(), facts(), [("major", "3269-3272.*too short")]
    ),
    "interval of revision 2 that is rubbish": Case(
        two().put_binary(3273, "f8", np.nan).to_bytes(), facts(interval_us=2000), [("minor", "3273-3280.*2000")]
    ),
    "first byte of revision 2 that is rubbish": Case(
        two().put_binary(3521, "u8", 2**63).to_bytes(), facts(), [("major", "3521-3528.*ignored")]
    ),
    "first byte of revision 2 inside a trace": Case(
        two().put_binary(3521, "u8", 3700).to_bytes(), facts(), [("major", "3521-3528.*byte 3700.*byte 3600")]
    ),
    "headers of revision 2 that are not there": Case(
        two().put_binary(3507, "i2", 1).to_bytes(),
        facts(additional_trace_headers=0),
        [("major", "3507-3508.*1 additional.*there are 0")],
    ),
    "trailers of revision 2 that are not there": Case(
        two().put_binary(3529, "i4", 2**31 - 1).to_bytes(), facts(trailers=0), [("major", "3529-3532.*too short")]
    ),
    "words of revision 2 in revision 1": Case(
        file(revision=(1, 0)).put_binary(3503, "i2", 1).put_binary(3269, "u4", 99).put_binary(3521, "u8", 9).to_bytes(),
        facts(),
    ),
    "size of samples wrong": Case(
        file(8, 31, code=3).put_binary(3225, "i2", 5).to_bytes(),
        {"format": "SEG-Y"},
        [("critical", "3225-3226.*samples of 2 bytes, not of 4.*--assume sample_format"), ("critical", "follow")],
        known={"CODE": 3},
    ),
    "scalar that is none": Case(cube("scalco", 82), facts(), [("minor", "71-72.*82")]),
    "measurement system that is none": Case(
        file().put_binary(3255, "i2", 55).to_bytes(), facts(measurement_system=55), [("minor", "3255-3256.*55")]
    ),
    "seconds of arc": Case(
        positions(400_000).put_word("counit", 2).to_bytes(), facts(coordinate_unit=2)
    ),
    "seconds of arc that are none": Case(
        positions(5_000_000).put_word("counit", 2).to_bytes(),
        facts(coordinate_unit=2),
        [("minor", "89-90.*one coordinate is 5000000")],
    ),
    "unit of coordinates that is none": Case(cube("counit", 9), facts(coordinate_unit=9), [("minor", "89-90.* 9,")]),
    "units of coordinates that differ": Case(
        cube("counit", [1, 1, 1, 2, 2, 2, 2]), facts(coordinate_unit=0), [("minor", "89-90.*differs")]
    ),
    "depth in the text": Case(
        with_text(segy_files.text_header(what="PSDM STACK, DEPTH DOMAIN")),
        facts(domain="time"),
        [("info", "may be in depth.*line 1 .*DEPTH DOMAIN")],
    ),
    "feet in the text": Case(
        with_text(segy_files.text_header(what="ELEVATIONS IN FEET")),
        facts(measurement_system=1),
        [("info", "lengths are in metres, but line 1 .*FEET")],
    ),
    "sorting code that is none": Case(
        file().put_binary(3229, "i2", 77).to_bytes(), facts(), [("minor", "3229-3230.*77")]
    ),
}  # fmt: skip


def text_of(finding: dict) -> str:
    return f"{finding['where']} {finding['problem']} {finding['action']} {finding['clause']}"


@pytest.mark.parametrize("peculiarity", CASES)
def test_peculiarity(sill, tmp_path, peculiarity):
    case = CASES[peculiarity]
    path = tmp_path / case.name
    path.write_bytes(case.content)
    refused = 3 if any(grade == "critical" for grade, _ in case.told) else 0
    found = json.loads(sill.run("info", path, "--json", expect=refused).out)
    assert {key: found.get(key) for key in case.facts} == case.facts
    told = found["diagnostics"]
    for grade, pattern in case.told:
        assert [d for d in told if d["grade"] == grade and re.search(pattern, text_of(d))], told
    # Nothing worse is said than what is to be said.
    worst = max((GRADES.index(grade) for grade, _ in case.told), default=0)
    assert max((GRADES.index(d["grade"]) for d in told), default=0) == worst, told
    for decision in found["evidence"]:
        assert decision["subject"] and decision["decided"] and decision["by"]
    follow(sill, path, told, case.known)
    assert {"format", "byte order", "traces", "lengths", "domain"} <= {e["subject"] for e in found["evidence"]}
    if found["traces"] == 0:
        return

    # What others do with it: stop at what is critical, and with --strict at all that is minor or worse.
    sill.run("scan", path, "--keys", "tracl", expect=refused)
    strict = sill.run("scan", path, "--keys", "tracl", "--strict", expect=3 if worst > 0 else 0)
    odd = [d for d in told if d["grade"] != "info"]
    for finding in odd:
        assert finding["problem"] in strict.err


@pytest.mark.parametrize(
    "peculiarity, decided", [(None, "trusted"), ("samples of revision 2 that are rubbish", "trusted in part")]
)
def test_words_of_revision_2_are_trusted_or_not(sill, tmp_path, peculiarity, decided):
    (tmp_path / "f.sgy").write_bytes(CASES[peculiarity].content if peculiarity else two().to_bytes())
    found = json.loads(sill.run("info", tmp_path / "f.sgy", "--json").out)
    assert [e["decided"] for e in found["evidence"] if e["subject"] == "words of revision 2"] == [decided]


def test_a_binary_header_copied_as_text_is_refused_as_such(sill, tmp_path):
    """Its ten samples, 00 0A, move all that follows."""
    (tmp_path / "f.sgy").write_bytes(copied_as_text(file(7, 10)))
    assert "copied as text" in sill.run("info", tmp_path / "f.sgy", expect=3).err


def test_an_unknown_format_is_refused_with_what_can_be_told(sill, tmp_path):
    for code in (0, 13, 99):
        path = file().put_binary(3225, "i2", code).write(tmp_path / "f.sgy")
        assert "--assume sample_format=" in sill.run("info", path, expect=3).err


@pytest.mark.parametrize("zeros", [1, 3, 239])
def test_zeros_shorter_than_a_trace_header_may_be_a_cut_one(sill, tmp_path, zeros):
    (tmp_path / "f.sgy").write_bytes(file().to_bytes() + bytes(zeros))
    sill.run("scan", tmp_path / "f.sgy", expect=3)


def test_padding_is_not_carried(sill, tmp_path):
    made = file()
    (tmp_path / "f.sgy").write_bytes(made.to_bytes() + bytes(300))
    sill.run("sort", tmp_path / "f.sgy", "-o", tmp_path / "o.sgy", "--by", "tracl", "--keep-sorting-code")
    assert (tmp_path / "o.sgy").read_bytes() == made.permuted(np.argsort(made.word("tracl"), kind="stable")).to_bytes()


def test_strict_names_all_findings_of_all_files(sill, tmp_path):
    a, b = tmp_path / "a.sgy", tmp_path / "b.sgy"
    a.write_bytes(file().put_word("scalco", 82).put_binary(3229, "i2", 77).to_bytes())
    b.write_bytes(file().put_word("dt", 4000).to_bytes())
    for ranks in (None, 2):
        failed = sill.run("sort", a, b, "-o", tmp_path / "o.sgy", "--by", "cdp", "--strict", ranks=ranks, expect=3)
        assert "3 findings of grade minor or worse" in failed.err
        for part in (f"{a}: the scalar", f"{a}: the trace sorting code", f"{b}: trace headers state 4000"):
            assert failed.err.count(part) == 1
    assert not (tmp_path / "o.sgy").exists()
    told = sill.run("info", a, b, "--strict", expect=3)
    assert "a.sgy" in told.out and "b.sgy" in told.out
    for command in (["text", a], ["index", a], ["header", a, "1"], ["compare", a, a]):
        assert "2 findings" in sill.run(*command, "--strict", expect=3).err
    sill.run("convert", a, "-o", tmp_path / "o.su", "--strict", expect=3)


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 6, 7, 8, 16])
def test_sound_files_have_no_runner_up(sill, tmp_path, order, code):
    path = file(40, 33, code=code, order=order).write(tmp_path / "f.sgy")
    found = json.loads(sill.run("info", path, "--json").out)
    assert not [e for e in found["evidence"] if "runner_up" in e]
    assert max((GRADES.index(d["grade"]) for d in found["diagnostics"]), default=0) == 0
