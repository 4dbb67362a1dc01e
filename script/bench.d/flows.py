"""Cases of flows, beside cp and beside the arithmetic of Python."""

import dataclasses

from measure import Job, Skipped, guarded
from python_readers import PYTHON_JOBS
from table import Row

BAND_PASS = "bandpass 8Hz 60Hz order=4 zerophase"
GAIN_AND_MUTE = "agc 500ms; mute top at=300ms ramp=50ms"
STACK = "sort cdp,offset; nmo velocity=2km/s stretch=50%; stack by=cdp"
PYTHON_TRACES = 16_000
RANKS = 2


def flow_job(cases, path, steps: str, *more, keeps_size: bool = True, **how) -> Job:
    command = [cases.program, "flow", path, "-o", cases.target, "--do", steps, *more]
    return Job(command, inputs=[path], output=cases.target, output_of=path if keeps_size else None, **how)


def case_flows(cases):
    """flows beside cp: of IEEE and IBM samples, evicted, on 2 ranks; their band-pass beside that of ObsPy and SciPy"""
    traces, samples = cases.options.traces, cases.options.samples
    plain = [
        ("agc, mute", GAIN_AND_MUTE, 2.5),
        ("bandpass, agc, mute", f"{BAND_PASS}; {GAIN_AND_MUTE}", 5.0),
        ("sort, nmo, stack", STACK, 1.5),
        ("select 1 of 10", "select 'trace % 10 == 0'", None),
        ("minmax, spectrum", "minmax; spectrum", None),
    ]
    for name, steps, target in plain:
        row = Row("flows", f"{name} / cp", target=target)

        def fill(row=row, steps=steps, name=name):
            path = cases.main_survey()
            job = flow_job(cases, path, steps, keeps_size=name not in ("sort, nmo, stack", "select 1 of 10"))
            cases.compare(row, job, cases.cp(path), cases.pairs(9))

        yield guarded(row, fill)

    row = Row("flows", "agc, mute of IBM / of IEEE samples", against="of IEEE samples", target=1.2)

    def fill_ibm():
        ibm, path = cases.survey(traces, samples, "ibm"), cases.main_survey()
        cases.compare(row, flow_job(cases, ibm, GAIN_AND_MUTE), flow_job(cases, path, GAIN_AND_MUTE), cases.pairs(5))

    yield guarded(row, fill_ibm)

    cold = Row("flows", "agc, mute / cp, input evicted", target=2.5)

    def fill_cold():
        path = cases.main_survey()
        cases.compare(cold, flow_job(cases, path, GAIN_AND_MUTE, cold=True), cases.cp(path, cold=True), cases.pairs(5))

    yield guarded(cold, fill_cold)

    for keys in ("cdp,offset", "offset,cdp"):
        row = Row("flows", f"sort {keys}, agc in a quarter of the file's size / traces where they lie",
                  against="traces where they lie", target=1.1)  # fmt: skip

        def fill_limit(row=row, keys=keys):
            path = cases.main_survey()
            limit = path.stat().st_size // 4
            cases.bench.group.make(limit)
            row.extra["limit_bytes"] = limit
            jobs = [flow_job(cases, path, f"sort {keys}; agc 500ms", "--sort-method", method, cold=True, limited=True)
                    for method in ("auto", "gather")]  # fmt: skip
            cases.compare(row, *jobs, cases.pairs(3))

        yield guarded(row, fill_limit)

    ranks = Row("flows", f"sort, nmo, stack on {RANKS} ranks / cp, less start-up")

    def fill_ranks():
        if not cases.launcher:
            raise Skipped("there is no mpirun.openmpi")
        path = cases.main_survey()
        job = flow_job(cases, path, STACK, keeps_size=False)
        job = dataclasses.replace(job, command=cases.launch(job.command))
        cases.compare(ranks, job, cases.cp(path), cases.pairs(5), cases.start_up())

    yield guarded(ranks, fill_ranks)

    for job, name, target in (("obspy-bandpass", "ObsPy's", 8.0), ("scipy-bandpass", "blocked SciPy's", 3.0)):
        row = Row("flows", f"bandpass on one thread, times as fast as {name} arithmetic", against=name, target=target,
                  times_as_fast=True)  # fmt: skip

        def fill_python(row=row, job=job):
            if cases.python is None:
                raise Skipped("build/venv has no scipy or obspy: run script/bootstrap")
            path = cases.survey(min(traces, PYTHON_TRACES), samples)
            ours = flow_job(cases, path, BAND_PASS, "--threads", 1)
            cases.compare(row, ours, Job([cases.python, PYTHON_JOBS, job, path], inputs=[path]), cases.pairs(3))
            row.reference = [dataclasses.replace(run, seconds=float(run.text)) for run in row.reference]
            row.finish().notes.append("a whole process of ours, the filtering alone of theirs")

        yield guarded(row, fill_python)
