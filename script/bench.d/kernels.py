"""The cases of kernels: output of published programs beside the programs' own requests, and beside ready bytes.

Whole runs, but a row takes the seconds that the program waits for its output, as `sill kernel --report` tells them.
"""

import itertools
import json
import pathlib
import statistics

from dunn import dunn_test
from measure import Job, Skipped, guarded
from movers import Movers, place, run_of
from table import Row

# Kernel, the least that the best policy must be, in times as fast as the original, and sizes beside the defaults.
KERNELS = {
    "ondes3d-stations": (10.0, []),
    "ondes3d-surfaces": (5.0, []),
    "awp-volume": (2.0, []),
    "mslio": (2.0, []),
    "gccom": (1.3, []),
    "subflow": (1.0, []),
    "flash": (1.0, []),  # of PnetCDF
    "tecplot": (50.0, ["--grid", "96", "--steps", "1"]),
    "blast-records": (3.0, []),
}
DATASETS = ("gccom", "subflow", "flash")  # that PnetCDF can write, too
ROW_TYPES = "awp-volume, row types"  # the original as it is written today
POLICIES = ("auto", "direct", "staged", "elected", "aggregated", "collective", "elected,async=2")
READY_POLICIES = ("auto", "elected")
TEXTS = ("ondes3d-stations", "mslio")


# The papers' sizes of buffers: ondes3d-io section V, mslio section VI-B.
SWEEPS = {
    "ondes3d-stations": ("64K", "256K", "4M"),
    "ondes3d-surfaces": ("64K", "256K", "4M"),
    "mslio": ("128K", "512K", "2M"),
}


def told_by(cases, folder, kernel: str, sizes: list, ranks: int, policies=None, pairs=None) -> tuple[dict, str]:
    policies = policies or (*(["pnetcdf"] if kernel in DATASETS else []), *POLICIES)
    report = pathlib.Path(folder) / "kernel.json"
    out = pathlib.Path(folder) / kernel
    command = [cases.program, "kernel", kernel, *sizes, "--out", out, "--report", report]
    command += ["--against", ",".join(["original", *policies]), "--repeat", pairs or cases.options.pairs]
    if ranks > 1 and not cases.launcher:
        raise Skipped("there is no mpirun.openmpi")
    job = Job(cases.launch(command, ranks) if ranks > 1 else command)
    cases.bench.run(job)
    told = json.loads(report.read_text())
    report.unlink()
    return told, job.shown(folder)


def case_kernels(cases):
    """each kernel by each policy, beside the requests of the original program, how often as fast"""
    with Movers(cases).folders() as folders:
        for folder in folders:
            for kernel, (target, sizes) in (*KERNELS.items(), (ROW_TYPES, (1.0, ["--row-types"]))):
                for ranks in (1, 2):
                    text = f"{kernel}, {'2 ranks' if ranks > 1 else 'alone'}, {place(folder)}"
                    first = Row("kernels", text, "original", times_as_fast=True)
                    told = {}

                    def fill(told=told, folder=folder, kernel=kernel, sizes=sizes, ranks=ranks):
                        told["ways"], told["command"] = told_by(cases, folder, kernel.split(",")[0], sizes, ranks)

                    guarded(first, fill)
                    if first.problem or first.skipped:
                        yield first
                        continue
                    rows = rows_of(told["ways"], told["command"], first.text)
                    best = max(rows, key=lambda row: row.extra["times_faster"])
                    best.text += " (the best)"
                    best.target = target
                    yield from rows


def case_sweeps(cases):
    """kernels with the buffer sizes of the papers, beside the original, how often as fast"""
    for kernel, sizes in SWEEPS.items():
        first = Row("sweeps", f"{kernel}, 2 ranks, {place(cases.bench.folder)}", "original", times_as_fast=True)
        told = {}

        def fill(told=told, kernel=kernel, sizes=sizes):
            policies = [f"staged,stage={size}" for size in sizes]
            told["ways"], told["command"] = told_by(cases, cases.bench.folder, kernel, [], 2, policies)

        guarded(first, fill)
        if first.problem or first.skipped:
            yield first
        else:
            yield from rows_of(told["ways"], told["command"], first.text, "sweeps")


def both_sides(ours: dict, theirs: dict) -> dict:
    """What the system was asked on either side, and what making text, or copies, took."""
    return {
        "opens": (ours["opens"], theirs["opens"]),
        "system writes": (ours["system_writes"], theirs["system_writes"]),
        "text, copies": (ours["prepare_s"]["median"], theirs["prepare_s"]["median"]),
    }


def rows_of(told: dict, command: str, text: str, case: str = "kernels") -> list[Row]:
    original, *ways = told["ways"]
    dunn = dunn_test({way["way"]: way["outputs_s"] for way in told["ways"]})
    rows = []
    for way in ways:
        row = Row(case, f"{text}, {way['way']}", "original", times_as_fast=True)
        row.command = command
        row.ours = [run_of(seconds) for seconds in way["outputs_s"]]
        row.reference = [run_of(seconds) for seconds in original["outputs_s"]]
        row.moved = both_sides(way, original)
        row.extra = {"times_faster": way["times_faster"]["median"], "dunn": dunn, "original": original}
        rows.append(row.finish())
    return rows


