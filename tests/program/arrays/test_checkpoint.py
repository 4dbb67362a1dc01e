"""Checkpoints: read by netCDF and zlib, the bytes of the original, damage that is found, runs that are killed."""

import json
import random
import time
import zlib

import netCDF4
import numpy as np
import pytest
from program import kill_group

SIZES = ["--grid", "17", "--variables", "4"]


def written(sill, folder, *options, ranks=None, phases=3):
    sill.run("kernel", "checkpoint", *SIZES, "--phases", phases, "--out", folder, *options, ranks=ranks)
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def state(sill, tmp_path):
    written(sill, tmp_path / "out")
    return tmp_path / "out" / "state.checkpoint"


def generation(state, number):
    return state.with_name(f"{state.name}.{number % 2}.nc")


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x40
    path.write_bytes(data)


def test_the_same_bytes_as_the_original_and_for_all_ranks(sill, tmp_path):
    expected = written(sill, tmp_path / "one", "--verify")
    assert sorted(expected) == ["state.checkpoint.0.nc", "state.checkpoint.1.nc"]
    for ranks in (None, 2, 3):
        assert written(sill, tmp_path / f"original{ranks}", "--original", "--verify", ranks=ranks) == expected
        for policy in ("auto", "direct,async=1", "staged", "aggregated", "burst=/tmp"):
            assert written(sill, tmp_path / f"{policy}{ranks}", "--policy", policy, "--verify", ranks=ranks) == expected


def test_others_read_the_arrays_and_the_checksums(state):
    data = generation(state, 3).read_bytes()
    with netCDF4.Dataset(generation(state, 3)) as file:
        assert file.checkpoint_number == 3
        assert file["v0"].shape == (1, 17, 17, 17)
        assert np.unique(file["v3"][:]).size == 17**3
        sums = file["checkpoint_checksums"][:].astype(np.uint32)
    block = 1 << 20
    begin = len(data) - 4 * 17**3 * 8
    blocks = [data[at : at + block] for at in range(begin, len(data), block)]
    assert [zlib.crc32(each) for each in blocks] == list(sums[1:])
    # The header ends where its CRC-32 says.
    assert any(zlib.crc32(data[:end]) == sums[0] for end in range(64, begin))


def test_info_verify_and_compare(sill, state, tmp_path):
    info = sill.run("checkpoint", "info", state).out
    assert "generation 3, complete" in info
    assert "generation 2, complete" in info
    assert "f8 v3(time, z, y, x)" in info
    verified = sill.run("checkpoint", "verify", state, ranks=2).out
    assert verified.count("all bytes are as they were written") == 2
    assert "equal" in sill.run("arrays", "compare", state, state, ranks=3).out
    sill.run("arrays", "copy", state, "-o", tmp_path / "copy.nc")
    with netCDF4.Dataset(tmp_path / "copy.nc") as copy:
        assert sorted(copy.variables) == ["v0", "v1", "v2", "v3"]
    assert "equal" in sill.run("checkpoint", "compare", state, tmp_path / "copy.nc").out
    refused = sill.run("arrays", "copy", state, "-o", tmp_path / "copy.checkpoint", expect=2)
    assert "checkpoints are made by programs" in refused.err


def test_damage_is_found_and_the_older_generation_is_used(sill, state, tmp_path):
    flip(generation(state, 3), -100)
    for ranks in (None, 2):
        found = sill.run("checkpoint", "verify", state, "--json", expect=1, ranks=ranks)
        generations = json.loads(found.out)["generations"]
        assert [each["whole"] for each in generations] == [False, True]
        assert "differ from the written bytes" in generations[0]["fault"]
    assert "state.checkpoint.0.nc" in sill.run("checkpoint", "verify", state, expect=1).out
    copied = sill.run("arrays", "copy", state, "-o", tmp_path / "older.nc")
    assert "state.checkpoint.0.nc is used" in copied.err
    with netCDF4.Dataset(tmp_path / "older.nc") as copy, netCDF4.Dataset(generation(state, 2)) as older:
        np.testing.assert_array_equal(copy["v1"][:], older["v1"][:])
    flip(generation(state, 2), -100)
    refused = sill.run("checkpoint", "verify", state, expect=3, ranks=2)
    assert "no generation of the checkpoint is intact" in refused.err
    assert "differ from the written bytes" in refused.out
    sill.run("arrays", "info", state, expect=3)


def test_what_is_no_checkpoint(sill, state, tmp_path):
    missing = sill.run("checkpoint", "info", tmp_path / "none.checkpoint", expect=4)
    assert "no file of this checkpoint exists" in missing.err
    generation(state, 2).write_bytes(b"")
    info = sill.run("checkpoint", "info", state, expect=1).out
    assert "was not completed" in info
    other = sill.run("arrays", "copy", state, "-o", tmp_path / "other.nc")
    assert "4 variables" in other.out
    (tmp_path / "other.nc").rename(generation(state, 2))
    assert "it is not a file of a checkpoint" in sill.run("checkpoint", "info", state, expect=1).out


def kill_at_random(sill, folder, kills, seed, ranks):
    """After each kill the newest whole generation is one that some run completed."""
    draw = random.Random(seed)
    state = folder / "state.checkpoint"
    sizes = ["--grid", 40, "--variables", 8, "--phases", 1000]
    for _ in range(kills):
        process = sill.start("kernel", "checkpoint", *sizes, "--out", folder, ranks=ranks)
        try:
            while not generation(state, 2).exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.3))
            assert process.poll() is None
        finally:
            kill_group(process)
        found = sill.run("checkpoint", "verify", state, "--json", expect=None)
        assert any(each["whole"] for each in json.loads(found.out)["generations"]), found.out
        for file in folder.iterdir():
            file.unlink()


@pytest.mark.parametrize("ranks", [None, 2])
def test_killed_at_random_moments(sill, tmp_path, ranks):
    kill_at_random(sill, tmp_path, kills=6, seed=ranks, ranks=ranks)


@pytest.mark.nightly
@pytest.mark.parametrize("ranks", [None, 3])
def test_killed_at_very_many_moments(sill, tmp_path, ranks):
    kill_at_random(sill, tmp_path, kills=100, seed=ranks, ranks=ranks)
