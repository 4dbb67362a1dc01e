"""`sill info` of all forms of file: revision 2, tape labels, trailers, Seismic Unix, and headers that contradict."""

import numpy as np
import pytest
import segy_files
import segy_forms
from info_of import info, subset

ORDERS = ["big", "little", "pairwise"]


def serious(found: dict) -> list[dict]:
    return [d for d in found["diagnostics"] if d["grade"] in ("major", "critical")]


def graded(found: dict, byte: int) -> list[str]:
    """The grades of what is said about the word that begins at a byte of the binary header."""
    return [d["grade"] for d in found["diagnostics"] if f"{byte}-" in d["where"] + d["clause"]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("revision", [(2, 0), (2, 1)])
@pytest.mark.parametrize("additional", [0, 1, 3])
def test_revision_2(sill, tmp_path, order, revision, additional):
    file = segy_forms.make(
        20, 9, revision=revision, order=order, additional=additional, trailers=2, extended=1, label=True,
        interval_us=250.5,
    )
    found = info(sill, file.write(tmp_path / "f.sgy"))
    expected = {
        "format": "SEG-Y", "revision": f"2.{revision[1]}", "byte_order": order, "traces": 20, "samples": 9,
        "interval_us": 250.5, "additional_trace_headers": additional, "trailers": 2, "extended_text_headers": 1,
        "tape_label": True, "first_trace_byte": 128 + 3600 + 3200, "lengths_vary": False, "sample_format": 5,
    }  # fmt: skip
    assert subset(found, expected) == expected
    assert not serious(found)


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("code", sorted(segy_files.SAMPLE_TYPES))
def test_all_sample_formats(sill, tmp_path, code, order):
    file = segy_forms.make(30, 11, code=code, order=order)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    expected = {"sample_format": code, "traces": 30, "samples": 11, "byte_order": order}
    assert subset(found, expected) == expected
    assert not serious(found)


@pytest.mark.parametrize("code", [6, 9, 10, 12, 13, 14, 17])
def test_codes_that_no_revision_has(sill, tmp_path, code):
    if code in (13, 14, 17):
        path = segy_files.make(5, 8).put_binary(3225, "i2", code).write(tmp_path / "f.sgy")
        assert str(code) in sill.run("info", path, "--json", expect=3).reason
    else:
        # Before revision 2 they mean nothing, but nothing else can be meant.
        found = info(sill, segy_files.make(5, 8, code=code).write(tmp_path / "f.sgy"))
        assert (found["sample_format"], found["traces"]) == (code, 5)
        assert graded(found, 3225) == ["info"]


@pytest.mark.parametrize("samples", [65_535, 65_536, 100_000])
def test_more_samples_than_16_bits_tell(sill, tmp_path, samples):
    file = segy_forms.make(3, samples, code=8)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["samples"], found["traces"], serious(found)) == (samples, 3, [])


@pytest.mark.parametrize("order", ORDERS)
def test_the_older_words_count_where_revision_2_tells_nothing(sill, tmp_path, order):
    file = segy_forms.make(8, 7, order=order, told=False, extended=2)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    expected = {"samples": 7, "interval_us": 2000, "traces": 8, "first_trace_byte": 10_000, "byte_order": order}
    assert subset(found, expected) == expected
    assert not serious(found)


def test_the_longer_words_count_where_both_tell(sill, tmp_path):
    file = segy_forms.make(8, 7).put_binary(3221, "u2", 99).put_binary(3217, "u2", 99)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["samples"], found["interval_us"], found["traces"]) == (7, 2000, 8)


def test_byte_order_without_the_constant(sill, tmp_path):
    for order in ORDERS:
        found = info(sill, segy_forms.make(20, 9, order=order, constant=False).write(tmp_path / f"{order}.sgy"))
        assert (found["byte_order"], found["traces"], found["samples"]) == (order, 20, 9)


def test_a_byte_order_constant_that_is_wrong(sill, tmp_path):
    file = segy_forms.make(8, 7).put_binary(3297, "i4", 67305985)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["byte_order"], found["traces"]) == ("big", 8)
    assert graded(found, 3297) == ["major"]


