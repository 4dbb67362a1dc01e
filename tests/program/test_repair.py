"""`sill repair`: each damage as a file that has it; what comes out is sound, with the same samples; what is refused."""

import gzip
import json
import re
import resource
from dataclasses import dataclass, field

import numpy as np
import pytest
import segy_files
import segy_forms
import test_peculiarities as odd
from caught import OLD
from test_peculiarities import CASES, copied_as_text, file, numbered, su, two, with_texts

CLEAN = "nothing to repair"


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "out.sgy"


def repaired(sill, content: bytes, tmp_path, target, *options, name="f.sgy", **more) -> dict:
    """Repairs a file; the report, with the lines printed as `said`."""
    path = tmp_path / name
    path.write_bytes(content)
    report = tmp_path / "report.json"
    result = sill.run("repair", path, "-o", target, *options, "--report", report, **more)
    assert sorted(p.name for p in target.parent.iterdir()) == [target.name]
    return json.loads(report.read_text()) | {"said": result.text, "path": path}


def refused(sill, content: bytes, tmp_path, target, *options, code=3, name="f.sgy", **more) -> str:
    """The reason of a refusal that leaves nothing behind, and an old output as it was."""
    path = tmp_path / name
    path.write_bytes(content)
    target.write_bytes(OLD)
    reason = sill.run("repair", path, "-o", target, *options, expect=code, **more).reason
    assert [p.name for p in target.parent.iterdir()] == [target.name]
    assert target.read_bytes() == OLD
    return reason


def accepted(sill, path) -> dict:
    """What is found out about a file that has no finding of grade minor or worse."""
    return json.loads(sill.run("info", path, "--json", "--strict").out)


@dataclass
class Mended:
    """`like`: a sound file with the samples that are to be there; `what`: of each repair its place and result."""

    like: segy_files.Segy
    what: list
    facts: dict = field(default_factory=dict)
    options: list = field(default_factory=list)


