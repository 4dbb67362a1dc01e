"""Cases of whole surveys: check, geometry, and lines taken out of a cube."""

import contextlib
import dataclasses
import itertools
import pathlib
import sys

from measure import BenchError, Job, Skipped, guarded
from table import Row, seconds

FILE_HEADER_BYTES = 3600
READ_LINES = pathlib.Path(__file__).resolve().parent / "read_lines.py"
GEOMETRY_TRACES = (10_000_000, 200_000)  # and of a trial
GEOMETRY_BYTES = 32  # a trace, over all ranks
OWN_MEMORY = 60_000_000  # what a process may hold beside that, mapped windows of its input included
GEOMETRY_WORDS = "iline,xline,cdp,fldr,ep,tracf,offset,sx,sy,gx"
PLACES = 400  # crosslines of the cube
SOME = 20  # of so many lines one is taken, where some are


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
    made = []
    for launched in (False, True):
        own = OWN_MEMORY + GEOMETRY_BYTES * traces // (ranks if launched else 1)
        text = f"info --geometry of {traces:,} traces" + (f", {ranks} ranks, less start-up" if launched else "")
        row = Row("geometry", text, against="scan of ten words", peak_target_bytes=own)

        def fill(row=row, launched=launched):
            if launched and not cases.launcher:
                raise Skipped("there is no mpirun.openmpi")
            path = cases.survey(traces, 1)
            made.append(path)
            command = [cases.program, "info", "--geometry", path]
            ours = Job(cases.launch(command) if launched else command, inputs=[path])
            start_up = cases.start_up() if launched else None
            cases.compare(row, ours, cases.scan(path, GEOMETRY_WORDS), cases.pairs(3), start_up)
            row.notes.append(f"{path.stat().st_size / 1e9:.1f} GB; the target is {GEOMETRY_BYTES} bytes per trace over all "
                             f"ranks, and {OWN_MEMORY / 1e6:.0f} MB per rank of the largest")  # fmt: skip

        yield guarded(row, fill)
    for path in set(made):
        cases.drop(path)


def case_rewrites(cases):
    """commands that write every trace of a survey anew with its bytes, or all but a word, beside cp"""
    commands = {
        "repair of a sound file": lambda path: ["repair", path, "-o", cases.target],
        "merge of one file": lambda path: ["merge", path, "-o", cases.target],
        "edit -o of a word of all traces": lambda path: ["edit", path, "-o", cases.target, "--set", "ep=fldr+1"],
    }
    for text, arguments in commands.items():
        row = Row("rewrites", text, target=1.5)

        def fill(row=row, arguments=arguments):
            path = cases.main_survey()
            ours = Job([cases.program, *arguments(path)], inputs=[path], output=cases.target, output_of=path)
            cases.compare(row, ours, cases.cp(path), cases.options.pairs)

        yield guarded(row, fill)


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
    make = [program, "make-survey", path, "--kind", "plain", "--traces", traces, "--samples", samples, "--channels", PLACES]
    try:
        cases.bench.run(Job([*make, "--sample-format", "ieee"]))
        number = ["--set", "iline=1000+fldr", "--set", "xline=2000+tracf"]
        cases.bench.run(Job([program, "edit", path, *number]))
        yield path, lines
    finally:
        path.unlink(missing_ok=True)


def case_lines(cases):
    """inlines and crosslines out of a cube, beside reading and writing the very same bytes: how often as fast"""
    with contextlib.ExitStack() as kept:
        made = []

        def the_cube():
            if not made:
                try:
                    made.append(kept.enter_context(cube(cases)))
                except (Skipped, BenchError) as reason:
                    made.append(reason)
            if isinstance(made[0], Exception):
                raise made[0]
            return made[0]

        for word, many, cold in itertools.product(("iline", "xline"), (False, True), (False, True)):
            state = ", evicted" if cold else ""
            row = Row("lines", f"cut of {'some lines' if many else 'one line'} by {word}{state}, less a cut of one trace",
                      times_as_fast=True, target=1.0, against="the same bytes by pread")  # fmt: skip

            def fill(row=row, word=word, many=many, cold=cold):
                cut_lines(cases, row, *the_cube(), word, many, cold)

            yield guarded(row, fill)


def cut_lines(cases, row: Row, path, lines: int, word: str, many: bool, cold: bool) -> None:
    """Fills a row: `lines` inlines there are, of which one or some that lie together are taken, or as many crosslines."""
    trace_bytes = 240 + 4 * cases.options.samples
    inline = word == "iline"
    all_of_word = lines if inline else PLACES
    first, count = all_of_word // 2, max(1, all_of_word // SOME) if many else 1
    first_byte = FILE_HEADER_BYTES + first * trace_bytes * (PLACES if inline else 1)
    piece_bytes, pieces = count * trace_bytes * (PLACES if inline else 1), 1 if inline else lines
    value = first_value(path, word) + first
    where = f"{word} >= {value} and {word} < {value + count}" if many else f"{word} == {value}"
    command = [cases.program, "cut", path, "-o", cases.target, "--where", where, "--seek"]
    ours = Job(command, inputs=[path], output=cases.target, cold=cold)
    same = [FILE_HEADER_BYTES, first_byte, piece_bytes, pieces, PLACES * trace_bytes]
    reference = Job([sys.executable, "-I", "-S", READ_LINES, path, cases.copy, *same],
                    inputs=[path], output=cases.copy, cold=cold)  # fmt: skip
    require_equal_bytes(cases, ours, reference)
    row.command, row.reference_command = ours.shown(cases.bench.folder), reference.shown(cases.bench.folder)
    tiny = cases.survey(10, 10)
    one_trace = Job([cases.program, "cut", tiny, "-o", cases.target, "--where", "trace == 1"],
                    inputs=[tiny], output=cases.target)  # fmt: skip
    row.ours, theirs, row_starts = cases.bench.in_turns([ours, reference, one_trace], cases.options.pairs)
    row.less_s = [run.seconds for run in row_starts]
    # The reading and writing alone, without starting Python.
    row.reference = [dataclasses.replace(run, seconds=float(run.text)) for run in theirs]
    row.finish()
    every = cases.bench.run(Job(command[:-1], inputs=[path], output=cases.target, cold=cold))
    row.notes.append(f"{piece_bytes * pieces / 1e6:.1f} MB of {path.stat().st_size / 1e9:.2f} GB in {pieces} pieces; a cut "
                     f"of one trace of ten {seconds(row.less_s)}, taken off pair by pair; with every header "
                     f"{seconds([every.seconds])}, nothing taken off")  # fmt: skip


def first_value(path, word: str) -> int:
    """A line number of the first trace, from its header."""
    with open(path, "rb") as file:
        file.seek(FILE_HEADER_BYTES + {"iline": 189, "xline": 193}[word] - 1)
        return int.from_bytes(file.read(4), "big", signed=True)


def require_equal_bytes(cases, ours: Job, reference: Job) -> None:
    """That both write the same file, and that the lines are found by few headers."""
    kept = {}

    def keep(job):
        kept[job.output] = job.output.read_bytes()

    runs = [cases.bench.run(dataclasses.replace(job, check=lambda job=job: keep(job))) for job in (ours, reference)]
    if "a regular pattern" not in runs[0].text:
        raise BenchError("the lines were not sought")
    if len(set(kept.values())) != 1:
        raise BenchError("the reference writes other bytes")
