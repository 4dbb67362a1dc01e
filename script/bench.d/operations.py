"""Cases of operations, each alone on one thread: what it adds to a copy, a sample, beside NumPy, SciPy or a program named
by SILL_BENCH_SU, a folder of Seismic Unix."""

import dataclasses
import os
import pathlib
import statistics

from flows import PYTHON_TRACES, flow_job
from measure import Job, Skipped, guarded
from python_readers import PYTHON_JOBS
from table import Row

COPY = "header tracl=tracl"
# Steps; samples that count for each old one, those of the output where traces stay traces; what NumPy or SciPy do for it (a job of python_jobs.py); what Seismic Unix does.
OPERATIONS = [
    ("agc 500ms", 1, "agc", "sugain agc=1 wagc=0.5"),
    ("agc 500ms kind=mean", 1, None, None),
    ("agc 500ms kind=median", 1, None, None),
    ("autocorrelate length=200ms", 1, None, "suacor norm=0 sym=0 ntout=101"),
    ("bandpass 8Hz 60Hz order=4 zerophase", 1, "bandpass", "subfilt fstoplo=4 fpasslo=8 fpasshi=60 fstophi=90"),
    ("attribute frequency", 1, None, "suattributes mode=freq"),
    ("debias", 1, None, None),
    ("despike 200ms", 1, None, None),
    ("decon gap=32ms length=160ms", 1, None, "supef minlag=0.032 maxlag=0.190 pnoise=0.001"),
    ("envelope", 1, "envelope", "suattributes mode=amp"),
    ("fk remove velocities=0m/s-1500m/s spacing=12.5m by=fldr", 1, None, None),
    ("fxdecon by=fldr", 1, None, None),
    ("gain t=2", 1, None, "sugain tpow=2"),
    ("lmo velocity=2km/s", 1, None, None),
    ("minmax", 1, None, None),
    ("mix 3", 1, None, "sumix mix=1,1,1"),
    ("mute top at=300ms ramp=50ms", 1, None, None),
    ("notch 50Hz zerophase", 1, None, None),
    ("nmo velocity=2km/s stretch=50%", 1, None, "sunmo vnmo=2000 smute=1.5"),
    ("normalize rms", 1, None, "sugain pbal=1"),
    ("ormsby 4,8,60,80Hz", 1, "ormsby", "sufilter f=4,8,60,80 amps=0,1,1,0"),
    ("phase 90deg", 1, None, None),
    ("polarity", 1, None, None),
    ("radon parabolic from=-100ms to=500ms step=10ms reference=1km demultiple=50ms by=fldr", 1, None, None),
    ("resample 1ms", 2, "resample-1", "suresamp dt=0.001"),
    ("resample 3ms", 2 / 3, "resample-3", None),
    ("resample 4ms", 1 / 2, "resample-4", "suresamp dt=0.004"),
    ("semblance from=1500m/s to=3000m/s step=50m/s by=cdp", 1, None, None),
    ("shift 1.3ms", 1, None, None),
    ("spectrum", 1, "spectrum", "suspecfx"),
    ("stack by=cdp", 1, None, None),
    ("taper 100ms", 1, None, None),
    ("trim limit=12ms by=cdp", 1, None, None),
]  # fmt: skip


def case_operations(cases):
    """each operation of flows alone on one thread: ns a sample, beside NumPy, SciPy or Seismic Unix"""
    unix = os.environ.get("SILL_BENCH_SU")
    for steps, new_samples, python_job, unix_command in OPERATIONS:
        others = [("a copy", None)]
        others += [("NumPy and SciPy", python_job)] if python_job else []
        others += [("Seismic Unix", unix_command)] if unix_command and unix else []
        for against, other in others:
            row = Row("operations", steps, against=against, times_as_fast=other is not None)

            def fill(row=row, steps=steps, new_samples=new_samples, against=against, other=other):
                if against == "NumPy and SciPy" and cases.python is None:
                    raise Skipped("build/venv has no scipy: run script/bootstrap")
                path = cases.survey(min(cases.options.traces, PYTHON_TRACES), cases.options.samples)
                ours = flow_job(cases, path, steps, "--threads", 1, keeps_size=False)
                copy = flow_job(cases, path, COPY, "--threads", 1, keeps_size=False)
                if against == "a copy":
                    cases.compare(row, ours, copy, cases.pairs(5))
                    samples = cases.surveys[path] * cases.options.samples * new_samples
                    added = [a.seconds - b.seconds for a, b in zip(row.ours, row.reference)]
                    row.notes.append(f"{1e9 * statistics.median(added) / samples:.1f} ns a sample more")
                elif against == "Seismic Unix":
                    data = unix_file(cases, path)
                    command = [pathlib.Path(unix) / unix_command.split()[0], *unix_command.split()[1:]]
                    text = f"{' '.join(map(str, command))} < {data} > {cases.copy}"
                    ours = flow_job(cases, data, steps, "--threads", 1, keeps_size=False)
                    cases.compare(row, ours, Job(["sh", "-c", text], inputs=[data]), cases.pairs(3))
                else:
                    job = Job([cases.python, PYTHON_JOBS, f"scipy-{other}", path], inputs=[path])
                    cases.compare(row, ours, job, cases.pairs(3), copy)
                    row.reference = [dataclasses.replace(run, seconds=float(run.text)) for run in row.reference]
                    row.finish().notes.append("what ours adds to a copy, the arithmetic alone of theirs")

            yield guarded(row, fill)


def unix_file(cases, path):
    """The survey as Seismic Unix has it."""
    data = path.with_suffix(".su")
    if not data.exists():
        cases.bench.run(Job([cases.program, "convert", path, "-o", data]))
    return data
