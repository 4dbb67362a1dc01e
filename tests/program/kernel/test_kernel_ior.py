"""`sill kernel ior`: bytes against an independent writer, and the requests of transfers."""

import json
import os

import numpy
import pytest

KERNEL = ["kernel", "ior"]
# All of them, on any ranks and with several threads: tests/kernels.
POLICIES = ["direct", "aggregated,async=2", "collective"]


def content(file: int, size: int) -> bytes:
    word = numpy.arange(-(-size // 8), dtype=numpy.uint64)
    with numpy.errstate(over="ignore"):
        bits = word * numpy.uint64(0x9E3779B97F4A7C15) + numpy.uint64(file * 0xBF58476D1CE4E5B9 & (1 << 64) - 1)
        bits = (bits ^ (bits >> numpy.uint64(31))) * numpy.uint64(0x94D049BB133111EB)
    return bits.astype("<u8").tobytes()[:size]


def check(out, ranks: int, block: int, shared: bool) -> None:
    if shared:
        assert os.listdir(out) == ["ior"]
        assert (out / "ior").read_bytes() == content(0, ranks * block)
        return
    assert sorted(os.listdir(out)) == [f"ior.{rank:08}" for rank in range(ranks)]
    for rank in range(ranks):
        assert (out / f"ior.{rank:08}").read_bytes() == content(rank, block)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_same_bytes_for_policies(sill, tmp_path, ranks, shared):
    block = 100_003  # the last transfer is shorter
    sizes = ["--block", block, "--transfer", "16K", *(["--shared"] if shared else [])]
    runs = [(*KERNEL, *sizes, "--verify", "--out", tmp_path / policy, "--policy", policy) for policy in POLICIES]
    sill.run_together([*runs, (*KERNEL, *sizes, "--verify", "--out", tmp_path / "original", "--original")], ranks=ranks)
    for policy in [*POLICIES, "original"]:
        check(tmp_path / policy, ranks, block, shared)


@pytest.mark.mpich
@pytest.mark.parametrize("ranks", [None, 2])
def test_a_request_a_transfer(sill, tmp_path, ranks):
    report = tmp_path / "report.json"
    sizes = ["--block", "1M", "--transfer", "64K", "--shared", "--out", tmp_path / "out", "--report", report]
    for how in (["--policy", "direct"], ["--original"]):
        sill.run(*KERNEL, *sizes, *how, ranks=ranks)
        told = json.loads(report.read_text())
        assert told["phases"] == 16
        assert told["requests_written"] == 16 * (ranks or 1)
        assert told["bytes_written"] == told["file_bytes"] == (ranks or 1) << 20


def test_a_longer_earlier_run_is_replaced(sill, tmp_path):
    for block in ("1M", "300K"):
        sill.run(*KERNEL, "--block", block, "--out", tmp_path / "out", "--verify")


def test_what_cannot_be_is_refused(sill, tmp_path):
    out = ["--out", tmp_path / "out"]
    for wrong, word in (
        (["--block", 0], "--block"),
        (["--transfer", "0"], "--transfer"),
        (["--block", "much"], "--block"),
        (["--paper", "--shared"], "--paper"),
    ):
        assert word in sill.run(*KERNEL, *out, *wrong, expect=2).err
    result = sill.run(*KERNEL, "--block", "9000000T", *out, expect=2)
    assert "9000000T" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how", [["--original"], ["--policy", "direct"], ["--policy", "aggregated,async=2"]])
def test_a_full_disk_is_told_once(sill, tiny_disk, how):
    for block, ranks in (("1M", 2), ((1 << 63) - 1, None)):
        result = sill.run(*KERNEL, "--block", block, "--transfer", "64K", "--out", tiny_disk, *how, ranks=ranks, expect=4)
        assert result.err.count("sill: error") == 1 and "No space left" in result.err
