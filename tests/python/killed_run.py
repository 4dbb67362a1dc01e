"""Writes steps until it is killed. Standard output: the number of complete steps, of 8 bytes, at first 0."""

import os
import struct
import sys
import time

import numpy
import sill

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


def write(path, name, mode="w", last=ROOM, report=lambda steps: None):
    with sill.Dataset(path, mode, dims={"time": None, "y": NY, "x": NX}, **CASES[name]) as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.begin()
        for step in range(d.steps, last):
            d.write_step({"u": values_of(step)})
            report(step + 1)


if __name__ == "__main__":
    output = sys.stdout.fileno()
    os.write(output, struct.pack("q", 0))
    write(*sys.argv[1:], report=lambda steps: os.write(output, struct.pack("q", steps)))
    time.sleep(60)
