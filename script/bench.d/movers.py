"""The cases of the mover: mover_bench on the patterns of bench/patterns.hpp, in turns within a process.

A row takes the seconds that the program tells, which are those of the writes alone: no start-up, warm buffers.
"""

import contextlib
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from machine import file_system
from measure import Job, Run, Skipped, guarded, say
from table import Row

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PATTERNS = ("planes", "stations", "volume", "small")
STAGED = ("aggregated", "staged", "gathered", "elected")  # ranks hand bytes to others, or coalesce them
REPLAYED = ("direct", *STAGED)  # what calls MPI-IO makes requests that are not seen
SMALLEST = ("direct", "independent")  # a request for every piece of 4 bytes: some seconds per write of planes
MEMORY_FILES = pathlib.Path("/dev/shm")
PROGRAM = "mover_bench"
PLAIN = "plain-mpiio"


class Movers:
    """What the cases of the mover share."""

    def __init__(self, cases):
        self.cases = cases
        self.program = cases.program.parent / PROGRAM
        self.mpich_launcher = shutil.which("mpirun.mpich")
        self.mpich_program = None

    @contextlib.contextmanager
    def folders(self):
        """Where to write: beside the other cases' files, and in memory."""
        with contextlib.ExitStack() as kept:
            found = [self.cases.bench.folder]
            if MEMORY_FILES.is_dir():
                made = tempfile.TemporaryDirectory(prefix="sill-bench-", dir=MEMORY_FILES)
                found.append(pathlib.Path(kept.enter_context(made)))
            yield found

    def run(self, folder, pattern: str, policy: str, against: str, repeat: int, launched=None, program=None) -> dict:
        """One process per rank that times `policy` on a pattern in turns with `against`; what it tells."""
        program = program or self.program
        if launched is None and not self.cases.launcher:
            raise Skipped("there is no mpirun.openmpi")
        if not program.is_file():
            raise Skipped(f"there is no {program}")
        command = [program, "--pattern", pattern, "--policy", policy, "--against", against]
        command += ["--folder", folder, "--repeat", repeat]
        job = Job((launched or self.cases.launch)(command))
        told = json.loads(self.cases.bench.run(job).text)
        return told | {"command": job.shown(folder)}

    def in_turns(self, row: Row, folder, pattern: str, policy: str, against: str, pairs: int, launched=None) -> None:
        """Fills a row by one process that swaps its two jobs from pair to pair."""
        told = self.run(folder, pattern, policy, against, pairs, launched)
        row.command = told["command"]
        row.ours = [run_of(value) for value in told["ours_s"]]
        row.reference = [run_of(value) for value in told["theirs_s"]]
        row.moved = told
        row.finish()

    def under_mpich(self, command: list) -> list:
        return [self.mpich_launcher, "-n", 2, *command]

    def require_mpich(self) -> pathlib.Path:
        """The same program with the other library, built if nothing says that what is there shall be measured."""
        if not self.mpich_launcher:
            raise Skipped("there is no mpirun.mpich")
        if self.mpich_program is None:
            if self.cases.options.program is None:
                say("building with MPICH")
                subprocess.run([REPOSITORY / "script/build", "mpich", "benchmarks"], stdout=sys.stderr, check=True)
            self.mpich_program = REPOSITORY / "build/mpich/bin" / PROGRAM
        return self.mpich_program


def run_of(value_s: float) -> Run:
    """A part of a process: its memory is not told apart."""
    return Run(value_s, 0, 0, 0, False, "")


def place(folder) -> str:
    return file_system(folder).split()[0]


def case_policies(cases):
    """each preset on each pattern, beside the same requests made on ready bytes"""
    movers = Movers(cases)
    with movers.folders() as folders:
        for folder in folders:
            for pattern in PATTERNS:
                for preset in (*REPLAYED, "independent"):
                    replayed = preset in REPLAYED
                    text = f"{pattern}, {preset}, {place(folder)}"
                    row = Row("policies", text, "the same requests" if replayed else "direct",
                              target=1.2 if replayed else None)  # fmt: skip
                    pairs = cases.pairs(3) if pattern == "planes" and preset in SMALLEST else cases.options.pairs

                    other = "replay" if replayed else "direct"

                    def fill(row=row, folder=folder, pattern=pattern, preset=preset, other=other, pairs=pairs):
                        movers.in_turns(row, folder, pattern, preset, other, pairs)

                    yield guarded(row, fill)


