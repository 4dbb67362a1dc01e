"""Heat in a plane, distributed to the ranks in rows. Every 10th step is written to a netCDF file:

    mpiexec -n 2 python -m mpi4py heat2d.py FILE
"""

import sys

import numpy as np
import sill
from mpi4py import MPI

NX, NY, STEPS, EVERY = 40, 60, 40, 10
comm = MPI.COMM_WORLD
first, end = (NY * rank // comm.size for rank in (comm.rank, comm.rank + 1))
t = np.zeros((end - first + 2, NX + 2), np.float32)  # with ghost points
if first <= NY // 3 < end:
    t[NY // 3 - first + 1, NX // 2 + 1] = 1000
before = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
after = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL

dims = {"time": None, "y": NY, "x": NX}
with sill.Dataset(sys.argv[1], "w", dims=dims, at={"y": slice(first, end)}, comm=comm) as output:
    output.title = "heat in a plane"
    output.createVariable("time", "f8", ("time",)).units = "s"
    output.createVariable("temperature", "f4", ("time", "y", "x")).units = "K"
    for step in range(1, STEPS + 1):
        comm.Sendrecv(t[1], before, 0, t[-1], after)
        comm.Sendrecv(t[-2], after, 1, t[0], before)
        around = (t[:-2, 1:-1] + t[2:, 1:-1]) + (t[1:-1, :-2] + t[1:-1, 2:])
        t[1:-1, 1:-1] += np.float32(0.125) * (around - 4 * t[1:-1, 1:-1])
        if step % EVERY == 0:
            output.write_step({"time": 0.5 * step, "temperature": t[1:-1, 1:-1]})