# Of the files of test_peculiarities: what becomes of them. The others are below, as left or refused.
MENDED = {
    "revision swapped": Mended(file(revision=(1, 0)), [("byte 3501", "1"), ("byte 3502", "0")]),
    "revision swapped, little": Mended(
        file(revision=(1, 0), order="little"), [("byte 3501", "1"), ("byte 3502", "0")], {"byte_order": "little"}
    ),
    "revision bogus": Mended(file(), [("byte 3501", "0"), ("byte 3502", "0")]),
    "revision 2, little, without constant": Mended(
        two(), [("bytes 3297-3300", "16909060")], {"byte_order": "little"}
    ),
    "pairwise": Mended(file(), [("all words", "big")], {"byte_order": "big"}),
    "constant that means nothing": Mended(two(), [("bytes 3297-3300", "16909060")]),
    "constant that contradicts": Mended(two(), [("bytes 3297-3300", "16909060")]),
    "traces of another byte order": Mended(
        file(code=5, order="little"), [("all words", "little")], {"byte_order": "little"}
    ),
    "ns other in traces, flag 1": Mended(file(revision=(1, 0)), [("bytes 115-116 of 7 trace", "30")]),
    "ns wrong in the binary header, flag 1": Mended(file(9, revision=(1, 0)), [("bytes 3221-3222", "30")]),
    "ns 0 in the binary header": Mended(file(), [("bytes 3221-3222", "30")]),
    "dt 0": Mended(file(), [("bytes 3217-3218", "2000")]),
    "dt other in traces": Mended(file(), [("bytes 117-118 of 7 trace", "2000 us")]),
    "texts told too few": Mended(
        file(60, 40), [("bytes 3505-3506", "3")], {"first_trace_byte": 13_200, "extended_text_headers": 3}
    ),
    "texts told too many": Mended(
        file(60, 40), [("bytes 3505-3506", "1")], {"first_trace_byte": 6800, "extended_text_headers": 1}
    ),
    "texts told, none there": Mended(file(60, 40), [("bytes 3505-3506", "0")]),
    "texts told, none there, sizes of no help": Mended(file(60, 41), [("bytes 3505-3506", "0")]),
    "texts told beyond the end": Mended(file(60, 40), [("bytes 3505-3506", "0")]),
    "texts in revision 0": Mended(
        file(60, 40), [("byte 3501", "1")], {"extended_text_headers": 2, "revision": "1.0"}, ["--revision", "1"]
    ),
    "texts that are not told": Mended(
        file(60, 40), [("bytes 3505-3506", "2")], {"extended_text_headers": 2}, ["--revision", "1"]
    ),
    "last trace cut": Mended(
        file().permuted(np.arange(6)), [("byte 5761", "left away")], {"traces": 6}, ["--last-trace", "drop"]
    ),
    "cut in the last header": Mended(
        file().permuted(np.arange(6)), [("byte 5761", "left away")], {"traces": 6}, ["--last-trace", "drop"]
    ),
    "Seismic Unix, tiny and cut": Mended(
        segy_forms.make_su(3, 100, order="little").permuted(np.arange(1)),
        [("byte 641", "left away")],
        {"format": "Seismic Unix", "traces": 1},
        ["--last-trace", "drop"],
    ),
    "Seismic Unix, cut": Mended(
        segy_forms.make_su(60, 30, order="little").permuted(np.arange(59)),
        [("byte 21241", "left away")],
        {"format": "Seismic Unix", "traces": 59},
        ["--last-trace", "drop"],
    ),
    "zeros after the last trace": Mended(file(), [("byte 6121", "none")]),
    "samples of revision 2 that are rubbish": Mended(two(), [("bytes 3269-3272", "30")]),
    "samples of revision 2 beyond the file": Mended(two(), [("bytes 3269-3272", "30")]),
    "interval of revision 2 that is rubbish": Mended(two(), [("bytes 3273-3280", "2000")]),
    "first byte of revision 2 that is rubbish": Mended(two(), [("bytes 3521-3528", "3600")]),
    "first byte of revision 2 inside a trace": Mended(two(), [("bytes 3521-3528", "3600")]),
    "headers of revision 2 that are not there": Mended(two(), [("bytes 3507-3508", "0")]),
    "trailers of revision 2 that are not there": Mended(two(), [("bytes 3529-3532", "0")]),
    "size of samples wrong": Mended(
        file(8, 31, code=3), [("bytes 3225-3226", "3")], {"traces": 8}, ["--assume", "sample_format=3"]
    ),
    "copied as text": Mended(numbered(50), [("the whole file", "of one byte")]),
}  # fmt: skip

# What no repair knows better: it is carried as it is, and told.
LEFT = {
    "dt 0 everywhere": "bytes 3217-3218", "dt negative": "bytes 3217-3218", "text of NULs": "bytes 1-3200",
    "text that is garbage": "bytes 1-3200", "text in both": "bytes 1-3200", "scalar that is none": "bytes 71-72",
    "measurement system that is none": "bytes 3255-3256", "seconds of arc that are none": "bytes 89-90",
    "unit of coordinates that is none": "bytes 89-90", "units of coordinates that differ": "bytes 89-90",
    "sorting code that is none": "bytes 3229-3230", "zeros of many traces": "bytes 1-240",
}  # fmt: skip

REFUSED = {
    "size of samples wrong": "--assume sample_format=CODE",
    "texts in revision 0": "--revision 1",
    "texts that are not told": "--revision 1",
    "last trace cut": "330 of 360 bytes of trace 7, with 22 of its 30 samples.*--last-trace drop.*--last-trace pad",
    "cut in the last header": "160 bytes of trace 7, too few.*--last-trace drop",
    "Seismic Unix, tiny and cut": "260 of 640 bytes of trace 2, with 5 of its 100.*--last-trace pad",
    "Seismic Unix, cut": "260 of 360 bytes of trace 60",
    "Seismic Unix, less than a trace": "400 of 640 bytes of trace 1, with 40 of its 100 samples",
}

# Sound, but for what is worth no more than an info.
SOUND = [name for name in CASES if name not in {*MENDED, *LEFT, *REFUSED}]


