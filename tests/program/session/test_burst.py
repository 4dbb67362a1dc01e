"""Outputs through a burst buffer: the same bytes, nothing left behind, and what a killed run leaves is drained."""

import json
import os
import random
import struct
import time
import zlib

import netCDF4
import numpy
import pytest
import segy_files
from program import TIMEOUT_S, kill_group
from test_kernel_gccom import VARIABLES, values

GCCOM = ["kernel", "gccom", "--grid", "13x5x11", "--phases", 4]


@pytest.fixture
def burst(tmp_path):
    folder = tmp_path / "burst"
    folder.mkdir()
    return folder


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_all_went_through(report):
    cost = json.loads(report.read_text())
    assert cost["bytes_burst"] > 1500 * 1450 * 4
    assert cost["bytes_past_burst"] == 0


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("policy", ["", "direct,async=1,", "staged,sync=phase,"])
def test_the_same_bytes_of_a_dataset(sill, tmp_path, burst, ranks, policy):
    for name, how in (("plain", "auto"), ("logged", f"{policy}burst={burst}")):
        sill.run(*GCCOM, "--verify", "--out", tmp_path / name, "--policy", how, ranks=ranks)
    assert files_in(tmp_path / "logged") == files_in(tmp_path / "plain")
    assert not list(burst.iterdir())


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("method", ["gather", "buckets", "scatter"])
def test_the_same_bytes_of_a_sort_and_a_flow(sill, tmp_path, burst, small_memory, ranks, method):
    file = segy_files.make(1500, 1450)
    path = file.write(tmp_path / "in.sgy")
    logged = ["--policy", f"burst={burst}", "--report", tmp_path / "cost.json"]
    sill.run("sort", path, "-o", tmp_path / "out.sgy", "--by", "cdp,-offset", "--keep-sorting-code", "--method", method,
             "--memory", small_memory, *logged, ranks=ranks)  # fmt: skip
    order = segy_files.sort_order(file, ["cdp", "-offset"])
    assert (tmp_path / "out.sgy").read_bytes() == file.permuted(order).to_bytes()
    assert_all_went_through(tmp_path / "cost.json")
    for name, how in (("plain", []), ("logged", logged)):
        sill.run("flow", path, "--do", "gain scale=2", "-o", tmp_path / f"{name}.sgy", *how, ranks=ranks)
    assert_all_went_through(tmp_path / "cost.json")
    assert (tmp_path / "logged.sgy").read_bytes() == (tmp_path / "plain.sgy").read_bytes()
    assert not list(burst.iterdir())


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_folder_that_is_not_there(sill, tmp_path, ranks):
    result = sill.run(*GCCOM, "--out", tmp_path / "out", "--policy",
                      f"burst={tmp_path}/none", ranks=ranks, expect=2)  # fmt: skip
    assert "the folder of the burst buffer does not exist" in result.err
    assert f"{tmp_path}/none" in result.err
    result = sill.run("drain", tmp_path / "none", ranks=ranks, expect=2)
    assert "the folder of the burst buffer does not exist" in result.err


def test_an_empty_folder_has_nothing_to_drain(sill, burst):
    assert sill.run("drain", burst).out == f"{burst}: 0 logs drained\n"
    assert json.loads(sill.run("drain", burst, "--json", ranks=2).out) == {
        "nodes": [{"rank": 0, "drained": 0, "in_use": 0, "files": [], "damaged": []}]
    }


def test_the_report_has_a_row(sill, tmp_path, burst):
    sill.run(*GCCOM, "--out", tmp_path / "out", "--policy", f"burst={burst}", "--report",
             tmp_path / "cost.txt")  # fmt: skip
    rows = [line.split() for line in (tmp_path / "cost.txt").read_text().splitlines()]
    assert any(row[:1] == ["burst"] for row in rows)


def checksum(data):
    return ~zlib.crc32(data) & 0xFFFFFFFF


def log_of(path, runs):
    """As docs/burst.md describes it."""

    def record(kind, data, place, inode=0):
        rest = struct.pack("<IIiqqqq", checksum(data), kind, 5, 3, len(data), place, inode)
        return struct.pack("<I", checksum(rest)) + rest + data

    status = os.stat(path)
    body = record(1, os.fsencode(path), status.st_dev, status.st_ino)
    body += b"".join(record(2, data, offset) for offset, data in runs)
    head = struct.pack("<8sqq", b"SILLLOG1", 3, 32 + len(body))
    return head + struct.pack("<q", checksum(head)) + body


def test_a_log_is_as_described(sill, tmp_path, burst):
    path = tmp_path / "volume.raw"
    path.write_bytes(b"0123456789")
    log = log_of(path, [(8, b"abcd"), (0, b"efg"), (9, b"B")])
    (burst / "sill-node1-7-0.lock").touch()
    (burst / "sill-node1-7-0.0.log").write_bytes(log + b"of an earlier use")
    refused = sill.run(*GCCOM, "--out", tmp_path / "out", "--policy", f"burst={burst}", expect=2)
    assert f"sill drain {burst}" in refused.err
    assert sill.run("drain", burst).out == f"{path}: 8 B written to this file\n{burst}: 1 log drained\n"
    assert path.read_bytes() == b"efg34567aBcd"
    assert not list(burst.iterdir())

    (burst / "sill-node1-7-0.lock").touch()
    (burst / "sill-node1-7-0.0.log").write_bytes(log[:-1] + b"C")
    refused = sill.run(*GCCOM, "--out", tmp_path / "out", "--policy", f"burst={burst}", expect=2)
    assert f"sill drain {burst}" in refused.err
    result = sill.run("drain", burst, "--json", expect=1)
    assert json.loads(result.out)["nodes"][0]["damaged"] == [f"{burst}/sill-node1-7-0.0.log"]
    assert path.read_bytes() == b"efg34567abcd"


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_killed_run_leaves_whole_steps_and_is_drained(sill, tmp_path, burst, ranks):
    random.seed(ranks)
    seen = 0
    for attempt in range(40):
        if attempt >= 6 and seen > 0:
            break
        out = tmp_path / str(attempt)
        options = ["--grid", "101x6x51", "--phases", 2000, "--out", out, "--policy", f"burst={burst}"]
        process = sill.start("kernel", "gccom", *options, ranks=ranks)
        try:
            began = time.monotonic()
            while not list(out.glob("gccom.nc")) and time.monotonic() < began + 30:
                time.sleep(0.01)
            time.sleep(random.uniform(0.05, 0.6) * (1 + attempt / 6))  # longer where the machine is slow
        finally:
            kill_group(process)
        assert list(burst.iterdir())
        while list(burst.iterdir()):  # ranks may take a while to die, and their logs are in use until then
            assert time.monotonic() < began + TIMEOUT_S
            sill.run("drain", burst, expect=(0, 1))
        if not (out / "gccom.nc").exists() or not (out / "gccom.nc").read_bytes().startswith(b"CDF"):
            continue  # killed before its header was there
        with netCDF4.Dataset(out / "gccom.nc") as file:
            for step in range(file.dimensions["time"].size):
                seen += 1
                for number, name in enumerate(VARIABLES):
                    assert numpy.array_equal(file[name][step], values(number, step, (51, 6, 101))), (attempt, step)
    assert seen > 0

