"""`sill repair`: each damage as a file that has it; what comes out is sound, with the same samples; what is refused."""

import re
from dataclasses import dataclass, field

import numpy as np
import pytest
import segy_files
import segy_forms
from repairing import CLEAN, accepted, new_target, refused, repaired
from test_peculiarities import CASES, file, numbered, two


@pytest.fixture
def target(tmp_path):
    return new_target(tmp_path)


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
    "pairwise": Mended(file(), [("all words", "big")], {"byte_order": "big"}, options=("--map", "standard")),
    "constant that means nothing": Mended(two(), [("bytes 3297-3300", "16909060")]),
    "constant that contradicts": Mended(two(), [("bytes 3297-3300", "16909060")]),
    "traces of another byte order": Mended(
        file(code=5, order="little"), [("all words", "little")], {"byte_order": "little"}
    ),
    "ns other in traces, flag 1": Mended(file(revision=(1, 0)), [("bytes 115-116 of 7 trace", "30")]),
    "ns wrong in the binary header, flag 1": Mended(file(9, revision=(1, 0)), [("bytes 3221-3222", "30")]),
    "ns 0 in the binary header": Mended(file(), [("bytes 3221-3222", "30")]),
    "dt 0": Mended(file(), [("bytes 3217-3218", "2000")]),
    "dt other in traces": Mended(
        file(), [("bytes 117-118 of 7 trace", "2000 us")], {"interval_us": 2000}, ["--assume", "interval=2000"]
    ),
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
        file().permuted(np.arange(6)), [("byte 5761", "omitted")], {"traces": 6}, ["--last-trace", "drop"]
    ),
    "cut in the last header": Mended(
        file().permuted(np.arange(6)), [("byte 5761", "omitted")], {"traces": 6}, ["--last-trace", "drop"]
    ),
    "Seismic Unix, tiny and cut": Mended(
        segy_forms.make_su(3, 100, order="little").permuted(np.arange(1)),
        [("byte 641", "omitted")],
        {"format": "Seismic Unix", "traces": 1},
        ["--last-trace", "drop"],
    ),
    "Seismic Unix, cut": Mended(
        segy_forms.make_su(60, 30, order="little").permuted(np.arange(59)),
        [("byte 21241", "omitted")],
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
    "copied as text": Mended(numbered(50), [("the complete file", "of one byte")]),
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
    "dt other in traces": "2000 us, and all 7 trace headers state 4000 us.*interval=2000 or interval=4000",
    "texts in revision 0": "--revision 1",
    "texts that are not told": "--revision 1",
    "last trace cut": "330 of 360 bytes of trace 7, with 22 of its 30 samples.*--last-trace drop.*--last-trace pad",
    "cut in the last header": "160 bytes of trace 7, fewer than.*--last-trace drop",
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
    assert "not repaired" in report["said"] and report["repairs"] == []
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
