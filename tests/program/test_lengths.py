"""Traces whose own headers tell other lengths: where the file promises one length, and where it does not."""

import json
import os
import re

import numpy as np
import pytest
import segy_files

OLD = b"what was there before"


def survey(flag: int, others: dict[int, int]) -> segy_files.Segy:
    """40 traces of 10 samples, some (by index) of which tell another number, and the fixed-length flag."""
    samples = np.full(40, 10)
    for index, told in others.items():
        samples[index] = told
    return segy_files.make(40, 10).put_binary(3503, "i2", flag).put_word("ns", samples)


@pytest.mark.parametrize("index", [0, 39])
@pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])
def test_sampled_traces_that_contradict_one_another(sill, tmp_path, index, ranks):
    """Read as traces that differ in length, of which the last then has too many bytes: no command takes them."""
    path = survey(0, {index: 8}).write(tmp_path / "in.sgy")
    assert "differ in length" in sill.run("info", path, ranks=ranks).out
    for arguments in [("scan", path, "--keys", "cdp"), ("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp")]:
        refused = sill.run(*arguments, ranks=ranks, expect=3)
        assert "in.sgy" in refused.err
        assert re.search(r"\b8 bytes remain", refused.reason)
        assert refused.out == ""
    assert os.listdir(tmp_path) == ["in.sgy"]


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
