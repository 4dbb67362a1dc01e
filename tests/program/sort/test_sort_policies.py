"""Policies of every kind: the same bytes on any number of ranks by any method, and whole or nothing where one fails."""

import json
import os
import re
import resource
import signal

import pytest
import segy_files
from caught import OLD, caught, wait_until_gone
from presets import PRESETS
from program import leftovers, signal_all

MIXED = [
    "writers=2,stage=1M,align=64K", "direct,async=2", "elected,async=1,stage=100K",
    "writers=3,align=4096,striping=2x1M,sync=phase", "call=mpiio,stage=64K", "aggregated,async=1",
    "burst=/tmp", "aggregated,async=2,burst=/tmp",
]  # fmt: skip
POLICIES = [*PRESETS, *MIXED]
CAUGHT = ["direct", "staged", "elected", "aggregated", "aggregated,async=1", "independent", "collective"]
KEYS = ["cdp", "-offset"]

on_ranks = pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpich), 3, 4])
mostly_at_night = pytest.mark.parametrize(
    "ranks",
    [
        pytest.param(1, marks=pytest.mark.nightly),
        pytest.param(2, marks=[pytest.mark.mpich, pytest.mark.nightly]),
        3,
        pytest.param(4, marks=pytest.mark.nightly),
    ],
)
alone_and_on_two = pytest.mark.parametrize("ranks", [None, pytest.param(2, marks=pytest.mark.mpich)])


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """9 MB, more than the least memory limit: the path, and the traces in their new order."""
    file = segy_files.make(1500, 1450)
    path = file.write(tmp_path_factory.mktemp("policies") / "in.sgy")
    return path, file.permuted(segy_files.sort_order(file, KEYS)).to_bytes()


def sort(path, target, policy: str, *options) -> tuple:
    keys = ",".join(KEYS)
    return ("sort", path, "-o", target, "--by", keys, "--policy", policy, "--keep-sorting-code", *options)


# The same bytes -------------------------------------------------------------------------------------------------------


@mostly_at_night
@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_bytes_by_every_method(sill, survey, small_memory, tmp_path, policy, ranks):
    path, expected = survey
    methods = ["gather", "buckets", "scatter"] + ["auto"] * (ranks == 3)
    targets = [tmp_path / f"{method}.sgy" for method in methods]
    jobs = [
        sort(path, target, policy, "--method", method, "--memory", small_memory)
        for method, target in zip(methods, targets, strict=True)
    ]
    for result, target in zip(sill.run_together(jobs, ranks=ranks), targets, strict=True):
        assert target.read_bytes() == expected, result.command
        target.unlink()
    assert os.listdir(tmp_path) == []


@on_ranks
@pytest.mark.parametrize("policy", ["aggregated", "elected,async=1,stage=100K", "collective"])
def test_fewer_traces_than_ranks(sill, tmp_path, policy, ranks):
    file = segy_files.make(2, 6)
    target = tmp_path / "out.sgy"
    sill.run(*sort(file.write(tmp_path / "in.sgy"), target, policy), ranks=ranks)
    assert target.read_bytes() == file.permuted(segy_files.sort_order(file, KEYS)).to_bytes()


@alone_and_on_two
def test_stripes_that_are_not_to_be_had_are_told(sill, small, tmp_path, ranks):
    file, path = small
    target, report = tmp_path / "out.sgy", tmp_path / "report.json"
    result = sill.run(*sort(path, target, "striping=2x1M", "--report", report), ranks=ranks)
    assert target.read_bytes() == file.permuted(segy_files.sort_order(file, KEYS)).to_bytes()
    (told,) = json.loads(report.read_text())["striping"]
    assert told["file"] == str(target)
    if "the request was" in told["stripes"]:  # else the tests are run on a file system that has stripes
        assert "the request was 2 stripes of 1M" in told["stripes"]
    assert result.err.count(f"{target}: {told['stripes']}") == 1
    sill.run(*sort(path, target, "direct", "--report", report), ranks=ranks)
    assert json.loads(report.read_text())["striping"] == []


# Whole or nothing -----------------------------------------------------------------------------------------------------


@alone_and_on_two
def test_full_disk_under_every_policy(sill, survey, tiny_disk, ranks):
    path, _ = survey
    targets = [tiny_disk / f"{number}.sgy" for number in range(len(POLICIES))]
    for target in targets:
        target.write_bytes(OLD)
    jobs = [sort(path, target, policy) for policy, target in zip(POLICIES, targets, strict=True)]
    for target, failed in zip(targets, sill.run_together(jobs, ranks=ranks, expect=4), strict=True):
        assert target.name in failed.err, failed.err
        assert len(re.findall("(?i)no space|full", failed.reason)) == 1, failed.err
        assert target.read_bytes() == OLD
    assert sorted(os.listdir(tiny_disk)) == sorted(target.name for target in targets)


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("policy", CAUGHT)
def test_a_disk_that_fills_up_while_ranks_write(sill, large, disk_for_large, policy, ranks):
    """What was reserved goes to another program, as it may where a file system cannot reserve."""
    _, path = large
    target = disk_for_large / "out.sgy"
    target.write_bytes(OLD)
    with caught(sill, path, target, "--policy", policy, ranks=ranks) as sort:
        size = sort.part.stat().st_size
        os.truncate(sort.part, 0)
        os.truncate(sort.part, size)
        with open(disk_for_large / "other", "wb") as other:
            room = os.statvfs(disk_for_large)
            os.posix_fallocate(other.fileno(), 0, room.f_bavail * room.f_frsize)
        code, reason = sort.end()
    assert code == 4
    assert reason.count("No space left on device") == reason.count("free space on this file system") == 1, reason
    assert target.read_bytes() == OLD
    assert sorted(os.listdir(target.parent)) == ["other", target.name]


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("policy", CAUGHT)
def test_limit_on_the_size_of_files_under_a_policy(sill, large, target, policy, ranks):
    """The limit is set when the ranks write: MPI has files of its own, which it makes before."""
    _, path = large
    with caught(sill, path, target, "--policy", policy, ranks=ranks) as sort:
        for pid in sort.pids:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (8192, 8192))
        code, reason = sort.end()
    assert code == 4
    assert reason.count("File too large") == reason.count("ulimit -f") == 1, reason
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]


@alone_and_on_two
def test_no_permission_to_write_under_every_policy(unprivileged, closed_folder, ranks):
    program, options, _ = unprivileged
    path, closed = closed_folder
    jobs = [sort(path, closed / "out.sgy", policy) for policy in POLICIES]
    for failed in program.run_together(jobs, ranks=ranks, expect=4, **options):
        assert len(re.findall("(?i)permission denied", failed.reason)) == 1, failed.err
    assert os.listdir(closed) == []


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("policy", CAUGHT)
def test_a_signal_under_a_policy_cleans_up(sill, large, target, policy, ranks):
    _, path = large
    with caught(sill, path, target, "--policy", policy, ranks=ranks) as sort:
        signal_all(sort.pids, signal.SIGTERM)
        code, _ = sort.end()
        wait_until_gone(sort.part)
    assert code == 128 + signal.SIGTERM
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == [target.name]
