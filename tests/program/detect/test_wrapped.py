"""SEG-Y with other bytes between its parts: records of Fortran and of tapes, and files that were joined."""

import json
import struct

import numpy as np
import pytest
import segy_files


def survey(traces=40, samples=25, code=5, first=1):
    file = segy_files.make(traces, samples, code=code)
    number = first + np.arange(traces)
    return file.put_word("tracl", number).put_word("tracr", number).put_word("cdp", 100 + number)


def records_of(path, trace_bytes: int) -> list[bytes]:
    data = path.read_bytes()
    return [data[:3200], data[3200:3600]] + [data[i : i + trace_bytes] for i in range(3600, len(data), trace_bytes)]


def fortran(records, order):
    return b"".join(struct.pack(order + "I", len(r)) + r + struct.pack(order + "I", len(r)) for r in records)


def simh(records):
    marked = b"".join(struct.pack("<I", len(r)) + r + b"\0" * (len(r) % 2) + struct.pack("<I", len(r)) for r in records)
    return marked + struct.pack("<II", 0, 0)


def tif(records, offset):
    """Marks of a type and of where the mark before and the next one lie."""
    made, before, at = b"", 0, 0
    mark = struct.Struct("<I" + 2 * offset)
    for kind, record in [(0, r) for r in records] + [(1, b""), (1, b"")]:
        following = at + mark.size + len(record)
        made += mark.pack(kind, before, following) + record
        before, at = at, following
    return made


WRAPPINGS = {
    "fortran-big": lambda records: fortran(records, ">"), "fortran-little": lambda records: fortran(records, "<"),
    "simh": simh, "tif": lambda records: tif(records, "I"), "tif8": lambda records: tif(records, "Q"),
}  # fmt: skip


@pytest.mark.parametrize("samples, ranks", [(25, None), (24, None), (25, 3)])
@pytest.mark.parametrize("name", WRAPPINGS)
def test_records_are_read_through_and_repaired(sill, tmp_path, name, samples, ranks):
    plain = survey(samples=samples, code=8).write(tmp_path / "plain.sgy")
    wrapped = tmp_path / "wrapped.sgy"
    wrapped.write_bytes(WRAPPINGS[name](records_of(plain, 240 + samples)))
    told = json.loads(sill.run("info", "--json", wrapped, ranks=ranks).out)
    assert (told["traces"], told["samples"]) == (40, samples)
    assert any("there are marks between" in found["problem"] for found in told["diagnostics"])
    said = sill.run("repair", wrapped, "-o", tmp_path / "repaired.sgy", ranks=ranks).out
    assert "marks between records -> none" in said and "nothing to repair" not in said
    assert (tmp_path / "repaired.sgy").read_bytes() == plain.read_bytes()
    sill.run("sort", wrapped, "-o", tmp_path / "sorted.sgy", "--by", "-cdp", ranks=ranks)
    sill.run("sort", plain, "-o", tmp_path / "expected.sgy", "--by", "-cdp")
    assert (tmp_path / "sorted.sgy").read_bytes() == (tmp_path / "expected.sgy").read_bytes()
    assert "differ" not in sill.run("compare", plain, wrapped, ranks=ranks).out
    sill.run("check", wrapped, ranks=ranks)
    refused = sill.run("edit", wrapped, "--set", "cdp=1", ranks=ranks, expect=3)
    assert "in place" in refused.err and "repair" in refused.err


