"""Cases of whole surveys: check, geometry, and lines taken out of a cube."""

import contextlib
import dataclasses
import pathlib
import sys

from measure import BenchError, Job, Skipped, guarded
from table import Row

FILE_HEADER_BYTES = 3600
LINES_JOB = pathlib.Path(__file__).resolve().parent / "read_lines.py"
GEOMETRY_TRACES = (10_000_000, 200_000)  # and of a trial
GEOMETRY_BYTES = 32  # a trace, over all ranks
OWN_MEMORY = 60_000_000  # what a process may hold beside that, mapped windows of its input included
GEOMETRY_WORDS = "iline,xline,cdp,fldr,ep,tracf,offset,sx,sy,gx"
PLACES = 400  # crosslines of the cube


def case_check(cases):
    """check of a survey, beside cp of it: how often as fast"""
    for sample_format in ("ieee", "ibm"):
        row = Row("check", f"check of {sample_format} floats", times_as_fast=True, target=0.5)

        def fill(row=row, sample_format=sample_format):
            path = cases.survey(cases.options.traces, cases.options.samples, sample_format)
            try:
                ours = Job([cases.program, "check", path], inputs=[path])
                cases.compare(row, ours, cases.cp(path), cases.options.pairs)
            finally:
                if sample_format != "ieee":
                    cases.drop(path)

        yield guarded(row, fill)


def case_geometry(cases):
    """geometry of 10,000,000 traces, alone and with 2 ranks: memory, and the time beside a scan of ten words"""
    traces = GEOMETRY_TRACES[1 if cases.options.quick else 0]
    ranks = 2
    for launched in (False, True):
        own = OWN_MEMORY + GEOMETRY_BYTES * traces // (ranks if launched else 1)
        text = f"info --geometry of {traces:,} traces" + (f", {ranks} ranks, less start-up" if launched else "")
        row = Row("geometry", text, against="scan of ten words", peak_target_bytes=own)

        def fill(row=row, launched=launched):
            if launched and not cases.launcher:
                raise Skipped("there is no mpirun.openmpi")
            path = cases.survey(traces, 1)
            command = [cases.program, "info", "--geometry", path]
            ours = Job(cases.launch(command) if launched else command, inputs=[path])
            start_up = cases.start_up() if launched else None
            cases.compare(row, ours, cases.scan(path, GEOMETRY_WORDS), cases.pairs(3), start_up)
            row.notes.append(f"{path.stat().st_size / 1e9:.1f} GB; the target is {GEOMETRY_BYTES} bytes a trace over all "
                             f"ranks, and {OWN_MEMORY / 1e6:.0f} MB a rank of the largest")  # fmt: skip

        yield guarded(row, fill)
    cases.drop(cases.bench.folder / f"survey-{traces}x1.sgy")


@contextlib.contextmanager
def cube(cases):
    """A cube of as many samples as the main survey, `PLACES` crosslines wide: its path and its inlines."""
    lines = cases.options.traces // PLACES
    traces, samples = lines * PLACES, cases.options.samples
    if lines < 2:
        raise Skipped(f"{cases.options.traces} traces are no cube of {PLACES} crosslines")
    path = cases.bench.folder / "cube.sgy"
    cases.bench.require_space(2 * (FILE_HEADER_BYTES + traces * (240 + 4 * samples)) + (100 << 20))
    program = cases.program
    make = [program, "make-survey", path, "--traces", traces, "--samples", samples, "--channels", PLACES]
    try:
        cases.bench.run(Job([*make, "--sample-format", "ieee"]))
        number = ["--set", "iline=1000+fldr", "--set", "xline=2000+tracf"]
        cases.bench.run(Job([program, "edit", path, *number]))
        yield path, lines
    finally:
        path.unlink(missing_ok=True)


def case_lines(cases):
    """an inline and a crossline out of a cube, beside reading and writing the very same bytes: how often as fast"""
    for word, of_line in (("iline", True), ("xline", False)):
        for cold in (False, True):
            state = ", evicted" if cold else ""
            row = Row("lines", f"cut of one {word}{state}, less start-up", times_as_fast=True, target=1.0,
                      against="the same bytes by pread")  # fmt: skip

            def fill(row=row, word=word, of_line=of_line, cold=cold):
                with cube(cases) as (path, lines):
                    cut_line(cases, row, path, lines, of_line, word, cold)

            yield guarded(row, fill)


def cut_line(cases, row: Row, path, lines: int, of_line: bool, word: str, cold: bool) -> None:
    trace_bytes = 240 + 4 * cases.options.samples
    number, place = lines // 2, PLACES // 2
    first = FILE_HEADER_BYTES + (number * PLACES if of_line else place) * trace_bytes
    piece, pieces, step = (PLACES * trace_bytes, 1, 0) if of_line else (trace_bytes, lines, PLACES * trace_bytes)
    told = {}
    first_values(cases, path, told)
    value = told[word] + (number if of_line else place)
    command = [cases.program, "cut", path, "-o", cases.target, "--where", f"{word} == {value}"]
    ours = Job(command, inputs=[path], output=cases.target, cold=cold)
    same = [sys.executable, "-I", "-S", LINES_JOB, path, cases.copy, FILE_HEADER_BYTES, first, piece, pieces, step]
    reference = Job(same, inputs=[path], output=cases.copy, cold=cold)
    require_equal_bytes(cases, ours, reference)
    row.command, row.reference_command = ours.shown(cases.bench.folder), reference.shown(cases.bench.folder)
    tiny = cases.survey(10, 10)
    start_up = Job([cases.program, "info", tiny], inputs=[tiny])
    row.ours, theirs, starts = cases.bench.in_turns([ours, reference, start_up], cases.options.pairs)
    row.less_s = [run.seconds for run in starts]
    # The reading and writing alone, without starting Python.
    row.reference = [dataclasses.replace(run, seconds=float(run.text)) for run in theirs]
    row.finish()
    every = cases.bench.run(Job([*command, "--every-header"], inputs=[path], output=cases.target, cold=cold))
    row.notes.append(f"{piece * pieces / 1e6:.1f} MB of {path.stat().st_size / 1e9:.2f} GB in {pieces} pieces; start-up "
                     f"of `sill info` taken off pair by pair; with every header {1000 * every.seconds:.1f} ms, with "
                     "start-up")  # fmt: skip


def first_values(cases, path, told: dict) -> None:
    """The line numbers of the first trace, from its header."""
    with open(path, "rb") as file:
        file.seek(FILE_HEADER_BYTES)
        header = file.read(240)
    for word, byte in (("iline", 189), ("xline", 193)):
        told[word] = int.from_bytes(header[byte - 1 : byte + 3], "big", signed=True)


def require_equal_bytes(cases, ours: Job, reference: Job) -> None:
    """That both write the same file, and that the line is found by few headers."""
    kept = {}

    def keep(job):
        kept[job.output] = job.output.read_bytes()

    runs = [cases.bench.run(dataclasses.replace(job, check=lambda job=job: keep(job))) for job in (ours, reference)]
    if "found by" not in runs[0].text:
        raise BenchError("the line was not sought")
    if len(set(kept.values())) != 1:
        raise BenchError("the reference writes other bytes")