@pytest.mark.parametrize("name", MENDED)
def test_mended(sill, tmp_path, target, name):
    case, mended = CASES[name], MENDED[name]
    report = repaired(sill, case.content, tmp_path, target, *mended.options, name=case.name)
    for place, after in mended.what:
        assert [r for r in report["repairs"] if r["where"].startswith(place) and r["after"].startswith(after)], report
    for repair in report["repairs"]:
        assert repair["what"] and repair["before"] and repair["why"]
        assert f"{repair['before']} -> {repair['after']}" in report["said"]
    assert report["left"] == []
    found = accepted(sill, target)
    assert {key: found.get(key) for key in mended.facts} == mended.facts
    like = mended.like
    assert found["traces"] == like.traces
    width = like.samples().shape[1] * segy_files.size_of(segy_files.SAMPLE_TYPES[like.code])
    raw = np.frombuffer(target.read_bytes(), np.uint8)[found["first_trace_byte"] :].reshape(like.traces, -1)
    out = like.copy()
    out.order = found["byte_order"]
    out.rows = raw.copy()
    assert raw.shape[1] == 240 + width
    assert np.array_equal(out.samples(), like.samples())
    # A second repair has nothing to do, and changes nothing.
    again = tmp_path / "again.sgy"
    assert CLEAN in sill.run("repair", target, "-o", again).out
    assert again.read_bytes() == target.read_bytes()


@pytest.mark.parametrize("name", LEFT)
def test_left(sill, tmp_path, target, name):
    case = CASES[name]
    report = repaired(sill, case.content, tmp_path, target)
    assert [found for found in report["left"] if found["where"].endswith(LEFT[name])], report
    assert "left as it is" in report["said"] and report["repairs"] == []
    assert target.read_bytes() == case.content
    assert "of grade minor or worse" in refused(sill, case.content, tmp_path, target, "--strict")


@pytest.mark.parametrize("name", REFUSED)
def test_refused(sill, tmp_path, target, name):
    case = CASES[name]
    reason = refused(sill, case.content, tmp_path, target, name=case.name, code=(2, 3))
    assert re.search(REFUSED[name], reason.replace("\n", " ")), reason


@pytest.mark.parametrize("name", SOUND)
def test_sound(sill, tmp_path, target, name):
    case = CASES[name]
    report = repaired(sill, case.content, tmp_path, target, name=case.name)
    assert report["repairs"] == [] and CLEAN in report["said"]
    assert target.read_bytes() == case.content