def by_kernel_bench(cases, row: Row, folder, options: list, launched: bool, pairs=None) -> Row:
    """The row of a kernel and what the program kernel_bench runs in turns with it."""

    def fill():
        program = cases.program.parent / "kernel_bench"
        if not program.is_file():
            raise Skipped(f"there is no {program}")
        command = [program, *options, "--folder", folder, "--repeat", pairs or cases.options.pairs]
        job = Job(cases.launch(command) if launched else command)
        told = json.loads(cases.bench.run(job).text)
        row.command = job.shown(folder)
        row.ours = [run_of(seconds) for seconds in told["ours_s"]]
        row.reference = [run_of(seconds) for seconds in told["theirs_s"]]
        row.moved = told
        row.finish()

    return guarded(row, fill)


def case_ready(cases):
    """each kernel beside a program that makes the same requests and memory passes on ready bytes"""
    with Movers(cases).folders() as folders:
        for folder in folders:
            for policy, kernel, launched, prints in ready_ways():
                ranks = "2 ranks" if launched else "alone"
                text = f"{kernel}, {ranks}, {policy}, {place(folder)}"
                row = Row("ready", text, "the same requests" + prints * " and text", target=1.2)
                options = ["--kernel", kernel, "--policy", policy, *(["--print"] if prints else [])]
                yield by_kernel_bench(cases, row, folder, options, launched)


def case_restart(cases):
    """checkpoints and seismograms beside a program that makes the same requests on ready bytes"""
    with Movers(cases).folders() as folders:
        for folder in folders:
            kinds = [("checkpoint", []), ("checkpoint", ["--convert"])]
            kinds += [(f"seismograms-{form}", []) for form in ("sac", "segy", "su", "miniseed")]
            for kernel, options in kinds:
                text = f"{kernel}, 2 ranks, auto, {place(folder)}"
                reference = "the same requests" + " and conversion" * bool(options)
                row = Row("restart", text, reference, target=1.1 if kernel == "checkpoint" else 1.3)
                yield by_kernel_bench(cases, row, folder, ["--kernel", kernel, "--policy", "auto", *options], True)
            yield verified_checkpoint(cases, pathlib.Path(folder) / "checkpoint", place(folder))


def verified_checkpoint(cases, folder, where: str) -> Row:
    row = Row("restart", f"checkpoint verify, alone, {where}", "reading both files", times_as_fast=True, target=0.8)

    def fill():
        cases.bench.run(Job([cases.program, "kernel", "checkpoint", "--out", folder]))
        generations = sorted(folder.glob("state.checkpoint.*.nc"))
        ours = Job([cases.program, "checkpoint", "verify", folder / "state.checkpoint"], inputs=generations)
        read = ["sh", "-c", 'cat "$@" > /dev/null', "cat", *generations]
        cases.compare(row, ours, Job(read, inputs=generations), cases.options.pairs)
        for path in generations:
            path.unlink()

    return guarded(row, fill)


def case_arrays(cases):
    """datasets in each container beside a program that makes the same requests on ready bytes"""
    with Movers(cases).folders() as folders:
        for folder in folders:
            for kernel, container, converts in itertools.product(DATASETS, ("netcdf", "vti", "raw"), (False, True)):
                what = "the same requests" + " and conversion" * converts
                row = Row("arrays", f"{kernel}, {container}, 2 ranks, {place(folder)}", what, target=1.2)
                options = ["--kernel", kernel, "--container", container, "--policy", "auto"]
                yield by_kernel_bench(cases, row, folder, [*options, *(["--convert"] if converts else [])], True)


# What is timed beside a library: kernel, what the row says, options of array_bench, the least in times as fast.
BESIDE_LIBRARIES = (
    *((kernel, f"written, {how}", ["--operation", "write", "--library", "hdf5", *options], "parallel HDF5", 1.2)
      for kernel in ("gccom", "flash")
      for how, options in (("collective", []), ("independent", ["--independent"]))),
    *((kernel, f"read in slabs of {slabs}, {how}", ["--operation", "read", "--library", "pnetcdf", "--cut", cut, *options],
       "PnetCDF", 1.0)
      for kernel, slabs, cut in (("gccom", "z", 0), ("gccom", "y", 1), ("flash", "y", 2))
      for how, options in (("blocking", []), ("non-blocking", ["--nonblocking"]))),
)  # fmt: skip


