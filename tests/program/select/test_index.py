"""`sill index`: the index kept beside files whose traces differ in length, against numpy."""

import json
import os
import struct

import pytest
import segy_files
from index_files import SUFFIX, any_samples, checksum, varying


def expected_stretches(starts, samples, headers):
    found = []
    for i, shape in enumerate(zip(samples, headers)):
        if not found or found[-1][2:] != shape:
            found.append((i, starts[i], *shape))
    return found


def kept_stretches(path):
    """The stretches of an index file, read as docs/index-file.md has them."""
    raw = path.read_bytes()
    assert raw[:8] == b"SILL-IDX"
    count = struct.unpack_from("<q", raw, 104)[0]
    assert len(raw) == 120 + 24 * count + 8
    return [struct.unpack_from("<qqII", raw, 120 + 24 * i) for i in range(count)]


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_lengths_of_revision_1(sill, tmp_path, order, ranks):
    samples = any_samples(500)
    starts = varying(tmp_path / "in.sgy", samples, order=order)
    told = json.loads(sill.run("index", "--json", tmp_path / "in.sgy", ranks=ranks).out)
    expected = expected_stretches(starts, samples, [1] * 500)
    assert (told["traces"], told["stretches"]) == (500, len(expected))
    assert (told["smallest_samples"], told["largest_samples"]) == (min(samples), max(samples))
    kept = tmp_path / ("in.sgy" + SUFFIX)
    assert told["bytes"] == kept.stat().st_size
    assert kept_stretches(kept) == expected


@pytest.mark.parametrize("order", ["big", "little"])
def test_additional_headers_of_revision_2_1(sill, tmp_path, order):
    samples = any_samples(300)
    headers = [1 + i // 3 % 3 for i in range(300)]
    starts = varying(tmp_path / "in.sgy", samples, order=order, extension_headers=headers)
    sill.run("index", tmp_path / "in.sgy")
    expected = expected_stretches(starts, samples, [1 + more for more in headers])
    assert kept_stretches(tmp_path / ("in.sgy" + SUFFIX)) == expected


def test_text_remove_and_again(sill, tmp_path):
    path = tmp_path / "in.sgy"
    varying(path, any_samples(100))
    out = sill.run("index", path).out
    assert "100" in out and SUFFIX in out
    sill.run("index", path)  # over the old one
    assert json.loads(sill.run("index", "--remove", "--json", path).out)["removed"] is True
    assert os.listdir(tmp_path) == ["in.sgy"]
    assert json.loads(sill.run("index", "--remove", "--json", path).out)["removed"] is False


def test_one_length_needs_no_index(sill, tmp_path):
    paths = [segy_files.make(20, 10).write(tmp_path / name) for name in ("a.sgy", "b.sgy")]
    told = json.loads(sill.run("index", "--json", *paths).out)
    assert [(one["needed"], one["traces"]) for one in told] == [(False, 20)] * 2
    assert "no index is needed" in sill.run("index", paths[0]).out
    assert sorted(os.listdir(tmp_path)) == ["a.sgy", "b.sgy"]


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("left", [239, 241])
def test_a_cut_file_has_no_index(sill, tmp_path, left, ranks):
    path = tmp_path / "in.sgy"
    starts = varying(path, any_samples(100))
    path.write_bytes(path.read_bytes()[: starts[60] + left])
    refused = sill.run("index", path, ranks=ranks, expect=3)
    assert "61" in refused.err and str(left) in refused.err
    assert os.listdir(tmp_path) == ["in.sgy"]


def test_another_file_of_that_name_is_left_alone(sill, tmp_path):
    path = tmp_path / "in.sgy"
    varying(path, any_samples(100))
    other = tmp_path / ("in.sgy" + SUFFIX)
    other.write_bytes(b"mine, and longer than a magic number")
    for arguments in [("index", path), ("index", "--remove", path)]:
        assert "not an index" in sill.run(*arguments, expect=2).err
    sill.run("index", path, other, expect=2)  # an input has the name of an index
    assert other.read_bytes() == b"mine, and longer than a magic number"


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_index_of_an_input_is_no_output(sill, tmp_path, ranks):
    path = tmp_path / "in.sgy"
    varying(path, any_samples(100))
    sill.run("index", path)
    kept = (tmp_path / ("in.sgy" + SUFFIX)).read_bytes()
    outputs = [
        ("convert", path, "-o"), ("sort", path, "--by=cdp", "-o"), ("scan", path, "--csv"), ("info", path, "--report"),
        ("info", path, "--log"), ("index", path, "--log"), ("compare", path, path, "--report"),
    ]  # fmt: skip
    sill.run_together([(*arguments, str(path) + SUFFIX) for arguments in outputs], expect=2, ranks=ranks)
    assert (tmp_path / ("in.sgy" + SUFFIX)).read_bytes() == kept


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_index_of_more_than_there_is_is_not_used(sill, tmp_path, ranks):
    path, kept = tmp_path / "in.sgy", tmp_path / ("in.sgy" + SUFFIX)
    varying(path, any_samples(100))
    sill.run("index", path)
    raw = bytearray(kept.read_bytes()[:-8])
    assert checksum(raw) == struct.unpack("<Q", kept.read_bytes()[-8:])[0]
    first, byte, samples, headers = struct.unpack_from("<qqII", raw, len(raw) - 24)
    more = 5 * (240 * headers + 4 * samples)
    struct.pack_into("<q", raw, 88, struct.unpack_from("<q", raw, 88)[0] + 5)
    struct.pack_into("<q", raw, 96, struct.unpack_from("<q", raw, 96)[0] + more)
    kept.write_bytes(raw + struct.pack("<Q", checksum(raw)))
    told = json.loads(sill.run("info", "--json", path, ranks=ranks).out)
    assert any("beyond the end" in found["problem"] for found in told["diagnostics"])
    assert len(sill.run("scan", path, "--keys=tracl", "--csv", "-", ranks=ranks).out.splitlines()) == 101