FORMS = {
    "label, texts, headers, trailers": lambda: segy_forms.make(
        40, 17, additional=2, extended=2, trailers=2, label=True
    ),
    "little, 2.0": lambda: segy_forms.make(40, 17, revision=(2, 0), additional=1, order="little", trailers=1),
    "2.1 that tells little": lambda: segy_forms.make(40, 17, told=False, extended=1),
    "trailers left open": lambda: segy_forms.make(40, 17, trailers=2, trailers_told=-1),
    "a later revision": lambda: segy_forms.make(40, 17, revision=(2, 5), label=True),
    "an interval with a fraction": lambda: segy_forms.make(40, 17, interval_us=62.5),
    "many samples": lambda: segy_forms.make(2, 70_000),
    "revision 1": lambda: segy_files.make(40, 17, extended=1),
    "revision 0, little, ibm": lambda: segy_files.make(40, 17, revision=(0, 0), order="little", code=1),
    "no flag": lambda: segy_files.make(40, 17).put_binary(3503, "i2", 0),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_file_keeps_its_bytes(sill, tmp_path, target, form):
    made = FORMS[form]()
    report = repaired(sill, made.to_bytes(), tmp_path, target)
    assert report["repairs"] == [], report
    assert target.read_bytes() == made.to_bytes()


def test_a_sound_file_of_many_lengths_keeps_its_bytes(sill, tmp_path, target):
    lengths = np.random.default_rng(8).integers(5, 40, 30)
    content = segy_forms.varying(segy_files.make(30, 40, code=3), lengths)
    assert repaired(sill, content, tmp_path, target)["repairs"] == []
    assert target.read_bytes() == content


# The last trace ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [1, 2, 3, 5, 7, 8])
@pytest.mark.parametrize("cut", [1, 30, "all samples"])
def test_padded(sill, tmp_path, target, code, cut):
    made = segy_forms.make(7, 30, code=code)
    width = segy_files.size_of(segy_files.SAMPLE_TYPES[code])
    missing_bytes = 30 * width if cut == "all samples" else cut
    report = repaired(sill, made.to_bytes()[:-missing_bytes], tmp_path, target, "--last-trace", "pad")
    missing = -(-missing_bytes // width)
    wanted = made.copy()
    wanted.rows[-1, len(wanted.rows[-1]) - missing * width :] = 0
    assert target.read_bytes() == wanted.to_bytes()
    assert f"the last {missing} samples are zero" in report["said"]
    assert (report["traces_in"], report["traces_out"]) == (6, 7)


@pytest.mark.parametrize("what", ["drop", "pad"])
@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_the_last_of_many_lengths(sill, tmp_path, target, what, ranks):
    lengths = [20, 31, 7, 31, 12, 25, 40, 33, 21]
    made = segy_files.make(9, 40, code=5, order="little")
    whole = segy_forms.varying(made, lengths)
    repaired(sill, whole[:-10], tmp_path, target, "--last-trace", what, ranks=ranks)
    kept = segy_forms.varying(made.permuted(np.arange(8)), lengths[:8])
    assert target.read_bytes() == (kept if what == "drop" else whole[:-12] + bytes(12))
    if ranks is None:
        assert "--last-trace" in refused(sill, whole[:-10], tmp_path, target)


def test_no_last_trace_longer_than_any_other_is_made(sill, tmp_path, target):
    lengths = [20, 31, 7, 31, 12, 25, 40, 33, 21]
    made = segy_files.make(9, 40)
    whole = segy_forms.varying(made, lengths)
    cut = bytearray(whole[:-10])
    at = len(whole) - 240 - 84 + 114
    cut[at : at + 2] = (60_000).to_bytes(2, "big")
    assert "longer than any other" in refused(sill, bytes(cut), tmp_path, target, "--last-trace", "pad")
    repaired(sill, bytes(cut), tmp_path, target, "--last-trace", "drop")


@pytest.mark.parametrize("what", ["drop", "pad"])
def test_numbers_of_revision_2(sill, tmp_path, target, what):
    made = segy_forms.make(9, 30, additional=1)
    report = repaired(sill, made.to_bytes()[:-7], tmp_path, target, "--last-trace", what)
    wanted = made.permuted(np.arange(8)).put_binary(3513, "u8", 8) if what == "drop" else made.copy()
    if what == "pad":
        wanted.rows[-1, -8:] = 0
    assert target.read_bytes() == wanted.to_bytes()
    assert [r["where"] for r in report["repairs"]] == ["byte 8401"] + (["bytes 3513-3520"] if what == "drop" else [])


def test_whole_traces_that_are_missing_are_told(sill, tmp_path, target):
    made = segy_forms.make(9, 30)
    report = repaired(sill, made.permuted(np.arange(5)).to_bytes(), tmp_path, target)
    assert [(r["where"], r["before"], r["after"]) for r in report["repairs"]] == [("bytes 3513-3520", "9", "5")]
    assert "the file was cut" in report["said"]


@pytest.mark.parametrize("zeros", [1, 239])
def test_less_than_a_header_can_only_be_dropped(sill, tmp_path, target, zeros):
    content = file().to_bytes() + bytes(zeros)
    assert "drop" in refused(sill, content, tmp_path, target)
    assert "too few" in refused(sill, content, tmp_path, target, "--last-trace", "pad")
    repaired(sill, content, tmp_path, target, "--last-trace", "drop")
    assert target.read_bytes() == file().to_bytes()


@pytest.mark.parametrize("missing", [1, 37, 360 + 4, 2000])
def test_bytes_missing_inside(sill, tmp_path, target, missing):
    content = file(60).to_bytes()
    hole = content[:9000] + content[9000 + missing :]
    for what in ("drop", "pad"):
        assert "missing inside" in refused(sill, hole, tmp_path, target, "--last-trace", what)
    trailed = segy_forms.make(60, 30, trailers=1).to_bytes()
    assert "missing inside" in refused(
        sill, trailed[:9000] + trailed[9000 + missing :], tmp_path, target, "--last-trace", "drop"
    )


def test_nothing_is_cut(sill, tmp_path, target):
    assert "had nothing to do" in repaired(sill, file().to_bytes(), tmp_path, target, "--last-trace", "drop")["said"]


# Byte order and revision ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made, wanted", [("big", "little"), ("little", "big"), ("pairwise", "little")])
def test_byte_order(sill, tmp_path, target, made, wanted):
    options = {"code": 1, "revision": (1, 0)}
    content = file(order=made, **options).to_bytes()
    report = repaired(sill, content, tmp_path, target, "--byte-order", wanted)
    expected = file(order=wanted, **options)
    if made == "pairwise":
        expected.put_binary(3297, "i4", 16909060)
    assert target.read_bytes() == expected.to_bytes()
    assert report["repairs"][-1]["after"] == wanted


@pytest.mark.parametrize("revision", [(0, 0), (1, 0), (2, 1)])
def test_mixed_byte_orders(sill, tmp_path, target, revision):
    """A binary header of one order before traces of another: found, or told by the user, with the same end."""
    make = segy_forms.make if revision[0] == 2 else segy_files.make
    orders = {order: make(7, 30, revision=revision, order=order) for order in ("big", "little")}
    content = orders["big"].head.tobytes() + orders["little"].rows.tobytes()
    report = repaired(sill, content, tmp_path, target)
    assert target.read_bytes() == orders["little"].to_bytes(), report
    assert "samples are taken to be in little order" in report["said"]
    repaired(sill, content, tmp_path, target, "--byte-order", "big")
    assert target.read_bytes() == orders["big"].to_bytes()
    if revision[0] == 2:
        return
    told = f"byte_order=little,samples=30,interval=2000,sample_format=5,revision={revision[0]}"
    repaired(sill, content, tmp_path, target, "--assume", told)
    assert target.read_bytes() == orders["little"].to_bytes()


def test_revision(sill, tmp_path, target):
    content = segy_files.make(7, 30, revision=(0, 0)).to_bytes()
    repaired(sill, content, tmp_path, target, "--revision", "2.1")
    assert accepted(sill, target)["revision"] == "2.1"
    assert "extended text headers" in refused(sill, with_texts(2, 2), tmp_path, target, "--revision", "0", code=2)


def test_what_is_assumed_is_written(sill, tmp_path, target):
    report = repaired(sill, CASES["dt negative"].content, tmp_path, target, "--assume", "interval=2000")
    assert [(r["where"], r["after"]) for r in report["repairs"]] == [("bytes 3217-3218", "2000")]
    assert target.read_bytes() == file().to_bytes()
    unknown = file().put_binary(3225, "i2", 99)
    assert "--assume sample_format" in refused(sill, unknown.to_bytes(), tmp_path, target)
    repaired(sill, unknown.to_bytes(), tmp_path, target, "--assume", "sample_format=5")
    assert target.read_bytes() == file().to_bytes()


def test_an_interval_in_doubt_is_not_written_into_traces(sill, tmp_path, target):
    repaired(sill, CASES["dt negative"].content, tmp_path, target)
    assert target.read_bytes() == CASES["dt negative"].content


def test_traces_that_contradict_one_another(sill, tmp_path, target):
    """Where one length is not promised, only the user can say that they are of one."""
    made = file(60, 30, revision=(1, 0)).put_binary(3503, "i2", 0)
    ns = np.full(60, 30)
    ns[7] = 31
    content = made.put_word("ns", ns).to_bytes()
    assert "differ in length" in refused(sill, content, tmp_path, target)
    report = repaired(sill, content, tmp_path, target, "--assume", "lengths=fixed")
    assert target.read_bytes() == made.put_word("ns", 30).to_bytes()
    assert "of 1 trace header, the first of trace 8): 31 -> 30" in report["said"]


def test_only_what_contradicts_is_set(sill, tmp_path, target):
    ns, dt = np.full(60, 30), np.full(60, 2000)
    ns[[3, 9]], ns[[4, 5]], dt[[7, 8, 9]], dt[11] = [462, 463], 0, [4000, 500, 1], 0
    made = file(60, 30, revision=(1, 0)).put_binary(3503, "i2", 1).put_word("ns", ns).put_word("dt", dt)
    for ranks in (None, 1, 2, 3):
        report = repaired(sill, made.to_bytes(), tmp_path, target, "--threads", 2, ranks=ranks)
        wanted = made.copy().put_word("ns", np.where(ns == 0, 0, 30)).put_word("dt", np.where(dt == 0, 0, 2000))
        assert target.read_bytes() == wanted.to_bytes()
        assert "2 trace headers, the first of trace 4): 462 to 463 -> 30" in report["said"]
        assert "3 trace headers, the first of trace 8): 1 to 4000 -> 2000 us" in report["said"]


# Copies as text ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: numbered(50), lambda: file(7, 10), lambda: segy_files.make(200, 25, text="ASCII"), lambda: rich_in_ends(),
        lambda: segy_forms.make(60, 30, order="little", trailers=1),
    ],
)  # fmt: skip
def test_copied_as_text(sill, tmp_path, target, make):
    made = make()
    content = copied_as_text(made)
    assert content.count(b"\r\n") >= 4
    for ranks in (None, 1, 2, 3):
        report = repaired(sill, content, tmp_path, target, "--threads", 2, ranks=ranks)
        assert target.read_bytes() == made.to_bytes()
        assert re.search(r"([\d,]+) line ends", report["said"])[1].replace(",", "") == str(content.count(b"\n"))