@pytest.mark.parametrize("order", ORDERS)
def test_a_byte_order_constant_that_is_damaged(sill, tmp_path, order):
    file = segy_forms.make(20, 9, order=order)
    file.head[3297] ^= 0x10
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert found["byte_order"] == order
    assert graded(found, 3297) == ["minor"]


# Byte 3521 says where the first trace is, and 3505 how many extended text headers are before it: 3521 overrides.
@pytest.mark.parametrize("count", [0, 1, 5, -1])
@pytest.mark.parametrize("label", [False, True])
def test_the_byte_of_the_first_trace_counts(sill, tmp_path, count, label):
    file = segy_forms.make(8, 7, extended=2, label=label).put_binary(3505, "i2", count)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["first_trace_byte"], found["traces"]) == (10_000 + 128 * label, 8)
    assert bool(graded(found, 3521)) == (count != -1)


@pytest.mark.parametrize("told", [1, 3599, 10**9, 2**63 + 5])
def test_a_first_trace_that_is_nowhere(sill, tmp_path, told):
    file = segy_forms.make(8, 7, extended=2).put_binary(3521, "u8", told)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["first_trace_byte"], found["traces"]) == (10_000, 8)
    assert graded(found, 3521) == ["major"]


def test_more_traces_told_than_there_are(sill, tmp_path):
    """A file cut where a trace ends: readers refuse it, as they do one with a part of a trace."""
    path = segy_forms.make(8, 7).put_binary(3513, "u8", 12).write(tmp_path / "f.sgy")
    found = info(sill, path)
    assert found["traces"] == 8
    assert graded(found, 3513) == ["critical"]
    target = tmp_path / "out.sgy"
    for command in [("sort", path, "--by", "cdp", "-o", target), ("convert", path, "-o", target), ("scan", path)]:
        assert "12" in sill.run(*command, expect=3).reason
    assert not target.exists()


def test_fewer_traces_told_than_there_are(sill, tmp_path):
    found = info(sill, segy_forms.make(8, 7).put_binary(3513, "u8", 5).write(tmp_path / "f.sgy"))
    assert found["traces"] == 8
    assert graded(found, 3513) == ["major"]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("there", [1, 4])
def test_open_count_of_trailers(sill, tmp_path, there, order):
    file = segy_forms.make(8, 7, trailers=there, trailers_told=-1, order=order)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["trailers"], found["traces"], serious(found)) == (there, 8, [])
    assert graded(found, 3529) == ["info"]


@pytest.mark.parametrize("told", [1, 2, -1])
def test_trailers_that_are_not_there(sill, tmp_path, told):
    """Of 27 traces: 3200 bytes and a header are no multiple of a trace, so that the size speaks against them."""
    file = segy_forms.make(27, 7, trailers_told=told)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["trailers"], found["traces"]) == (0, 27)
    assert graded(found, 3529) == ["info" if told == -1 else "major"]


@pytest.mark.parametrize("told", [-2, -(2**31), 2**31 - 1])
def test_an_impossible_count_of_trailers(sill, tmp_path, told):
    found = info(sill, segy_forms.make(27, 7, trailers_told=told).write(tmp_path / "f.sgy"))
    assert (found["trailers"], found["traces"]) == (0, 27)
    assert graded(found, 3529)


def test_additional_headers_of_2_0_in_16_bits(sill, tmp_path):
    """Revision 2.0 has 32 bits for them; files of it that have 16 exist."""
    file = segy_forms.make(8, 7, revision=(2, 0), additional=2)
    file.put_binary(3507, "i2", 2).put_binary(3509, "i2", 3)
    found = info(sill, file.write(tmp_path / "f.sgy"))
    assert (found["additional_trace_headers"], found["traces"]) == (2, 8)
    assert graded(found, 3507) == ["minor"]


def test_a_count_of_additional_headers_that_cannot_be(sill, tmp_path):
    found = info(sill, segy_forms.make(8, 7).put_binary(3507, "i2", 30_000).write(tmp_path / "f.sgy"))
    assert (found["additional_trace_headers"], found["traces"]) == (0, 8)
    assert graded(found, 3507) == ["major"]


