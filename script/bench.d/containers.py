"""The case of containers: Zarr, HDF5 and netCDF-4 in Python, beside the libraries of these formats."""

import pathlib
import tempfile

from measure import Job, Skipped, guarded
from table import Row

JOBS = pathlib.Path(__file__).resolve().parent / "container_jobs.py"

# Job, our format and the other library, codec, target (times as fast).
ROWS = (
    ("write", "sill-hdf5", "h5py", "none", 1.0),
    ("write", "sill-netcdf4", "netcdf4", "none", 1.0),
    ("write", "sill-hdf5", "h5py", "deflate:6", 2.0),
    ("write", "sill-netcdf4", "netcdf4", "deflate:6", 2.0),
    ("write", "sill-zarr", "tensorstore", "none", 1.5),
    ("write", "sill-zarr", "tensorstore", "zstd:3", 1.5),
    ("write", "sill-zarr", "zarr", "zstd:3", 1.5),
    ("write", "sill-zarr", "tensorstore", "deflate:6", 1.5),
    ("write", "sill-zarr", "netcdf4", "deflate:6", 2.0),
    ("read", "sill-zarr", "tensorstore", "zstd:3", 1.0),
    ("read", "sill-zarr", "zarr", "zstd:3", 1.0),
    ("read", "sill-hdf5", "h5py", "shuffle+deflate:6", 1.0),
    *(
        (f"plane-{dimension}", *compared, 1.0)
        for compared in (
            ("sill-zarr", "tensorstore", "zstd:3"),
            ("sill-zarr", "zarr", "zstd:3"),
            ("sill-hdf5", "h5py", "shuffle+deflate:6"),
        )
        for dimension in "zyx"
    ),
)


def case_containers(cases):
    """arrays in Zarr, HDF5 and netCDF-4, beside tensorstore, zarr, h5py and netCDF4; without starting Python and importing"""
    for job, ours, theirs, codec, target in ROWS:
        row = Row("containers", f"{job} {ours}, {codec}", against=theirs, target=target, times_as_fast=True)

        def fill(row=row, job=job, ours=ours, theirs=theirs, codec=codec):
            if cases.python is None:
                raise Skipped("build/venv has no packages of tests: run script/bootstrap")
            with tempfile.TemporaryDirectory(prefix="containers-", dir=cases.bench.folder) as folder:
                if job != "write":
                    for library in (ours, theirs):
                        cases.bench.run(Job([cases.python, JOBS, "write", library, folder, codec]))
                jobs = [Job([cases.python, JOBS, job, library, folder, codec]) for library in (ours, theirs)]
                cases.compare(row, *jobs, cases.pairs(5))
            for run in (*row.ours, *row.reference):
                run.seconds = float(run.text)
            row.finish()

        yield guarded(row, fill)