def rich_in_ends() -> segy_files.Segy:
    """Bytes of all sorts, carriage returns before line feeds among them, and a few MB for several pieces of each rank."""
    made = file(2000, 600, code=3)
    random = np.random.default_rng(4)
    made.put_samples(random.choice(np.array([0x0D0A, 0x0A0D, 0x0A0A, 0x0D0D, 0x410A, 0x0D41], "i2"), (2000, 600)))
    return made.put_word("tracl", 77).put_word("tracr", 77)


def test_line_ends_that_are_no_copy(sill, tmp_path, target):
    content = copied_as_text(numbered(50))
    # Seen at once, or only when all is read.
    assert refused(sill, content[:-3] + b"\0\n\0", tmp_path, target)
    lone = copied_as_text(rich_in_ends())[:-3] + b"\0\n\0"
    for ranks in (None, 3):
        assert f"line feed at byte {len(lone) - 1}" in refused(sill, lone, tmp_path, target, ranks=ranks)
    # Cut after it was copied: the file is as it was until there, but not sound.
    assert "not sound" in refused(sill, content[:-30], tmp_path, target)
    assert "with no other option" in refused(sill, content, tmp_path, target, "--last-trace", "drop", code=2)
    text = b"no SEG-Y file, but text\r\n" * 1000
    reason = refused(sill, text, tmp_path, target)
    assert "copied as text, and that cannot be undone" not in reason


