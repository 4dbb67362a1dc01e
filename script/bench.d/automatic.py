"""The case of the choice of policies: each kernel by `auto`, beside the best preset and beside the original program."""

import contextlib
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
from functools import partial

from kernels import told_by
from measure import Skipped, guarded, say
from movers import REPOSITORY, Movers, place, run_of
from table import Row

# With sizes for the slow disk, where the defaults would take hours: half a millisecond for each of millions of requests.
KERNELS = {
    "ondes3d-stations": ["--steps", 30],
    "ondes3d-surfaces": [],
    "awp-volume": ["--grid", "100x100x50"],
    "mslio": [],
    "ior": ["--block", "64M"],
    "grid-rows": ["--grid", "48x64x16"],
}
RANKS = (2, 4)
PAIRS = 7
SLOW_PAIRS = 3
MOST = 1.10  # times the best preset
SLOWFS = REPOSITORY / "script/slowfs"


@contextlib.contextmanager
def slow_disk(folder):
    """A folder seen through a slow disk; None where there is no FUSE."""
    with tempfile.TemporaryDirectory(prefix="slow-", dir=folder) as made:
        below, mount = pathlib.Path(made, "below"), pathlib.Path(made, "mount")
        below.mkdir()
        mount.mkdir()
        done = subprocess.run([SLOWFS, "up", below, mount], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            say(done.stderr.strip())
            yield None
            return
        try:
            yield mount
        finally:
            subprocess.run([SLOWFS, "down", mount], check=True)


def case_auto(cases):
    """each kernel by the policy chosen by itself, beside the best preset and the original program"""
    told = json.loads(subprocess.run([cases.program, "policies", "--json"], capture_output=True, check=True).stdout)
    presets = [preset["name"] for preset in told["presets"]]
    beside_best = []
    with Movers(cases).folders() as folders, slow_disk(cases.bench.folder) as slow:
        for folder in [*folders, slow]:
            where = "slowfs" if folder == slow else place(folder)
            for kernel, slow_sizes in KERNELS.items():
                for ranks in RANKS:
                    text = f"{kernel}, {ranks} ranks, {where}"
                    sizes, pairs = (slow_sizes, SLOW_PAIRS) if folder == slow else ([], PAIRS)
                    rows = cell(text, folder, partial(told_by, cases, folder, kernel, sizes, ranks, presets, cases.pairs(pairs)))
                    beside_best += [row for row in rows[:1] if row.ratios]
                    yield from rows
    if beside_best:
        yield summary(beside_best)


def cell(text: str, folder, compare) -> list[Row]:
    best = Row("auto", f"{text}, auto", "best preset", target=MOST)
    original = Row("auto", f"{text}, auto", "original", target=1.0)

    def fill():
        if folder is None:
            raise Skipped("there is no FUSE here")
        told, command = compare()
        ways = {way["way"]: way for way in told["ways"]}
        auto = ways.pop("auto")
        fixed = min((way for name, way in ways.items() if name != "original"), key=lambda way: way["output_s"]["median"])
        best.against = fixed["way"]
        for row, other in ((best, fixed), (original, ways["original"])):
            row.command = command
            row.ours = [run_of(seconds) for seconds in auto["outputs_s"]]
            row.reference = [run_of(seconds) for seconds in other["outputs_s"]]
            row.moved = {"requests": auto["requests_written"], "opens": auto["opens"]}
            row.finish()
        best.extra = {"ways": told["ways"]}

    guarded(best, fill)
    return [best, original] if original.ratios else [best]


def summary(rows: list[Row]) -> Row:
    row = Row("auto", f"all {len(rows)} cells, auto", "best preset", target=MOST)
    row.ours = [run_of(statistics.median(run.seconds for run in each.ours)) for each in rows]
    row.reference = [run_of(statistics.median(run.seconds for run in each.reference)) for each in rows]
    row.ratios = [statistics.median(each.ratios) for each in rows]
    within = sum(ratio <= MOST for ratio in row.ratios)
    mean = math.exp(statistics.fmean(map(math.log, row.ratios)))
    row.notes.append(f"{within} of {len(rows)} cells within {MOST:.2f} of the best preset, geometric mean {mean:.3f}, "
                     f"largest {max(row.ratios):.2f}")  # fmt: skip
    return row
