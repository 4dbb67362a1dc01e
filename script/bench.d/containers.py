"""The case of containers: HDF5, netCDF-4, Zarr, MDIO and ASDF, compared with the libraries of these formats."""

import itertools
import json
import pathlib
import shutil
import tempfile

from kernels import by_array_bench
from measure import Job, Skipped, guarded
from movers import Movers, place
from table import Row

JOBS = pathlib.Path(__file__).resolve().parent / "container_jobs.py"
STATIONS = 10_000
PYTHON_PART = 4  # the arrays of Python are a quarter as large as that of two ranks, and so is what other libraries compress

# Deflate of level 1: others take minutes at level 6.
# Job, our format and the other library, codec, target (times as fast).
WRITES = (
    ("sill-hdf5", "h5py", "none", 1.0),
    ("sill-netcdf4", "netcdf4", "none", 1.0),
    ("sill-hdf5", "h5py", "deflate:1", 2.0),
    ("sill-netcdf4", "netcdf4", "deflate:1", 2.0),
    ("sill-zarr", "tensorstore", "none", 1.5),
    ("sill-zarr", "tensorstore", "zstd:3", 1.5),
    ("sill-zarr", "zarr", "zstd:3", 1.5),
    ("sill-zarr", "tensorstore", "deflate:1", 1.5),
)
READS = (
    ("sill-zarr", "tensorstore", "zstd:3"),
    ("sill-zarr", "zarr", "zstd:3"),
    ("sill-hdf5", "h5py", "shuffle+deflate:1"),
)

# What two ranks write, the reference, options of array_bench, target, whether it is how often as fast.
CONTIGUOUS = (
    ("HDF5, contiguous", "the same requests on ready bytes", ["--library", "ready"], 1.15, False),
    ("HDF5, contiguous", "parallel HDF5, collective", ["--library", "hdf5"], 1.2, True),
)
COMPRESSED = tuple(
    (f"{container}, {codec}", against, ["--container", name, "--codec", codec, "--library", library], target, True)
    for codec, of_codec, at_least in (("deflate:1", "libdeflate alone", 0.9), ("zstd:3", "libzstd alone", 0.75))
    for container, name, against, library, target in (
        ("HDF5", "hdf5", of_codec, "codec", at_least),
        ("HDF5", "hdf5", "parallel HDF5, deflate:1, collective", "hdf5", 3.0),
        ("netCDF-4", "netcdf4", "parallel netCDF-4, deflate:1, collective", "netcdf4", 2.0),
    )
)


def python_of(cases) -> pathlib.Path:
    if cases.python is None:
        raise Skipped("build/venv has no packages of tests: run script/bootstrap")
    return cases.python


def launched(cases, command: list) -> list:
    if not cases.launcher:
        raise Skipped("there is no mpirun.openmpi")
    return cases.launch(command)


def use_printed_seconds(row, *sides) -> None:
    """Takes the seconds that programs print, in place of those of their processes."""
    for run in itertools.chain(*sides):
        run.seconds = float(run.text.split()[-1])
    row.finish()


def case_containers(cases):
    """arrays in HDF5, netCDF-4 and Zarr, surveys in MDIO, stations in ASDF, and the libraries of these formats"""
    yield from of_ranks(cases)
    with tempfile.TemporaryDirectory(prefix="containers-", dir=cases.bench.folder) as folder:
        yield from of_python(cases, folder)
    yield particles_row(cases)
    yield survey_row(cases)
    yield stations_row(cases)


