"""`sill info`: what it says of each variant of the format."""

import json
import re

import pytest
import segy_files
from info_of import GRADES, info, subset
from sample_files import facts_of, kind_of, manifest, oracle_of, order_of

KEYS = {
    "file", "format", "revision", "byte_order", "text_encoding", "sample_format", "traces", "samples", "interval",
    "interval_unit", "interval_us", "extended_text_headers", "additional_trace_headers", "layout_stanza_words",
    "trailers",
    "first_trace_byte", "diagnostics", "lengths_vary", "tape_label", "domain", "measurement_system", "coordinate_unit",
    "padding_bytes", "evidence",
}  # fmt: skip


def expected_facts(file: segy_files.Segy) -> dict:
    return {
        "byte_order": file.order,
        "sample_format": file.code,
        "traces": file.traces,
        "samples": int(file.binary(3221, "u2")),
        "interval": int(file.binary(3217, "u2")),
        "interval_us": int(file.binary(3217, "u2")),
        "interval_unit": "us",
        "extended_text_headers": file.extended,
        "additional_trace_headers": 0,
        "trailers": 0,
        "first_trace_byte": file.first_trace_byte,
    }


@pytest.mark.parametrize("order", ["big", "little", "pairwise"])
@pytest.mark.parametrize("code", [1, 2, 3, 5, 8])
def test_codes_and_byte_orders(sill, tmp_path, code, order):
    file = segy_files.make(30, 11, code=code, order=order, revision=(0, 0))
    found = info(sill, file.write(tmp_path / "f.sgy"))
    expected = expected_facts(file) | {"revision": "0.0", "text_encoding": "EBCDIC"}
    assert subset(found, expected) == expected
    assert not [d for d in found["diagnostics"] if d["grade"] in ("major", "critical")]


def test_keys_are_those_of_the_specification(sill, small):
    _, path = small
    found = info(sill, path)
    assert set(found) == KEYS
    assert re.sub("[^a-z]", "", found["format"].lower()) == "segy"
    assert found["file"] == str(path)
    assert isinstance(found["sample_format"], int)
    assert isinstance(found["revision"], str)


@pytest.mark.parametrize("revision, shown", [((0, 0), "0.0"), ((1, 0), "1.0"), ((0, 1), "0.1")])
def test_revision_is_as_stored(sill, tmp_path, revision, shown):
    file = segy_files.make(4, 5, revision=revision)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert found["revision"] == shown
    if revision == (0, 1):
        assert any("3501" in d["where"] + d["clause"] or "revision" in d["problem"] for d in found["diagnostics"])


@pytest.mark.parametrize("encoding", ["EBCDIC", "ASCII"])
def test_text_encoding(sill, tmp_path, encoding):
    file = segy_files.make(4, 5, text=encoding)
    assert info(sill, file.write(tmp_path / "f.sgy"))["text_encoding"] == encoding


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("count", [1, 3])
def test_extended_text_headers(sill, tmp_path, count, order):
    file = segy_files.make(5, 6, extended=count, order=order)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert subset(found, expected_facts(file)) == expected_facts(file)


def test_samples_and_interval_are_unsigned(sill, tmp_path):
    file = segy_files.make(2, 40_000, code=8, interval_us=50_000)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["samples"], found["interval_us"], found["traces"]) == (40_000, 50_000, 2)


def test_junk_in_revision_2_fields_is_junk(sill, tmp_path):
    """Bytes 3261-3500 and 3507-3536 mean something only from revision 2 on."""
    file = segy_files.make(6, 7, revision=(1, 0))
    file.put_binary(3269, "u4", 99).put_binary(3507, "i4", 2).put_binary(3521, "u8", 5000).put_binary(3529, "i4", 4)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert subset(found, expected_facts(file)) == expected_facts(file)


def test_text_only(sill, tmp_path):
    file = segy_files.make(0, 25)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["traces"], found["samples"], found["first_trace_byte"]) == (0, 25, 3600)


def test_remainder_is_critical_and_whole_traces_count(sill, tmp_path):
    file = segy_files.make(9, 10)
    file.tail = bytes(68)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert found["traces"] == 9
    critical = [d for d in found["diagnostics"] if d["grade"] == "critical"]
    assert len(critical) == 1
    assert "68" in critical[0]["problem"] + critical[0]["where"]


def test_trace_ns_that_differs_is_a_diagnostic_and_does_not_count(sill, tmp_path):
    file = segy_files.make(9, 10).put_word("ns", 462)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["traces"], found["samples"]) == (9, 10)
    assert any("462" in d["problem"] or "115" in d["where"] + d["clause"] for d in found["diagnostics"])


def test_good_file_has_no_serious_diagnostic(sill, small):
    _, path = small
    assert not [d for d in info(sill, path)["diagnostics"] if d["grade"] in ("major", "critical")]


def test_several_files(sill, tmp_path):
    paths = [segy_files.make(n, 5).write(tmp_path / f"{n}.sgy") for n in (3, 8, 5)]
    found = json.loads(sill.run("info", *paths, "--json").out)
    assert [one["traces"] for one in found] == [3, 8, 5]
    assert [one["file"] for one in found] == [str(path) for path in paths]


