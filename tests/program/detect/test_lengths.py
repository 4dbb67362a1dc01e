"""Traces whose own headers state other lengths: where the file promises one length, and where it does not."""

import json
import os
import re

import numpy as np
import pytest
import segy_files
import varied_files

OLD = b"what was there before"


def survey(flag: int, others: dict[int, int]) -> segy_files.Segy:
    """40 traces of 10 samples, some (by index) of which state another number, and the fixed-length flag."""
    samples = np.full(40, 10)
    for index, told in others.items():
        samples[index] = told
    return segy_files.make(40, 10).put_binary(3503, "i2", flag).put_word("ns", samples)


@pytest.mark.parametrize("index", [0, 39])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_sampled_traces_that_contradict_one_another(sill, tmp_path, index, ranks):
    """By their own headers they then differ in length, and do not fill the file."""
    path = survey(0, {index: 8}).write(tmp_path / "in.sgy")
    told = sill.run("info", path, ranks=ranks, expect=3)
    assert "differ in length" in told.out and "beyond the end" in told.err
    for arguments in [("scan", path, "--keys", "cdp"), ("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp")]:
        refused = sill.run(*arguments, ranks=ranks, expect=3)
        assert "in.sgy" in refused.err
        assert "bytes remain" in refused.reason
        assert refused.out == ""
    assert os.listdir(tmp_path) == ["in.sgy"]


@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_where_only_one_length_fits_that_is_told(sill, tmp_path, ranks):
    """The first trace says that it reaches beyond the file, which divides by what the binary header states."""
    file = survey(0, {0: 60000})
    path, target = file.write(tmp_path / "in.sgy"), tmp_path / "o.sgy"
    arguments = ("sort", path, "-o", target, "--by", "cdp", "--keep-sorting-code")
    result = sill.run(*arguments, "--report", tmp_path / "r.json", ranks=ranks)
    assert "several numbers of samples" in result.err
    assert json.loads((tmp_path / "r.json").read_text())["deviating_traces"] == 1
    assert target.read_bytes() == file.permuted(segy_files.sort_order(file, ["cdp"])).to_bytes()
    target.unlink()
    survey(0, {0: 60000, 7: 9}).write(path)  # a third number, which no sample showed
    refused = sill.run(*arguments, ranks=ranks, expect=3)
    assert "differ in length" in refused.reason and re.search(r"trace:?\s+8\b", refused.reason), refused.err
    assert not target.exists()


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_a_contradiction_found_while_sorting(sill, tmp_path, method, ranks):
    path = survey(0, {7: 8}).write(tmp_path / "in.sgy")  # neither the first, the middle, nor the last
    target = tmp_path / "o.sgy"
    arguments = ("sort", path, "-o", target, "--by", "cdp", "--method", method)
    refused = sill.run(*arguments, ranks=ranks, expect=3)
    assert "differ in length" in refused.reason
    assert re.search(r"trace:?\s+8\b", refused.reason), refused.err
    assert os.listdir(tmp_path) == ["in.sgy"]
    target.write_bytes(OLD)
    sill.run(*arguments, ranks=ranks, expect=3)
    assert target.read_bytes() == OLD
    assert sorted(os.listdir(tmp_path)) == ["in.sgy", "o.sgy"]


@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_where_one_length_is_promised_they_are_counted(sill, tmp_path, method, ranks):
    file = survey(1, {7: 8, 8: 9, 30: 11, 31: 0})  # 0 tells nothing
    path = file.write(tmp_path / "in.sgy")
    options = ("--keep-sorting-code", "--method", method, "--report", tmp_path / "r.json")
    result = sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp", *options, ranks=ranks)
    assert json.loads((tmp_path / "r.json").read_text())["deviating_traces"] == 3
    assert re.search(r"\b3 traces\b.*samples", result.err), result.err
    assert (tmp_path / "o.sgy").read_bytes() == file.permuted(segy_files.sort_order(file, ["cdp"])).to_bytes()


def test_traces_that_agree_need_no_promise(sill, tmp_path):
    for told in (10, 8, 0):
        path = survey(0, dict.fromkeys(range(40), told)).write(tmp_path / "in.sgy")
        sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp")


@pytest.mark.parametrize("order", ["big", "little"])
def test_samples_are_no_evidence_of_the_byte_order(sill, tmp_path, order):
    """Where lengths vary, or the binary header is wrong, headers are sampled where none are."""
    kind = ">f4" if order == "big" else "<f4"
    random = np.random.default_rng(3)
    varying = varied_files.make(varied_files.any_samples(100), order=order)
    wrong = varied_files.make([37] * 100, order=order).put_head(3221, "i2", 50)
    for file in (varying, wrong):
        file.traces = [t[:240] + random.integers(-1000, 1000, len(t) // 4 - 60).astype(kind).tobytes() for t in file.traces]
        path = file.write(tmp_path / "in.sgy")
        assert json.loads(sill.run("info", "--json", path).out)["byte_order"] == order


def test_muted_traces_that_one_length_divides_by_chance(sill, tmp_path):
    """Where the middle and the last header of one length would be lie zeros of samples: they state nothing."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(200, 401, 60)
    whole = 240 + 4 * 400
    before = int(sum(240 + 4 * n for n in lengths[:-1]))
    lengths[-1] = next(n for n in range(200, 401) if (before + 240 + 4 * n) % whole == 0)
    file = segy_files.make(60, 400, revision=(1, 0)).put_binary(3503, "i2", 0).put_word("ns", lengths)
    file.rows[:, 240 + 4 * 50 :] = 0
    path = tmp_path / "in.sgy"
    path.write_bytes(file.head.tobytes() + b"".join(row[: 240 + 4 * n].tobytes() for row, n in zip(file.rows, lengths)))
    assert sill.run("scan", path, "--keys", "tracl", "--stats").out.startswith("60 traces")
    sill.run("edit", path, "--set", "ep=7")
    content, at = path.read_bytes(), 3600
    for row, n in zip(file.rows, lengths):
        expected = bytearray(row[: 240 + 4 * n].tobytes())
        expected[16:20] = (7).to_bytes(4, "big")
        assert content[at : at + len(expected)] == expected
        at += len(expected)
