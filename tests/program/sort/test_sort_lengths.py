"""Sorting traces of different lengths, and all that may lie around and between traces; against numpy."""

import json
import os
import re

import numpy as np
import pytest
import varied_files
from varied_files import any_samples, joined, make

KEYS = ["cdp", "-offset"]
POLICIES = [
    "direct", "staged", "staged,stage=1000", "elected", "collective", "aggregated,async=1", "independent,stage=5K",
]  # fmt: skip
on_ranks = pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich), 3, 4])
alone_and_on_two = pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])


def sort(sources, target, *options, keys=KEYS):
    return ("sort", *sources, "-o", target, "--by", ",".join(keys), "--keep-sorting-code", *options)


@pytest.fixture(scope="module")
def varying(tmp_path_factory):
    """3.4 MB: more than the least memory of a sort."""
    file = make(any_samples(4001))
    path = file.write(tmp_path_factory.mktemp("varying") / "in.sgy")
    return path, file.sorted_by(KEYS).to_bytes()


@on_ranks
@pytest.mark.parametrize("policy", POLICIES)
def test_lengths_that_vary(sill, varying, tmp_path, policy, ranks):
    path, expected = varying
    jobs = [
        sort([path], tmp_path / f"{i}.sgy", "--policy", policy, "--threads", threads, "--memory", memory)
        for i, (threads, memory) in enumerate([(1, "1G"), (2, "1G"), (2, "100K")])
    ]
    for i, result in enumerate(sill.run_together(jobs, ranks=ranks)):
        assert (tmp_path / f"{i}.sgy").read_bytes() == expected, result.command