def case_interleaved(cases):
    """words of 4 bytes from three arrays: every staged preset beside direct, how often as fast"""
    movers = Movers(cases)
    folder = cases.bench.folder
    rows = []
    for preset in STAGED:
        row = Row("interleaved", f"planes, {preset}, {place(folder)}", "direct", times_as_fast=True)

        def fill(row=row, preset=preset):
            movers.in_turns(row, folder, "planes", preset, "direct", cases.pairs(5))

        rows.append(guarded(row, fill))
    measured = [row for row in rows if row.ratios]
    if measured:
        best = max(measured, key=lambda row: statistics.median(row.ratios))
        best.text += " (the best)"
        best.target = 50.0
    yield from rows


def case_collective(cases):
    """staged presets beside collective MPI-IO of both libraries, how often as fast"""
    movers = Movers(cases)
    folder = cases.bench.folder
    for pattern in PATTERNS:

        def new_row(preset, library, pattern=pattern):
            target = 1.0 if preset == "aggregated" else None
            text = f"{pattern}, {preset}, {place(folder)}"
            return Row("collective", text, f"collective of {library}", times_as_fast=True, target=target)

        for preset in STAGED:
            row = new_row(preset, "Open MPI")

            def fill(row=row, pattern=pattern, preset=preset):
                movers.in_turns(row, folder, pattern, preset, "collective", cases.pairs(5 if row.target else 3))

            yield guarded(row, fill)
        rows = {preset: new_row(preset, "MPICH") for preset in STAGED}
        first = rows[STAGED[0]]
        guarded(first, lambda rows=rows, pattern=pattern: beside_mpich(movers, rows, folder, pattern, cases.pairs(5)))
        for row in rows.values():
            row.problem, row.skipped = first.problem, first.skipped
            yield row


def case_plain(cases):
    """two-phase beside collective MPI-IO as programs call it, of both libraries, how often as fast"""
    movers = Movers(cases)
    folder = cases.bench.folder
    ours = "aggregated"
    for pattern in PATTERNS:

        def new_row(library, pattern=pattern):
            text = f"{pattern}, {ours}, {place(folder)}"
            return Row("plain", text, f"plain collective calls, {library}", times_as_fast=True, target=1.0)

        pairs = cases.pairs(3 if pattern == "planes" else 5)
        for library, io in (("Open MPI, its ROMIO", "^ompio"), ("Open MPI, its OMPIO", "ompio")):
            row = new_row(library)

            def launched(command, io=io):
                return ["env", f"OMPI_MCA_io={io}", *cases.launch(command)]

            def fill(row=row, pattern=pattern, pairs=pairs, launched=launched):
                movers.in_turns(row, folder, pattern, ours, PLAIN, pairs, launched)

            yield guarded(row, fill)
        row = new_row("MPICH")
        yield guarded(row, lambda row=row, pattern=pattern, pairs=pairs: beside_mpich(
            movers, {ours: row}, folder, pattern, pairs, PLAIN))  # fmt: skip


def beside_mpich(
    movers: Movers, rows: dict, folder, pattern: str, pairs: int, reference_policy: str = "collective"
) -> None:
    """Fills the rows of all presets. One program has one library, so processes take turns; each times one write after
    two others. There is nothing to replay of what calls MPI-IO: beside it only the write itself takes time."""
    program = movers.require_mpich()
    for pair in range(pairs):
        told = {}
        for preset in [*rows, None] if pair % 2 == 0 else [None, *rows]:
            if preset is None:
                reference = movers.run(folder, pattern, reference_policy, "replay", 1, movers.under_mpich, program)
            else:
                told[preset] = movers.run(folder, pattern, preset, "replay", 1)
        for preset, row in rows.items():
            row.ours.append(run_of(told[preset]["ours_s"][0]))
            row.reference.append(run_of(reference["ours_s"][0]))
            row.moved, row.command, row.reference_command = told[preset], told[preset]["command"], reference["command"]
    for row in rows.values():
        row.finish()
