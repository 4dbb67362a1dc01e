"""`--assume`: what the user says counts, is told, and is refused where it cannot be."""

import json

import numpy as np
import pytest
import segy_files
import segy_forms
from test_peculiarities import file, su, texts, turned_traces


def info(sill, path, assume: str, **options) -> dict:
    return json.loads(sill.run("info", path, "--json", "--assume", assume, **options).out)


def subset(found: dict, expected: dict) -> dict:
    return {key: found.get(key) for key in expected}


def without_format() -> bytes:
    return file(code=5).put_binary(3225, "i2", 0).to_bytes()


def hidden_texts() -> bytes:
    """Two blocks that are no text, between the headers and the traces."""
    content = file().to_bytes()
    return content[:3600] + np.random.default_rng(5).bytes(5000) + content[3600:]


VARIED = [30, 40, 50, 30, 45]

CASES = {
    "sample_format=5": (without_format(), {"sample_format": 5, "traces": 7, "samples": 30}),
    "byte_order=big,sample_format=5": (without_format(), {"byte_order": "big", "traces": 7}),
    "first_trace_byte=8600": (hidden_texts(), {"first_trace_byte": 8600, "traces": 7, "extended_text_headers": 1}),
    "extended_text_headers=1": (
        file().to_bytes()[:3600] + bytes(3200) + file().to_bytes()[3600:],
        {"first_trace_byte": 6800, "traces": 7, "extended_text_headers": 1},
    ),
    "samples=30": (
        file().put_binary(3221, "u2", 0).put_word("ns", 0).to_bytes(), {"samples": 30, "traces": 7},
    ),
    "samples=30 , interval=1250.5": (
        file().put_binary(3221, "u2", 77).to_bytes(), {"samples": 30, "traces": 7, "interval_us": 1250.5},
    ),
    "revision=1": (
        file(revision=(77, 0)).to_bytes()[:3600] + texts(1) + file().to_bytes()[3600:],
        {"traces": 7, "revision": "77.0"},
    ),
    "revision=0": (
        segy_forms.make(7, 30).put_binary(3269, "u4", 17).to_bytes(), {"samples": 30, "traces": 7, "trailers": 0},
    ),
    "byte_order=little,samples=30,interval=2000,sample_format=5,revision=0": (
        turned_traces(), {"byte_order": "little", "traces": 7, "samples": 30},
    ),
    "text=ascii": (file().to_bytes(), {"text_encoding": "ASCII"}),
    "lengths=vary": (
        segy_forms.varying(segy_files.make(5, 50, revision=(1, 0)).put_binary(3503, "i2", 1), VARIED),
        {"lengths_vary": True, "traces": None},
    ),
    "lengths=fixed": (file(revision=(1, 0)).to_bytes(), {"lengths_vary": False, "traces": 7}),
    "kind=su": (su("little"), {"format": "Seismic Unix", "byte_order": "little", "traces": 9, "samples": 30}),
    "kind=su,byte_order=big,samples=20": (
        segy_forms.make_su(9, 20).put_word("ns", 0).to_bytes(), {"byte_order": "big", "traces": 9, "samples": 20},
    ),
    "kind=segy": (file().to_bytes(), {"format": "SEG-Y", "traces": 7}),
}  # fmt: skip


@pytest.mark.parametrize("assume", CASES)
def test_what_is_assumed_counts_and_is_told(sill, tmp_path, assume):
    content, expected = CASES[assume]
    path = tmp_path / "f.sgy"
    path.write_bytes(content)
    found = info(sill, path, assume)
    assert subset(found, expected) == expected
    told = [d for d in found["diagnostics"] if d["where"] == "--assume"]
    assert [d["problem"] for d in told] == [f"assumed: {one.strip()}" for one in assume.split(",")]
    assert {d["grade"] for d in told} == {"info"}
    log = tmp_path / "log"
    scanned = sill.run("scan", path, "--keys", "tracl", "--assume", assume, "--csv", "-", "--log", log).out
    assert len(scanned.split()) == 1 + (len(VARIED) if "vary" in assume else expected.get("traces", 7))
    assert log.read_text().count("assumed: ") == len(told)