def test_records_of_many_lengths(sill, tmp_path):
    """Headers and samples in records of their own, several traces per record, and an extended text header."""
    plain = survey(samples=100).write(tmp_path / "plain.sgy")
    data = plain.read_bytes()
    traces = [data[i : i + 640] for i in range(3600, len(data), 640)]
    apart = [piece for trace in traces for piece in (trace[:240], trace[240:])]
    blocked = [b"".join(traces[i : i + 7]) for i in range(0, 40, 7)]
    for records in ([data[:3200], data[3200:3600], *apart], [data[:3600], *traces], [data[:3200], data[3200:3600], *blocked]):
        (tmp_path / "w.sgy").write_bytes(fortran(records, ">"))
        sill.run("repair", tmp_path / "w.sgy", "-o", tmp_path / "o.sgy")
        assert (tmp_path / "o.sgy").read_bytes() == data
    cut = fortran([data[:3200], data[3200:3600], *traces], ">")
    (tmp_path / "w.sgy").write_bytes(cut[:-100])
    told = sill.run("info", tmp_path / "w.sgy", expect=3)
    assert "not a complete record" in told.err
    sill.run("sort", tmp_path / "w.sgy", "-o", tmp_path / "o.sgy", "--by", "cdp", "--force", expect=(2, 3))


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize("samples", [840, 390, 120, 100, 77])
def test_joined_files(sill, tmp_path, samples, ranks):
    """The header of a file is as long as one trace of 840 samples, two of 390, and no whole trace of the others."""
    parts = [survey(traces, samples) for traces in (11, 1, 23)]
    paths = [part.write(tmp_path / f"{i}.sgy") for i, part in enumerate(parts)]
    joined = tmp_path / "joined.sgy"
    joined.write_bytes(b"".join(path.read_bytes() for path in paths))
    told = json.loads(sill.run("info", "--json", joined, ranks=ranks).out)
    found = next(one for one in told["diagnostics"] if "were joined" in one["problem"])
    assert told["traces"] == 35 and found["grade"] == "major"
    assert found["where"] == f"byte {3600 + 11 * (240 + 4 * samples) + 1}" and "3 SEG-Y files" in found["problem"]
    said = sill.run("repair", joined, "-o", tmp_path / "one.sgy", ranks=ranks).out
    assert "joined files (the complete file): file headers between traces -> none" in said
    data = (tmp_path / "one.sgy").read_bytes()
    assert data == paths[0].read_bytes() + paths[1].read_bytes()[3600:] + paths[2].read_bytes()[3600:]
    sill.run("scan", joined, "--keys", "cdp", "--csv", tmp_path / "o.csv", ranks=ranks)
    assert len((tmp_path / "o.csv").read_text().splitlines()) == 36


def test_tiny_joined_files(sill, tmp_path):
    """Blocks of 3,200 bytes after the binary header contain 6 traces and text, and look like text."""
    file, joined = segy_files.make(6, 10, code=5), tmp_path / "j.sgy"
    file.rows[:, :240] = 0
    for name, value in {"tracl": 1 + np.arange(6), "fldr": 1, "trid": 1, "ns": 10, "dt": 2000}.items():
        file.put_word(name, value)
    path = file.put_samples(np.random.default_rng(5).normal(0, 100, (6, 10)).astype("f4")).write(tmp_path / "a.sgy")
    joined.write_bytes(2 * path.read_bytes())
    told = json.loads(sill.run("info", "--json", joined).out)
    assert told["traces"] == 12 and any("2 SEG-Y files were joined" in one["problem"] for one in told["diagnostics"])


def test_joined_files_that_differ(sill, tmp_path):
    one = survey(11, 840).write(tmp_path / "a.sgy")
    other = survey(5, 840, code=1).write(tmp_path / "b.sgy")
    (tmp_path / "j.sgy").write_bytes(one.read_bytes() + other.read_bytes())
    refused = sill.run("sort", tmp_path / "j.sgy", "-o", tmp_path / "o.sgy", "--by", "cdp", expect=3)
    assert "were joined" in refused.err and str(3600 + 11 * 3600 + 1) in refused.err.replace(",", "")


def test_traces_as_long_as_a_header_are_no_headers(sill, tmp_path):
    """Numbers at bytes 1-4 that restart, or are those of letters, are not enough."""
    file = survey(30, 840)
    file.put_word("tracl", np.tile(np.arange(10), 3)).put_word("tracr", np.full(30, 0x43404040))
    told = sill.run("info", file.write(tmp_path / "in.sgy"))
    assert "joined" not in told.out


@pytest.mark.parametrize("label", [b"   1V2.00RECORD 8192", b"0001V1.00RECORD08192"])
def test_rode_is_refused_by_name(sill, tmp_path, label):
    plain = survey().write(tmp_path / "plain.sgy").read_bytes()
    (tmp_path / "in.sgy").write_bytes(label.ljust(128) + b"\0\0\1\0" + plain)
    refused = sill.run("info", tmp_path / "in.sgy", expect=3)
    assert "API RP66, V" in refused.err and "RODE" in refused.err