# Outputs -------------------------------------------------------------------------------------------------------------


def damaged() -> segy_files.Segy:
    made = segy_forms.make(100, 30, order="little", additional=1, extended=1, trailers=1)
    return made.put_binary(3513, "u8", 7).put_word("ns", 462).put_word("dt", 4000)


@pytest.mark.parametrize("policy", ["direct", "gathered", "elected", "aggregated,align=4K", "collective"])
def test_ranks_and_policies(sill, tmp_path, target, policy):
    content = damaged().to_bytes()
    wanted = damaged().put_binary(3513, "u8", 100).put_word("ns", 30).put_word("dt", 2000)
    for ranks in (None, 2, 3):
        repaired(sill, content, tmp_path, target, "--policy", policy, ranks=ranks)
        assert target.read_bytes() == wanted.to_bytes()
    ends = rich_in_ends()
    repaired(sill, copied_as_text(ends), tmp_path, target, "--policy", policy, ranks=2)
    assert target.read_bytes() == ends.to_bytes()
    cut = file(60)
    for ranks in (None, 3):
        repaired(sill, cut.to_bytes()[:-8], tmp_path, target, "--policy", policy, "--last-trace", "pad", ranks=ranks)
        assert target.read_bytes() == cut.to_bytes()[:-8] + bytes(8)


def test_dry_run_writes_nothing(sill, tmp_path, target):
    for content, options in (
        (damaged().to_bytes(), []), (file().to_bytes()[:-30], ["--last-trace", "pad"]), (file().to_bytes(), []),
        (copied_as_text(numbered(50)), []),
    ):  # fmt: skip
        path = tmp_path / "f.sgy"
        path.write_bytes(content)
        dry = sill.run("repair", path, "-o", target, "--dry-run", *options).out
        assert list(target.parent.iterdir()) == []
        done = sill.run("repair", path, "-o", target, *options).out
        told = [line for line in dry.splitlines() if line.startswith("  ") and "->" in line and "traces" not in line]
        assert all(line in done.splitlines() for line in told)
        assert ("nothing to repair" in dry) == ("nothing to repair" in done)
        target.unlink()


