"""Runs that are killed at random moments: all complete steps remain, for every library that reads them."""

import os
import random
import signal
import struct
import time
import traceback

import h5py
import hdf5plugin  # noqa: F401: h5py reads zstd
import netCDF4
import numpy
import pytest
import sill
import zarr

ROOM = 2000  # steps for which contiguous files have room
NY, NX = 6, 50
CASES = {
    "nc": {},
    "h5": {"steps": ROOM},
    "nc4": {"steps": ROOM},
    "vtkhdf": {"steps": ROOM},
    "chunks.h5": {"codec": "deflate:1", "chunks": (4, 20)},
    "chunks.nc4": {"codec": "shuffle+zstd:1", "chunks": (4, 20)},
    "zarr": {},
    "zstd.zarr": {"codec": "zstd:1", "chunks": (4, 20)},
    "deflate.zarr": {"codec": "shuffle+deflate:1", "chunks": (2, 50)},
    "vti": {},
    "raw": {},
    "plt": {},
}


def values_of(step):
    return numpy.arange(NY * NX, dtype="f4").reshape(NY, NX) + 1000 * step


def write_until_killed(path, options, told, mode="w", last=ROOM):
    """Writes steps, and tells the number of complete ones."""
    with sill.Dataset(path, mode, dims={"time": None, "y": NY, "x": NX}, **options) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.begin()
        for step in range(d.steps, last):
            d.write_step({"u": values_of(step)})
            os.write(told, struct.pack("q", step + 1))


def killed(path, options, after_s, has_step):
    """Returns the number of steps that a run completed, at least, before it was killed: some time after its begin, or after
    its first step."""
    read, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write_until_killed(path, options, told)
            time.sleep(60)
        except sill.Error:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(told)
    first = os.read(read, 8) if has_step else b""
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    with os.fdopen(read, "rb") as pipe:
        steps = first + pipe.read()
    return struct.unpack("q", steps[-8:])[0] if steps else 0


def steps_of_others(path):
    """Returns what other libraries read; nullopt for formats without such a library."""
    if path.suffix in (".h5", ".nc4", ".vtkhdf"):
        with h5py.File(path) as file:
            if path.suffix == ".vtkhdf":
                return file["VTKHDF/PointData/u"][: int(file["VTKHDF/Steps"].attrs["NSteps"].item())]
            return file["u"][: file["complete_steps"][()] if "complete_steps" in file else None]
    if path.suffix == ".nc":
        with netCDF4.Dataset(path) as file:
            return file["u"][:].data
    return zarr.open_group(path, mode="r")["u"][:] if path.suffix == ".zarr" else None


@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", CASES)
def test_all_complete_steps_remain(tmp_path, name, kills):
    choose = random.Random(name)
    found = set()
    for run in range(kills):
        folder = tmp_path / str(run)
        folder.mkdir()
        path, options = folder / f"u.{name}", CASES[name]
        completed = killed(path, options, choose.choice([0.005, 0.05]) * choose.random(), choose.random() < 0.7)
        try:
            with sill.Dataset(path) as d:
                steps = d.steps
                if steps > 0:
                    numpy.testing.assert_array_equal(d["u"][:], [values_of(step) for step in range(steps)])
        except sill.Error:  # no step was completed
            steps = 0
        assert completed <= steps <= completed + 1
        others = steps_of_others(path) if steps > 0 else None
        if others is not None:
            numpy.testing.assert_array_equal(others.reshape(-1, NY, NX), [values_of(step) for step in range(steps)])
        found.add(steps)
        if name == "vtkhdf":  # which cannot be continued
            continue
        write_until_killed(path, options, os.open(os.devnull, os.O_WRONLY), "a", steps + 1)  # continues
        with sill.Dataset(path) as d:
            assert d.steps == steps + 1
            numpy.testing.assert_array_equal(d["u"][steps], values_of(steps))
    assert kills < 10 or len(found) > 5  # the kills do come at different moments