@pytest.mark.parametrize("junk", range(4))
def test_junk_in_later_bytes_of_revision_0_and_1(sill, tmp_path, junk):
    """Bytes 3261-3500 and 3507-3600 mean something from revision 2 on only, whatever they hold."""
    random = np.random.default_rng(junk)
    for major in (0, 1):
        file = segy_files.make(11, 7, revision=(major, 0))
        file.head[3260:3500] = random.integers(0, 256, 240)
        file.head[3506:3600] = random.integers(0, 256, 94)
        found = info(sill, file.write(tmp_path / "f.sgy"))
        expected = {"traces": 11, "samples": 7, "interval_us": 2000, "trailers": 0, "additional_trace_headers": 0,
                    "first_trace_byte": 3600, "byte_order": "big"}  # fmt: skip
        assert subset(found, expected) == expected


# Little and pairwise order differ in 32-bit words alone; of a bare trace nothing tells them apart for certain.
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("name", ["f.su", "f.sgy"])
def test_seismic_unix(sill, tmp_path, order, name):
    found = info(sill, segy_forms.make_su(50, 30, order=order, interval_us=50_000).write(tmp_path / name))
    expected = {
        "format": "Seismic Unix", "revision": None, "byte_order": order, "traces": 50, "samples": 30,
        "interval_us": 50_000, "sample_format": 5, "first_trace_byte": 0, "extended_text_headers": 0,
    }  # fmt: skip
    assert subset(found, expected) == expected
    assert [d["grade"] for d in found["diagnostics"]] == ([] if name == "f.su" else ["info"])


@pytest.mark.parametrize("order", ["big", "little"])
def test_seismic_unix_of_one_trace(sill, tmp_path, order):
    found = info(sill, segy_forms.make_su(1, 40_000, order=order).write(tmp_path / "f.su"))
    assert (found["format"], found["traces"], found["samples"]) == ("Seismic Unix", 1, 40_000)


@pytest.mark.parametrize("name", ["f.su", "f.bin"])
def test_seismic_unix_that_was_cut(sill, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(segy_forms.make_su(50, 30).to_bytes()[:-4])
    found = info(sill, path)
    assert (found["format"], found["traces"], found["samples"]) == ("Seismic Unix", 49, 30)
    assert [d["where"] for d in found["diagnostics"] if d["grade"] == "critical"] == [f"byte {49 * 360 + 1}"]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("flag", [0, 1])
def test_lengths_that_vary_in_revision_1(sill, tmp_path, order, flag):
    lengths = np.random.default_rng(8).integers(5, 40, 30)
    lengths[0] = 40
    file = segy_files.make(30, 40, order=order)
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths))
    found = info(sill, path)
    if flag == 0:
        assert (found["lengths_vary"], found["traces"], serious(found)) == (True, None, [])
    else:
        raw = bytearray(path.read_bytes())
        raw[3502:3504] = b"\0\1" if order == "big" else b"\1\0"
        path.write_bytes(raw)
        found = info(sill, path)  # one length is promised: what is left over shows that the promise is broken
        assert not found["lengths_vary"] and "critical" in [d["grade"] for d in found["diagnostics"]]


@pytest.mark.parametrize("order", ["big", "little"])
def test_lengths_that_vary_in_revision_2_1(sill, tmp_path, order):
    """By extension 1: samples beyond 65,535, and additional headers of each trace."""
    lengths, additional = [70_000, 12, 65_536, 500], [1, 2, 1, 2]
    file = segy_forms.make(4, 70_000, additional=2, code=8, order=order)
    path = tmp_path / "f.sgy"
    path.write_bytes(segy_forms.varying(file, lengths, additional))
    found = info(sill, path)
    assert (found["lengths_vary"], found["additional_trace_headers"], found["traces"]) == (True, 2, None)
    assert not serious(found)
    rows = sill.run("scan", path, "--keys=tracl,ns", "--csv", "-").out.split()[1:]
    assert [row.split(",")[1] for row in rows] == ["1", "2", "3", "4"]


@pytest.mark.mpich
def test_printed_once_with_ranks(sill, tmp_path):
    path = segy_forms.make(20, 9, additional=1, trailers=1, extended=1).write(tmp_path / "f.sgy")
    assert info(sill, path, ranks=2) == info(sill, path)
