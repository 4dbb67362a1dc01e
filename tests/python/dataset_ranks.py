"""The part of test_dataset.py that runs on several ranks: dataset_ranks.py FOLDER, with alone.nc of one process in it."""

import gc
import sys
import threading
import warnings
from pathlib import Path

import numpy
import sill
from mpi4py import MPI
from ranks import same_on_all
from test_dataset import CONTAINERS, NX, NY, POLICIES, U, files_of, new

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
folder = Path(sys.argv[1])
rows = slice(NY * rank // size, NY * (rank + 1) // size)
columns = slice(NX * rank // size, NX * (rank + 1) // size)
alone = (folder / "alone.nc").read_bytes()


def require_alone(path):
    comm.Barrier()
    assert path.read_bytes() == alone


# The bytes depend neither on policies nor on decompositions.
for at in ({"y": rows}, {"x": columns}):
    for policy in [*POLICIES, "collective"]:
        path = folder / "ranks.nc"
        comm.Barrier()
        with new(path, at=at, comm=comm, policy=policy) as d:
            for step in range(5):
                d["u"][step] = U[step, at.get("y", slice(None)), at.get("x", slice(None))]
        require_alone(path)
        assert d.report()["ranks"] == size

# In every container.
for container in CONTAINERS:
    before = files_of(folder / container)
    comm.Barrier()
    with new(folder / container / "u", container=container, at={"y": rows}, comm=comm, policy="aggregated") as d:
        for step in range(5):
            d["u"][step] = U[step, rows]
    comm.Barrier()
    assert files_of(folder / container) == before, container

# One rank has all elements; explicit indices; ranks of a communicator in another order.
comm.Barrier()
with new(folder / "ranks.nc", comm=comm.Split(0, -rank)) as d:
    for step in range(5):
        if step % 2:
            d["u"][step] = U[step] if rank == 0 else None
            d.sync()
        else:
            d.write_step({"u": [((row,), U[step, row]) for row in range(NY)[rows]]})
require_alone(folder / "ranks.nc")

# Errors of one rank are raised on all, and the step can be written again.
comm.Barrier()
d = new(folder / "ranks.nc", comm=comm, at={"y": rows})
mine = U[:, rows]
last = size - 1
text = same_on_all(lambda: d["u"].__setitem__(0, mine[0] if rank < last else mine[0][:, 1:]))
assert size == 1 or f"rank:   {last} of {size}" in text
same_on_all(lambda: d.write_step({"u" if rank < last else "v": mine[0]}))
same_on_all(lambda: d["u"].__setitem__(0, mine[0] if rank < last else mine[0] > 1))
same_on_all(lambda: d["u"].setncattr("name", 1 if rank < last else 1j))
if size > 1:
    same_on_all(lambda: d["u"].__setitem__(0, mine[0]) if rank else d["u"].__setitem__(1, mine[0]))
    assert "both write" in same_on_all(lambda: d["u"].__setitem__((0, slice(0, 1)), U[0, :1]))
    same_on_all(lambda: d.setncattr("rank", rank))
    same_on_all(lambda: new(folder / f"{rank}.nc", comm=comm).begin())
    same_on_all(lambda: new(folder / "v.nc", comm=comm, memory=1 << (20 + rank)))
    same_on_all(lambda: new(folder / "v.nc", "w" if rank < last else "q", comm=comm))
    for other in "wa":
        modes = "r" if rank < last else other
        assert "different modes" in same_on_all(lambda: sill.Dataset(folder / "alone.nc", modes, comm=comm))
same_on_all(lambda: sill.Dataset(folder / "v.nc", "w", dims={"x": 3 if rank < last else "3"}, comm=comm))
for step in range(5):
    d["u"][step] = mine[step]
d.close()
require_alone(folder / "ranks.nc")

# In chunks, the call that completes the step names the element that two ranks passed; the step can be passed again.
for name in ("overlap.zarr", "overlap.h5", "overlap.nc4"):
    comm.Barrier()
    with sill.Dataset(folder / name, "w", dims={"time": None, "y": NY, "x": NX}, comm=comm, codec="zstd") as d:
        d.createVariable("u", "f4", ("time", "y", "x"))
        d.createVariable("v", "f4", ("time", "y", "x"))
        for step in range(2):
            for write in (d.write_step, lambda arrays: (d.write(arrays), d.sync())) if size > 1 else ():
                text = same_on_all(lambda w=write: w({"u": ((rows,), mine[0]), "v": ((slice(NY - 1, NY),), U[0, -1:])}))
                assert "both write the same byte" in text and f"element of v in step {step}: {(NY - 1) * NX}" in text, text
                assert name in text and "pass all data of the step again" in text, text
            d.write_step({each: ((rows,), mine[step]) for each in "uv"})
    with sill.Dataset(folder / name, comm=comm) as d:
        numpy.testing.assert_array_equal(d["u"][:], U[:2])
        numpy.testing.assert_array_equal(d["v"][:], U[:2])

# Reading, in another decomposition, also where ranks read different steps.
with sill.Dataset(folder / "alone.nc", comm=comm, at={"x": columns}) as d:
    numpy.testing.assert_array_equal(d["u"][:], U[..., columns])
    numpy.testing.assert_array_equal(d["u"][rank, 0:2, 1:2], U[rank, 0:2, 1:2])
    into = numpy.zeros((NY, columns.stop - columns.start), "f8")
    d.read_step(3, {"u": into})
    numpy.testing.assert_array_equal(into, U[3][:, columns])
    same_on_all(lambda: d["u"][5 if rank == last else 0])

# A value of the same variable on all ranks is that of rank 0, unless one rank writes on its own.
with sill.Dataset(folder / "time.nc", "w", dims={"time": None}, comm=comm) as d:
    d.createVariable("time", "f8", ("time",))
    d["time"][0] = 1.5 if rank == 0 else -1
    d["time"][1] = 2.5
    d.sync()
    if rank == last:
        d.write_own(1, {"time": 3.5})
with sill.Dataset(folder / "time.nc", comm=comm) as d:
    assert d["time"][:].tolist() == [1.5, 3.5]

# What is not closed, or left by an exception, waits for no other rank.
d = new(folder / "left.nc", comm=comm, at={"y": rows})
d["u"][0] = mine[0]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    if rank == last:
        del d
        gc.collect()
        assert [each.category for each in caught] == [ResourceWarning]
comm.Barrier()
if rank != last:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        del d
comm.Barrier()
try:
    with new(folder / "left.nc", comm=comm, at={"y": rows}) as d:
        d["u"][0] = mine[0]
        if rank == last:
            raise ZeroDivisionError
        if rank != last:
            raise KeyError
except (ZeroDivisionError, KeyError):
    comm.Barrier()
for wrong in (object(), MPI.COMM_NULL, MPI.INFO_NULL):
    try:
        new(folder / "v.nc", comm=wrong)
        raise AssertionError(wrong)
    except sill.UsageError:
        pass

# Another thread, and calls after MPI has ended, are refused on this rank only.
d = new(folder / "left.nc", comm=comm, at={"y": rows})
d["u"][0] = mine[0]
problems = []


def assign():
    try:
        d["u"][1] = mine[1]
    except sill.UsageError as error:
        problems.append(error.problem)


thread = threading.Thread(target=assign)
thread.start()
thread.join()
comm.Barrier()
if rank == 0:
    print(f"all {size} ranks", flush=True)
MPI.Finalize()
assign()
assert len(problems) == 2, problems
warnings.simplefilter("ignore")
del d