@on_ranks
@pytest.mark.parametrize("order", ["big", "little"])
def test_additional_headers_that_vary(sill, tmp_path, order, ranks):
    headers = [1 + i // 3 % 3 for i in range(301)]
    file = make(any_samples(301), headers=headers, order=order, trailers=2, label=True)
    path = file.write(tmp_path / "in.sgy")
    sill.run(*sort([path], tmp_path / "o.sgy"), ranks=ranks)
    assert (tmp_path / "o.sgy").read_bytes() == file.sorted_by(KEYS).to_bytes()


def test_by_a_word_of_an_additional_header(sill, tmp_path):
    file = make(any_samples(200), headers=[1 + i % 2 for i in range(200)])
    keys = [int.from_bytes(trace[240:244], "big", signed=True) for trace in file.traces]
    sill.run(*sort([file.write(tmp_path / "in.sgy")], tmp_path / "o.sgy", keys=["@241:i4"]))
    assert (tmp_path / "o.sgy").read_bytes() == file.permuted(np.argsort(keys, kind="stable")).to_bytes()
    refused = sill.run(*sort([tmp_path / "in.sgy"], tmp_path / "p.sgy", keys=["@600:i4"]), expect=(2, 3))
    assert refused.reason.count("headers") >= 1


@alone_and_on_two
def test_several_inputs_of_lengths_that_vary(sill, tmp_path, ranks):
    files = [
        make(any_samples(100, seed), headers=[1 + i % 2 for i in range(100)], trailers=1 + seed, label=seed < 3, seed=seed,
             told_traces=100)
        for seed in (1, 2, 3)
    ]  # fmt: skip
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    report = tmp_path / "report.json"
    result = sill.run(*sort(paths, tmp_path / "o.sgy", "--report", report), ranks=ranks)
    expected = joined(*files).sorted_by(KEYS).put_head(3513, "u8", 300)
    assert (tmp_path / "o.sgy").read_bytes() == expected.to_bytes()
    told = json.loads(report.read_text())
    assert told["words_changed"] == ["number of traces (bytes 3513-3520): 100 -> 300"]
    assert told["trailers_left_away"] == 7
    assert re.search(r"100 -> 300", result.said) and re.search(r"7 data trailers of other files", result.said)


@alone_and_on_two
@pytest.mark.parametrize("method", ["gather", "scatter", "buckets", "auto"])
def test_one_length_with_everything_around_it(sill, tmp_path, method, ranks):
    """Label, extended text, additional headers, trailers; several inputs of revision 2."""
    files = [
        make([20] * 150, headers=[2] * 150, trailers=2, label=True, seed=seed, told_traces=150, flag=1, extended=1)
        for seed in (1, 2)
    ]
    paths = [file.write(tmp_path / f"{i}.sgy") for i, file in enumerate(files)]
    sill.run(*sort(paths, tmp_path / "o.sgy", "--method", method), ranks=ranks)
    expected = joined(*files).sorted_by(KEYS).put_head(3513, "u8", 300)
    assert (tmp_path / "o.sgy").read_bytes() == expected.to_bytes()


def test_the_sorting_code_lies_behind_a_label(sill, tmp_path):
    file = make([20] * 50, label=True, flag=1)
    path = file.write(tmp_path / "in.sgy")
    sill.run("sort", path, "-o", tmp_path / "o.sgy", "--by", "cdp")
    expected = file.sorted_by(["cdp"]).put_head(3229, "i2", 2)
    assert (tmp_path / "o.sgy").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("told", [0, 150])
def test_a_number_of_traces_that_is_not_told_stays_so(sill, tmp_path, told):
    """And what a single input tells, right or wrong, is carried."""
    file = make([20] * 150, told_traces=told, flag=1)
    path = file.write(tmp_path / "in.sgy")
    sill.run(*sort([path], tmp_path / "o.sgy"))
    assert (tmp_path / "o.sgy").read_bytes() == file.sorted_by(KEYS).to_bytes()
    if told == 0:
        sill.run(*sort([path, file.write(tmp_path / "again.sgy")], tmp_path / "p.sgy"))
        assert (tmp_path / "p.sgy").read_bytes() == joined(file, file).sorted_by(KEYS).to_bytes()


@alone_and_on_two
@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("method", ["gather", "scatter", "buckets"])
def test_seismic_unix(sill, tmp_path, order, method, ranks):
    files = [make([30] * 120, su=True, order=order, seed=seed) for seed in (1, 2)]
    paths = [file.write(tmp_path / f"{i}.su") for i, file in enumerate(files)]
    report = tmp_path / "report.json"
    options = ("--by", "cdp,-offset", "--method", method, "--report", report)
    result = sill.run("sort", *paths, "-o", tmp_path / "o.su", *options, ranks=ranks)
    assert (tmp_path / "o.su").read_bytes() == joined(*files).sorted_by(KEYS).to_bytes()
    assert json.loads(report.read_text())["words_changed"] == []
    assert "no sorting code" in result.said and "->" not in result.said


def test_a_seismic_unix_trace_of_another_length(sill, tmp_path):
    """The file divides and the traces that the probe saw agree, but nothing says that all are of one length."""
    file = make([30] * 120, su=True)
    file.traces[7] = file.traces[7][:114] + b"\0\x1d" + file.traces[7][116:]
    path = file.write(tmp_path / "in.su")
    refused = sill.run("sort", path, "-o", tmp_path / "o.su", "--by", "cdp", expect=3)
    assert re.search(r"trace:?\s+8\b", refused.reason) and "29 samples" in refused.reason
    assert os.listdir(tmp_path) == ["in.su"]


def test_additional_headers_that_contradict(sill, tmp_path):
    """Promised, they are counted; not promised, the traces cannot be told apart."""
    headers = [2] * 60
    for flag, code in ((1, 0), (0, 3)):
        file = make([20] * 60, headers=headers, flag=flag)
        trace = bytearray(file.traces[7])
        trace[240 + 156 : 240 + 158] = b"\0\1"
        file.traces[7] = bytes(trace)
        path = file.write(tmp_path / "in.sgy")
        report = tmp_path / "r.json"
        result = sill.run(*sort([path], tmp_path / "o.sgy", "--report", report), expect=code)
        if code == 0:
            assert json.loads(report.read_text())["deviating_traces"] == 1
            assert (tmp_path / "o.sgy").read_bytes() == file.sorted_by(KEYS).to_bytes()
            (tmp_path / "o.sgy").unlink()
        else:
            assert re.search(r"trace:?\s+8\b", result.reason), result.err
            assert not (tmp_path / "o.sgy").exists()


@alone_and_on_two
@pytest.mark.parametrize("method", ["scatter", "buckets"])
def test_only_a_gather_takes_lengths_that_vary(sill, varying, tmp_path, method, ranks):
    path, _ = varying
    refused = sill.run(*sort([path], tmp_path / "o.sgy", "--method", method), ranks=ranks, expect=2)
    assert "differ in length" in refused.reason and "--method gather" in refused.err
    assert os.listdir(tmp_path) == []


def test_auto_says_why_it_gathers(sill, varying, tmp_path):
    path, _ = varying
    explained = sill.run(*sort([path], tmp_path / "o.sgy", "--explain")).out
    assert re.search("method gather: .*differ in length", explained)


@alone_and_on_two
def test_memory_that_holds_no_trace(sill, varying, tmp_path, ranks):
    path, _ = varying
    for policy in ("direct", "collective"):
        options = ("--policy", policy, "--memory", "1000")
        refused = sill.run(*sort([path], tmp_path / "o.sgy", *options), ranks=ranks, expect=2)
        least = re.search(r"give at least --memory (\d+)", refused.err).group(1)
        sill.run(*sort([path], tmp_path / "o.sgy", "--policy", policy, "--memory", least), ranks=ranks)
        assert (tmp_path / "o.sgy").read_bytes() == varying[1]
        (tmp_path / "o.sgy").unlink()


@pytest.mark.parametrize("ranks", [None, 4])
@pytest.mark.parametrize("traces", [1, 2])
def test_few_traces(sill, tmp_path, traces, ranks):
    file = make([12, 30][:traces], headers=[1, 3][:traces])
    path = file.write(tmp_path / "in.sgy")
    sill.run(*sort([path], tmp_path / "o.sgy"), ranks=ranks)
    assert (tmp_path / "o.sgy").read_bytes() == file.sorted_by(KEYS).to_bytes()


def test_no_trace(sill, tmp_path):
    file = make([], headers=None, told_traces=0, trailers=1)
    refused = sill.run(*sort([file.write(tmp_path / "in.sgy")], tmp_path / "o.sgy"), expect=3)
    assert "no trace" in refused.reason or "trace" in refused.reason
    assert os.listdir(tmp_path) == ["in.sgy"]


@alone_and_on_two
@pytest.mark.parametrize("left", [100, 300])
def test_a_cut_file_is_refused(sill, tmp_path, left, ranks):
    file = make(any_samples(100))
    path = tmp_path / "in.sgy"
    path.write_bytes(file.permuted(range(60)).to_bytes() + file.traces[60][: min(left, len(file.traces[60]) - 1)])
    refused = sill.run(*sort([path], tmp_path / "o.sgy"), ranks=ranks, expect=3)
    assert "in.sgy" in refused.err
    assert os.listdir(tmp_path) == ["in.sgy"]


@pytest.mark.parametrize("code", [1, 3, 8])
def test_sample_formats_of_lengths_that_vary(sill, tmp_path, code):
    file = make(any_samples(200), code=code)
    sill.run(*sort([file.write(tmp_path / "in.sgy")], tmp_path / "o.sgy"))
    assert (tmp_path / "o.sgy").read_bytes() == file.sorted_by(KEYS).to_bytes()


def test_the_helper_makes_what_it_says():
    file = varied_files.make([3, 5], headers=[1, 2], label=True, trailers=1)
    assert [len(trace) for trace in file.traces] == [480 + 12, 720 + 20]
    assert len(file.head) == 3728 and len(file.tail) == 3200