def test_text_says_the_same(sill, small):
    file, path = small
    text = sill.run("info", path).out
    for value in (file.traces, 20, 2000):
        assert re.search(rf"\b{value}\b", text.replace(",", "")), text
    assert "EBCDIC" in text


@pytest.mark.mpich
def test_printed_once_with_ranks(sill, small):
    _, path = small
    assert info(sill, path, ranks=2) == info(sill, path)


def facts_told(row: dict) -> dict:
    """What `sill info` is to say of a real file by the manifest."""
    facts = facts_of(row)
    common = {"traces": int(facts["ntr"]), "samples": int(facts["ns"]), "byte_order": order_of(row)}
    if kind_of(row) == "SU":
        return common | {
            "format": "Seismic Unix", "revision": None, "sample_format": 5, "first_trace_byte": 0,
            "interval_us": int(facts["dt"]),
        }  # fmt: skip
    expected = common | {
        "format": "SEG-Y",
        "sample_format": int(facts["fmt"]),
        "revision": facts["rev"],
        "extended_text_headers": int(facts["ext"]),
        "additional_trace_headers": int(facts["addhdr"]),
        "first_trace_byte": 3600 + 3200 * int(facts["ext"]),
    }
    if facts["text"] in ("EBCDIC", "ASCII"):
        expected["text_encoding"] = facts["text"]
    # The interval is unsigned; one that is meant to be negative is told of.
    expected["interval_us"] = int(facts["dt"]) % 65536
    return expected


def findings_expected(row: dict) -> list[tuple[str, str]]:
    """Grade and words of what must be told of a real file by the manifest, besides its facts."""
    facts, notes = facts_of(row), row["expected"] + " " + row["special"]
    expected = []
    if int(facts["dt"]) < 0 or "dt=invalid" in notes:
        expected += [("major", r"3217-3218.*-2000"), ("minor", r"117-118")]
    if residue := re.search(r"(\d+) whole traces \+ (\d+) B residue", notes):
        expected.append(("critical", rf"{residue[2]} bytes follow.*{residue[1]} complete traces"))
    if "not a legal scalar" in notes:
        expected.append(("minor", r"bytes 71-72.*\b82\b"))
    if facts.get("text", "") == "other:00":  # the manifest goes by the first byte; both files are padded with NUL
        expected.append(("info", r"bytes 1-3200.*are NUL"))
    if facts.get("rev") == "0.1":
        expected.append(("minor", r"3501-3502.*swapped"))
    if facts.get("rev") == "0.0" and int(facts["ext"]) > 0:
        expected.append(("minor", r"3505-3506.*revision 0"))
    if "trap: .segy extension" in notes:
        expected.append(("info", r"does not end with \.su"))
    if differs := re.search(r"trace-header ns=(\d+) != (\d+)", notes):
        expected.append(("minor", rf"{differs[1]} samples, the value of the binary header is {differs[2]}"))
    if "ALL trace headers have ns=dt=0" in notes:
        expected += [("info", r"bytes 115-116.*the value of the binary header is used"), ("info", r"bytes 117-118")]
    return expected


def test_real_files(sill, samples):
    """Each is read as the manifest says, or refused with the reason."""
    rows = manifest(samples)
    assert rows
    for row in rows:
        path = samples / row["file"]
        if kind_of(row) == "SEG-2":
            assert re.search("SEG-?2", sill.run("info", path, "--json", expect=3).reason)
            continue
        found = info(sill, path)
        expected = facts_told(row)
        assert subset(found, expected) == expected, row["file"]
        if "text" in facts_of(row) and expected.get("text_encoding") is None:
            assert found["text_encoding"] == "ASCII", row["file"]
        told = [(d["grade"], f"{d['where']} {d['problem']} {d['action']}") for d in found["diagnostics"]]
        for grade, pattern in findings_expected(row):
            assert [text for g, text in told if g == grade and re.search(pattern, text)], (row["file"], pattern, told)
        # Nothing is worse than it is said to be, and what is sound is read by --strict too.
        worst = max((GRADES.index(grade) for grade, _ in findings_expected(row)), default=0)
        assert max((GRADES.index(g) for g, _ in told), default=0) <= max(worst, 1), row["file"]
        sill.run("scan", path, "--strict", expect=3 if any(g != "info" for g, _ in told) else 0)


def test_real_files_sort(sill, samples, tmp_path):
    """Whole files are sorted like the oracle does; the others are refused, without a target."""
    for row in manifest(samples):
        path = samples / row["file"]
        target = tmp_path / row["file"]
        keys = ["tracf", "-tracl"] if kind_of(row) == "SU" else ["xline", "-iline"]
        if kind_of(row) == "SEG-2" or "malformed: truncated" in row["special"] or facts_of(row)["ntr"] == "0":
            target = tmp_path / "out.sgy"
            sill.run("sort", path, "-o", target, "--by", ",".join(keys), expect=3)
            assert not target.exists()
        else:
            told = oracle_of(row, path)
            sill.run("sort", path, "-o", target, "--by", ",".join(keys))
            expected = told.permuted(segy_files.sort_order(told, keys))
            if kind_of(row) == "SEG-Y":
                was_stacked = told.binary(3229, "i2") == 4
                expected = expected.with_sorting_code(4 if was_stacked else -1)
            assert target.read_bytes() == expected.to_bytes(), row["file"]
