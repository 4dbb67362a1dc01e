"""Runs that are killed at random moments: all complete steps remain, for every library that reads them."""

import os
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401: h5py reads zstd
import netCDF4
import numpy
import pytest
import sill
import zarr
from killed_run import CASES, NX, NY, values_of, write

HERE = Path(__file__).resolve().parent


def killed(path, name, after_s, has_step):
    """Returns the number of steps that a run completed, at least, before it was killed: some time after its begin, or after
    its first step."""
    search = os.pathsep.join([str(Path(sill.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "killed_run.py"), str(path), name]
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": search}, stdout=subprocess.PIPE, bufsize=0) as running:
        steps = b"".join(running.stdout.read(8) for _ in range(2 if has_step else 1))
        time.sleep(after_s)
        running.kill()
        while more := running.stdout.read(1 << 16):
            steps += more
    assert running.returncode == -signal.SIGKILL
    return struct.unpack("q", steps[-8:])[0]


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
        path = folder / f"u.{name}"
        completed = killed(path, name, choose.choice([0.005, 0.05]) * choose.random(), choose.random() < 0.7)
        try:
            with sill.Dataset(path) as d:
                steps = d.steps
                if steps > 0:
                    numpy.testing.assert_array_equal(d["u"][:], [values_of(step) for step in range(steps)])
        except sill.Error:
            if completed > 0:
                raise
            steps = 0
        assert completed <= steps <= completed + 1
        others = steps_of_others(path) if steps > 0 else None
        if others is not None:
            numpy.testing.assert_array_equal(others.reshape(-1, NY, NX), [values_of(step) for step in range(steps)])
        found.add(steps)
        if name == "vtkhdf":  # which cannot be continued
            continue
        write(path, name, "a", steps + 1)  # continues
        with sill.Dataset(path) as d:
            assert d.steps == steps + 1
            numpy.testing.assert_array_equal(d["u"][steps], values_of(steps))
    assert kills < 10 or len(found) > 5  # the kills do come at different moments