def of_ranks(cases):
    """Rows of two ranks that write an array together."""
    pairs = cases.pairs(5)
    with Movers(cases).folders() as folders:
        for folder in folders:
            for what, against, options, target, as_fast in CONTIGUOUS:
                row = Row("containers", f"{what}, 2 ranks, {place(folder)}", against, target=target, times_as_fast=as_fast)
                options = ["--kernel", "volume", "--container", "hdf5", *options, "--megabytes", cases.options.array]
                yield by_array_bench(cases, row, folder, options, pairs)
    for what, against, options, target, as_fast in COMPRESSED:
        size = cases.options.array if "codec" in options else max(2, cases.options.array // PYTHON_PART)
        row = Row("containers", f"{what}, 2 ranks, {size} MiB", against, target=target, times_as_fast=as_fast)
        options = ["--kernel", "volume", *options, "--megabytes", size]
        yield by_array_bench(cases, row, cases.bench.folder, options, pairs)


def of_python(cases, folder):
    """Rows of jobs in Python, without starting Python and importing."""
    size = max(1, cases.options.array // PYTHON_PART)

    def job(*words):
        return Job([python_of(cases), JOBS, *words, size])

    def row(what, ours, theirs, codec, target):
        result = Row("containers", f"{what} {ours}, {codec}, Python", against=theirs, target=target, times_as_fast=True)

        def fill():
            jobs = [job(what, library, folder, codec) for library in (ours, theirs)]
            cases.compare(result, *jobs, cases.pairs(5))
            use_printed_seconds(result, result.ours, result.reference)

        return guarded(result, fill)

    for ours, theirs, codec, target in WRITES:
        yield row("write", ours, theirs, codec, target)
    for ours, theirs, codec in READS:
        made = Row("containers", f"files of {ours} and {theirs}, {codec}, to read")
        guarded(made, lambda pair=(ours, theirs), codec=codec: [cases.bench.run(job("write", each, folder, codec)) for each in pair])
        if made.problem or made.skipped:
            yield made
            continue
        for what in ("read", "plane-z", "plane-y", "plane-x"):
            yield row(what, ours, theirs, codec, 1.0)


def particles_row(cases) -> Row:
    """A program of parallel HDF5 (examples/particles), and the same with Sill: what two ranks wait for their output."""
    particles = 2000 * cases.options.array
    row = Row("containers", f"particles, 5 steps of {32 * particles / 1e6:.0f} MB, 2 ranks", "parallel HDF5", target=1.2,
              times_as_fast=True)  # fmt: skip

    def fill():
        path = cases.bench.folder / "particles.h5"
        programs = [cases.program.parent / f"particles_{output}" for output in ("sill", "hdf5")]
        for program in programs:
            if not program.is_file():
                raise Skipped(f"there is no {program.name}: script/bootstrap --bench installs what it needs")
        jobs = [Job(launched(cases, [program, path, particles]), output=path) for program in programs]
        cases.compare(row, *jobs, cases.pairs(5))
        use_printed_seconds(row, row.ours, row.reference)

    return guarded(row, fill)


def survey_row(cases) -> Row:
    """A post-stack cube as MDIO: our whole process, theirs without starting Python and importing."""
    row = Row("containers", "SEG-Y to MDIO, zstd, whole process", "multidimio", target=3.0, times_as_fast=True)

    def fill():
        python = cases.options.mdio
        if not python.is_file():
            raise Skipped(f"there is no {python}: script/test --nightly makes it, or name a Python that has multidimio by --mdio")
        cube, made = cases.bench.folder / "small-cube.sgy", cases.bench.folder / "mdio"
        cases.bench.run(Job([cases.program, "make-survey", cube, "--kind", "cube", "--traces", 160 * cases.options.array,
                             "--samples", 600]))  # fmt: skip
        ours = Job([cases.program, "convert", cube, "-o", made / "ours.mdio", "--codec", "zstd", "--force"], inputs=[cube])
        theirs = Job([python, JOBS, "mdio", cube, made / "theirs.mdio"], inputs=[cube])
        made.mkdir()
        cases.compare(row, ours, theirs, cases.pairs(3))
        use_printed_seconds(row, row.reference)
        shutil.rmtree(made)
        cube.unlink()

    return guarded(row, fill)


def stations_row(cases) -> Row:
    """Stations in an ASDF file by two ranks, compared with a serial writer of half of the stations, a core's share."""
    stations = min(STATIONS, 10 * cases.options.array)
    row = Row("containers", f"ASDF, {stations} stations, 2 ranks", f"h5py, {stations // 2} stations", target=1.0)

    def fill():
        folder = cases.bench.folder / "asdf"
        report = folder / "kernel.json"
        output_seconds = []
        kernel = [cases.program, "kernel", "seismograms", "--form", "asdf", "--stations", stations, "--samples", 120]
        ours = Job(launched(cases, [*kernel, "--every", 120, "--out", folder, "--report", report]),
                   check=lambda: output_seconds.append(json.loads(report.read_text())["output_s"]))  # fmt: skip
        theirs = Job([python_of(cases), JOBS, "asdf", folder / "h5py.h5", stations // 2, 120])
        folder.mkdir()
        cases.compare(row, ours, theirs, cases.pairs(3))
        for run, seconds in zip(row.ours, output_seconds[-len(row.ours) :], strict=True):
            run.seconds = seconds
        use_printed_seconds(row, row.reference)
        shutil.rmtree(folder)

    return guarded(row, fill)