def by_array_bench(cases, row: Row, folder, options: list, pairs: int) -> Row:
    """The row of datasets and what the program array_bench runs in turns with them, on two ranks."""

    def fill():
        program = cases.program.parent / "array_bench"
        if not cases.launcher:
            raise Skipped("there is no mpirun.openmpi")
        if not program.is_file():
            raise Skipped(f"there is no {program.name}: script/bootstrap --bench installs what it needs")
        job = Job(cases.launch([program, *options, "--folder", folder, "--repeat", pairs]))
        told = json.loads(cases.bench.run(job).text)
        row.command = job.shown(folder)
        row.ours = [run_of(seconds) for seconds in told["ours_s"]]
        row.reference = [run_of(seconds) for seconds in told["theirs_s"]]
        row.moved = {
            f"system {calls}": tuple(int(statistics.median(told[f"{side}_{calls}"])) for side in ("ours", "theirs"))
            for calls in ("reads", "writes")
        }
        row.finish()

    return guarded(row, fill)


def case_array_libraries(cases):
    """datasets beside parallel HDF5 and PnetCDF: writing, and reading into another decomposition, how often as fast"""
    with Movers(cases).folders() as folders:
        for folder in folders:
            for kernel, what, options, library, target in BESIDE_LIBRARIES:
                row = Row("array-libraries", f"{kernel} {what}, 2 ranks, {place(folder)}", library, times_as_fast=True,
                          target=target)  # fmt: skip
                yield by_array_bench(cases, row, folder, ["--kernel", kernel, *options], cases.options.pairs)


def ready_ways():
    """Policy, kernel, whether by two ranks, whether the reference prints values as well: text is not ready bytes."""
    for policy, kernel, launched in itertools.product(READY_POLICIES, KERNELS, (False, True)):
        if kernel in DATASETS:
            continue  # case_arrays
        for prints in (False, True) if kernel in TEXTS else (False,):
            yield policy, kernel, launched, prints


def case_format(cases):
    """numbers as text, beside printf, how often as fast"""
    program = cases.program.parent / "format_bench"
    for form, kind, numbers in (
        (["--width", 15, "--precision", 6], "any", "%15e, any double"),
        (["--width", 15, "--precision", 6], "near", "%15e, sizes near each other"),
        (["--width", 12, "--precision", 5], "near", "%12.5e, sizes near each other"),
    ):
        row = Row("format", numbers, "printf", times_as_fast=True, target=3.0)

        def fill(row=row, form=form, kind=kind):
            if not program.is_file():
                raise Skipped(f"there is no {program}")
            job = Job([program, *form, "--kind", kind, "--repeat", cases.options.pairs])
            told = json.loads(cases.bench.run(job).text)
            row.command = job.shown(cases.bench.folder)
            row.ours = [run_of(seconds) for seconds in told["ours_s"]]
            row.reference = [run_of(seconds) for seconds in told["theirs_s"]]
            row.notes.append(f"{statistics.median(told['ours_s']) / told['values'] * 1e9:.1f} ns a value, printf "
                             f"{statistics.median(told['theirs_s']) / told['values'] * 1e9:.1f}")  # fmt: skip
            row.finish()

        yield guarded(row, fill)


# What is hidden: store, the rate it is slowed to in MB/s, whether a core is free, what is lent. Computation takes longer
# than the output of a phase. Nothing follows the last phase that could hide it: 1 of 16 of surfaces and of gccom, 1 of 30 of stations.
SURFACES = ("ondes3d-surfaces", ["--steps", 80])
STATIONS = ("ondes3d-stations", ["--steps", 300])
ARRAYS = ("gccom", ["--steps", 16])
CACHE = ["--compute-ms", 4]
OVERLAPS = (
    (*SURFACES, "a store of 50 MB/s", ["--slow", 50, "--compute-ms", 20], "elected,async=2", 1),
    (*STATIONS, "a store of 50 MB/s", ["--slow", 50, "--compute-ms", 4], "elected,async=2", 1),
    (*ARRAYS, "a store of 50 MB/s", ["--slow", 50, "--compute-ms", 650], "elected,async=2", 1),
    (*SURFACES, "page cache, a core free", CACHE, "elected,async=2,threads=1", 1),
    (*SURFACES, "page cache, a core free, lent", [*CACHE, "--lend"], "elected,async=2,threads=1", 1),
    (*STATIONS, "page cache, a core free", CACHE, "elected,async=2,threads=1", 1),
    (*ARRAYS, "page cache, a core free", ["--compute-ms", 100], "elected,async=2,threads=1", 1),
    (*ARRAYS, "page cache, a core free, lent", ["--compute-ms", 100, "--lend"], "elected,async=2,threads=1", 1),
    (*SURFACES, "page cache, no core free", CACHE, "elected,async=2,threads=1", 2),
)


def case_overlap(cases):
    """output behind computation (async=2), beside waiting for it: what the program waits for, as a part"""
    for kernel, sizes, where, options, policy, ranks in OVERLAPS:
        waiting = policy.replace(",async=2", "")
        row = Row("overlap", f"{kernel}, {where}", waiting, target=0.2 if ranks == 1 else None)
        options = ["--kernel", kernel, "--policy", policy, "--against", waiting, *sizes, *options]
        yield by_kernel_bench(cases, row, cases.bench.folder, options, ranks > 1, cases.pairs(5))
