"""Rows of what readers in Python take, beside cp and each other; segysak is run by SILL_BENCH_SEGYSAK, a Python with it."""

import os
import pathlib
import statistics

from measure import Job, Skipped, guarded
from table import Row, seconds

PYTHON_READING = pathlib.Path(__file__).resolve().parent / "python_reading.py"
PYTHON_JOBS = pathlib.Path(__file__).resolve().parent / "python_jobs.py"


def python_row(cases, row: Row, arguments: list, path: pathlib.Path, pairs: int, keys: str = "",
               **how) -> None:
    """What a reader in Python takes for a job of python_jobs.py, beside cp."""
    if cases.python is None:
        raise Skipped("build/venv has no segyio or obspy: run script/bootstrap")
    job = Job([cases.python, PYTHON_JOBS, *arguments], inputs=[path], **how)
    if keys:
        job.check = lambda: cases.require_known_bytes(job, keys)
    cases.compare(row, job, cases.cp(path), pairs)
    inner = [float(run.text) for run in row.ours]
    row.extra["inner_s"] = inner
    share = statistics.median(own / run.seconds for own, run in zip(inner, row.reference))
    row.notes.append(f"{seconds(inner)} without starting Python and importing, {share:.2f} × cp")


# Job of python_reading.py, what it is, file, reference, target (times as fast), and what is compared, if not sill.
READING = (
    ("word", "open, and one word of all traces", "ieee", "segyio", 3),
    ("ten-words", "open, and ten words of all traces", "ieee", "segyio", 15),
    ("all", "all samples, IEEE floats", "ieee", "segyio", 2),
    ("all", "all samples, IEEE floats, beside numpy.fromfile", "ieee", "numpy", 0.8),
    ("all", "all samples, IBM floats", "ibm", "segyio", 4),
    ("loop", "a loop over all traces", "ieee", "segyio", 1),
    ("inlines", "inlines of a cube", "cube", "segyio", 2),
    ("crosslines", "crosslines of a cube", "cube", "segyio", 2),
    ("slices", "time slices of a cube", "cube", "segyio", 5),
    ("write", "writing, IEEE floats and two words", "ieee", "segyio", 3),
    ("apply", "a filter of SciPy in a flow, beside on arrays", "ieee", "numpy", 0.77),
    ("xarray-mean", "open in xarray, and the mean of a cube by Dask", "cube", "segysak", 2),
    ("word", "sill.segyio: open, and one word of all traces", "ieee", "sill", 0.9, "sill.segyio"),
    ("all", "sill.segyio: all samples, IEEE floats", "ieee", "sill", 0.9, "sill.segyio"),
    ("loop", "sill.segyio: a loop over all traces", "ieee", "sill", 0.9, "sill.segyio"),
    ("inlines", "sill.segyio: inlines of a cube", "cube", "sill", 0.9, "sill.segyio"),
    ("crosslines", "sill.segyio: crosslines of a cube", "cube", "sill", 0.9, "sill.segyio"),
    ("slices", "sill.segyio: time slices of a cube", "cube", "sill", 0.9, "sill.segyio"),
)


def case_python(cases):
    """reading and writing in Python, beside segyio, NumPy and segysak, warm; without starting Python and importing"""
    for name, text, kind, reader, target, *other in READING:
        compared = other[0] if other else "sill"
        row = Row("python", text, against=reader, target=target, times_as_fast=True)

        def fill(row=row, name=name, kind=kind, reader=reader, compared=compared):
            if cases.python is None:
                raise Skipped("build/venv has no segyio: run script/bootstrap")
            theirs = os.environ.get("SILL_BENCH_SEGYSAK") if reader == "segysak" else cases.python
            if theirs is None:
                raise Skipped("SILL_BENCH_SEGYSAK does not name a Python with segysak and dask")
            path = cases.cube() if kind == "cube" else cases.survey(cases.options.traces, cases.options.samples, kind)
            jobs = [Job([python, PYTHON_READING, name, each, path], inputs=[path])
                    for python, each in ((cases.python, compared), (theirs, reader))]  # fmt: skip
            cases.compare(row, *jobs, cases.options.pairs)
            for run in (*row.ours, *row.reference):
                run.seconds = float(run.text)
            row.finish()

        yield guarded(row, fill)
