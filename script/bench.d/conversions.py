"""Cases of conversions, and of files of which little is there."""

import os

from measure import Job, Skipped, guarded
from python_readers import python_row
from table import Row, seconds

CONVERT_RANKS = 2
OBSPY_TRACES = 8000  # it holds an object a trace
SPARSE_BYTES = 10**12


def convert_job(cases, path, output_of, *more, ranks: int = 1, **how) -> Job:
    command = [cases.program, "convert", path, "-o", cases.target, "--sample-format", "ieee", *more]
    if ranks > 1:
        command = cases.launch(command)
    return Job(command, inputs=[path], output=cases.target, output_of=output_of, **how)


def case_convert(cases):
    """conversions to IEEE floats, beside cp of as many bytes as they write; segyio and obspy likewise"""
    traces, samples = cases.options.traces, cases.options.samples
    ours = [
        ("convert IBM to IEEE / cp", "ibm", [], 1, 1.0),
        ("convert IBM to IEEE, little, revision 2.1 / cp", "ibm", ["--byte-order", "little", "--revision", "2.1"], 1, 1.0),
        (f"convert IBM to IEEE on {CONVERT_RANKS} ranks / cp", "ibm", [], CONVERT_RANKS, 1.0),
        ("convert int16 to IEEE / cp of what it writes", "int16", [], 1, 1.0),
    ]
    for label, sample_format, more, ranks, target in ours:
        row = Row("convert", label, target=target)

        def fill(row=row, sample_format=sample_format, more=more, ranks=ranks):
            if ranks > 1 and not cases.launcher:
                raise Skipped("there is no mpirun.openmpi")
            path = cases.survey(traces, samples, sample_format)
            written = cases.main_survey()  # of the size that is written
            try:
                start_up = cases.start_up() if ranks > 1 else None
                job = convert_job(cases, path, written, *more, ranks=ranks)
                cases.compare(row, job, cases.cp(written), cases.pairs(9), start_up)
            finally:
                if sample_format != "ibm":
                    cases.drop(path)

        yield guarded(row, fill)

    others = [("convert", "segyio", traces), ("obspy-convert", "obspy", min(traces, OBSPY_TRACES))]
    for job, name, of in others:
        row = Row("convert", f"{name}: IBM to IEEE, {of} traces / cp")

        def fill_other(row=row, job=job, of=of):
            path = cases.survey(of, samples, "ibm")
            python_row(cases, row, [job, path, cases.target], path, cases.pairs(3), output=cases.target, output_of=path)

        yield guarded(row, fill_other)


def case_sparse(cases):
    """info of a file of 1 TB of which only the headers that are looked at exist"""
    row = Row("sparse", "info of a sparse file of 1 TB / of the survey", against="of the survey", target=2.0)

    def fill():
        path = cases.main_survey()
        sparse = path.with_name("sparse.sgy")
        trace_bytes = 240 + 4 * cases.options.samples
        traces = (SPARSE_BYTES - 3600) // trace_bytes
        try:
            with open(path, "rb") as source, open(sparse, "wb") as file:
                file.write(source.read(3600))
                header = source.read(240)
                for trace in (0, traces // 2, traces - 1):
                    file.seek(3600 + trace * trace_bytes)
                    file.write(header)
                file.truncate(3600 + traces * trace_bytes)
            os.sync()
            info = [cases.program, "info"]
            cases.compare(row, Job([*info, sparse]), Job([*info, path]), cases.pairs(5))
            row.notes.append(f"{seconds([run.seconds for run in row.ours])} in all")
        finally:
            sparse.unlink(missing_ok=True)

    yield guarded(row, fill)