def test_traces_are_read_as_assumed(sill, tmp_path):
    """The whole way, on one and two ranks: an unknown format, sorted and compared as what it was told to be."""
    path = tmp_path / "f.sgy"
    made = file(40, 30, code=5).put_word("cdp", np.random.default_rng(1).integers(0, 9, 40))
    made.write(tmp_path / "sound.sgy")
    path.write_bytes(made.copy().put_binary(3225, "i2", 0).to_bytes())
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", expect=3)
    for ranks in (None, 2):
        sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", "--assume", "sample_format=5", ranks=ranks)
        order = np.argsort(made.word("cdp"), kind="stable")
        assert (tmp_path / "o.sgy").read_bytes()[3600:] == made.permuted(order).to_bytes()[3600:]
    # What is assumed is no part of the outcome: the output is a file of no format, as the input was.
    sill.run("info", tmp_path / "o.sgy", expect=3)
    sill.run("convert", path, "-o", tmp_path / "c.sgy", "--assume", "sample_format=5")
    sill.run("compare", tmp_path / "sound.sgy", tmp_path / "c.sgy")
    sill.run("compare", path, path, "--assume", "sample_format=5")
    assert "40 traces" in sill.run("index", path, "--assume", "sample_format=5").out
    assert "C 1" in sill.run("text", path, "--assume", "sample_format=5,text=ebcdic").out
    assert '"samples": 30' in sill.run("header", path, "1", "--json", "--assume", "sample_format=5").out


@pytest.mark.parametrize(
    "assume, reason",
    [
        ("byteorder=little", "did you mean byte_order"),
        ("sample=7", "did you mean samples"),
        ("colour=red", "the properties are kind, byte_order"),
        ("", "not a property that can be assumed"),
        ("samples", "no value is given for samples"),
        ("samples=", "no value is given for samples"),
        ("samples=0", "0 is not a value of samples"),
        ("samples=-3", "-3 is not a value"),
        ("samples=99999999999999999999", "is not a value"),
        ("samples=7x", "7x is not a value"),
        ("interval=nan", "nan is not a value"),
        ("interval=inf", "inf is not a value"),
        ("interval=0", "0 is not a value"),
        ("byte_order=middle", "big, little or pairwise"),
        ("sample_format=13", "13 is not a value"),
        ("revision=3", "3 is not a value"),
        ("samples=3,samples=4", "assumed twice"),
        ("samples=100000", "as assumed, have 400240 bytes"),
        ("first_trace_byte=100000000", "the file has"),
        ("first_trace_byte=99", "cannot begin at byte 99"),
        ("first_trace_byte=3600,extended_text_headers=1", "cannot begin"),
        ("extended_text_headers=30000", "end at byte"),
        ("kind=su,revision=1", "revision is assumed, but Seismic Unix data cannot have it"),
        ("kind=su,lengths=vary", "lengths is assumed"),
        ("kind=su,byte_order=pairwise", "byte_order is assumed"),
    ],
)
def test_what_cannot_be_is_refused(sill, tmp_path, assume, reason):
    path = file(20).write(tmp_path / "f.sgy")
    for command in (["info", path], ["scan", path, "--keys", "cdp"]):
        failed = sill.run(*command, "--assume", assume, expect=2)
        assert reason in failed.err, failed.err


def test_assumptions_said_apart_are_one(sill, tmp_path):
    path = tmp_path / "f.sgy"
    path.write_bytes(without_format())
    options = ("--assume", "sample_format=5", "--assume", "interval=500")
    found = json.loads(sill.run("info", *options, path, "--json").out)
    assert subset(found, {"sample_format": 0, "interval_us": 0}) == {"sample_format": 5, "interval_us": 500}
    assert "assumed twice" in sill.run("info", path, *options, "--assume", "interval=4", expect=2).err


def test_assumed_samples_that_leave_a_rest(sill, tmp_path):
    """Told by info, refused by all others."""
    path = file().write(tmp_path / "f.sgy")
    assert "critical" in [d["grade"] for d in info(sill, path, "samples=31", expect=3)["diagnostics"]]
    sill.run("scan", path, "--keys", "cdp", "--assume", "samples=31", expect=3)
