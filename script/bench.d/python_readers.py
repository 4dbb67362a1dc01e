"""Rows of what readers in Python take, beside cp."""

import pathlib
import statistics

from measure import Job, Skipped
from table import Row, seconds

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