def test_standard_streams(sill, tmp_path):
    path, content = tmp_path / "f.sgy", file().to_bytes()
    path.write_bytes(content + bytes(300))
    assert "padding" in sill.run("repair", path, "-o", "-", "--dry-run").out
    with path.open("rb") as given, (tmp_path / "o.sgy").open("wb") as taken:
        process = sill.start("repair", "-", "-o", "-", stdin=given, stdout=taken)
        assert b"padding" in process.communicate(timeout=60)[1] and process.returncode == 0
    assert (tmp_path / "o.sgy").read_bytes() == content


def test_marks(sill, tmp_path, target):
    made = file(60, revision=(1, 0)).put_word("tracl", 5).put_word("tracr", 6).put_word("cdp", np.arange(60) // 7)
    repaired(sill, made.to_bytes()[:-30], tmp_path, target, "--last-trace", "pad", "--renumber", "--history")
    out = segy_files.read(target)
    assert np.array_equal(out.word("tracl"), np.arange(1, 61)) and np.array_equal(out.word("tracr"), np.arange(1, 61))
    assert np.array_equal(out.word("cdpt"), np.arange(60) % 7 + 1)
    assert "SILL REPAIR LAST TRACE pad".upper() in sill.run("text", target).out.upper()
    assert "no text header" in refused(sill, su(), tmp_path, target, "--history", code=2)


def test_what_cannot_be_repaired(sill, tmp_path, target):
    sound = file().to_bytes()
    assert "SEG-2" in refused(sill, b"\x55\x3a\x01\x00" + bytes(5000), tmp_path, target)
    assert "gzip" in refused(sill, gzip.compress(sound), tmp_path, target)
    assert "empty" in refused(sill, b"", tmp_path, target)
    refused(sill, sound[:3000], tmp_path, target)
    path = tmp_path / "f.sgy"
    path.write_bytes(sound)
    sill.run("repair", path, "-o", path, expect=2)
    sill.run("repair", path, path, "-o", target, expect=2)
    sill.run("repair", tmp_path / "none.sgy", "-o", target, expect=4)
    assert path.read_bytes() == sound


def test_a_full_disk_leaves_nothing(sill, tmp_path, target):
    for content in (damaged().to_bytes(), copied_as_text(numbered(50))):
        reason = refused(
            sill, content, tmp_path, target, code=4,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
        )  # fmt: skip
        assert "File too large" in reason


# Real files ----------------------------------------------------------------------------------------------------------


def test_real_files(sill, samples, tmp_path, target):
    """Of each: it comes out with the samples it had and no worse finding, or it is told what to do."""
    names = [line.split("\t")[0] for line in (samples / "MANIFEST.tsv").read_text().splitlines()[1:]]
    written = 0
    for name in names:
        path = samples / name
        if not path.is_file():
            continue
        result = sill.run("repair", path, "-o", target, expect=(0, 2, 3))
        if result.code != 0:
            assert "--" in result.err or "not" in result.err, (name, result.err)
            continue
        written += 1
        compared = sill.run("compare", path, target, expect=(0, 1))
        assert "samples" in compared.out
        before = json.loads(sill.run("info", path, "--json").out)
        after = json.loads(sill.run("info", target, "--json").out)
        for key in ("traces", "samples", "sample_format", "first_trace_byte"):
            assert before.get(key) == after.get(key), name
        worst = [max((odd.GRADES.index(d["grade"]) for d in f["diagnostics"]), default=0) for f in (before, after)]
        assert worst[1] <= worst[0], name
    assert written > 5


def test_real_broken_file(sill, samples, target):
    path = samples / "segyio_broken.sgy"
    if not path.is_file():
        pytest.skip("not there")
    assert "68 bytes" in sill.run("repair", path, "-o", target, expect=(2, 3)).err
    sill.run("repair", path, "-o", target, "--last-trace", "drop", "--revision", "1")
    assert accepted(sill, target)["traces"] == 3
