"""The case of the choice of policies: each kernel by `auto`, beside the best preset and beside the original program."""

import contextlib
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import time
import zlib

from kernels import both_sides, told_by
from measure import Skipped, guarded, say
from movers import REPOSITORY, Movers, place, run_of
from table import Row

# With sizes for slow file systems, where the defaults would take hours: half a millisecond for each of millions of
# requests.
KERNELS = {
    "ondes3d-stations": ["--steps", 30],
    "ondes3d-surfaces": [],
    "awp-volume": ["--grid", "100x100x50"],
    "mslio": [],
    "ior": ["--block", "64M"],
    "grid-rows": ["--grid", "48x64x16"],
}
# Of --full, beside the defaults and those above.
SMALL = {
    "ondes3d-stations": ["--stations", 65, "--steps", 20],
    "ondes3d-surfaces": ["--grid", "130x90x35"],
    "awp-volume": ["--grid", "50x50x20"],
    "mslio": ["--ccross", 3],
    "ior": ["--block", "4M"],
    "grid-rows": ["--grid", "48x32x8"],
}
LARGE = {
    "ondes3d-stations": ["--steps", 4000],
    "ondes3d-surfaces": ["--grid", "1040x740x280", "--steps", 40],
    "awp-volume": ["--grid", "600x400x200"],
    "mslio": ["--ccross", 6],
    "ior": ["--block", "512M"],
    "grid-rows": ["--grid", "48x1024x256"],
}
RANKS = (2, 4)
PAIRS = 7  # of the case phases
# Each cell has as much time, so that short runs, which differ more, are made more often. Half an hour in all.
CELL_S = 45
RUNS_AT_ONCE = 3
MAX_RUNS = 30
MOST = 1.10  # times the best preset
SLOWFS = REPOSITORY / "script/slowfs"
PFS = REPOSITORY / "script/pfs"
# Kernel, and options that end with the number of its phases.
PHASES = {"ondes3d-stations": ["--stations", 65, "--every", 1, "--steps"], "grid-rows": ["--snapshots"]}
PHASE_COUNTS = (1, 3, 20, 200)


@contextlib.contextmanager
def mounted(up, down, mount):
    """A folder that a script mounts; None where it says that it cannot."""
    done = subprocess.run(up, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        say(done.stderr.strip())
        yield None
        return
    try:
        yield mount
    finally:
        subprocess.run(down, check=True)


@contextlib.contextmanager
def slow_disk(folder):
    """A folder seen through a slow disk."""
    with tempfile.TemporaryDirectory(prefix="slow-", dir=folder) as made:
        below, mount = pathlib.Path(made, "below"), pathlib.Path(made, "mount")
        below.mkdir()
        mount.mkdir()
        with mounted([SLOWFS, "up", below, mount], [SLOWFS, "down", mount], mount) as slow:
            yield slow


@contextlib.contextmanager
def cephfs():
    with tempfile.TemporaryDirectory(prefix="sill-cephfs-") as made:
        with mounted([PFS, "up", "cephfs", made], [PFS, "down", made], pathlib.Path(made, "mount0")) as ceph:
            yield ceph


def presets_of(cases) -> list[str]:
    told = json.loads(subprocess.run([cases.program, "policies", "--json"], capture_output=True, check=True).stdout)
    return [preset["name"] for preset in told["presets"]]


def case_auto(cases):
    """each kernel by the policy chosen by itself, beside the best preset and the original program; see --full"""
    measured = Measured(cases)
    with Movers(cases).folders() as folders, slow_disk(cases.bench.folder) as slow:
        for folder in folders:
            yield from measured.cells(place(folder), folder, RANKS, [""], {"": {}})
        yield from measured.cells("slowfs", slow, RANKS, [""], {"": KERNELS})
        if cases.options.full:
            sizes = {"small": SMALL, "default": {}, "large": LARGE}
            for folder in folders:
                yield from measured.cells(place(folder), folder, (1, 2, 4), sizes, sizes)
            slow_sizes = {"small": SMALL, "default": KERNELS}
            yield from measured.cells("slowfs", slow, (1, 2, 4), slow_sizes, slow_sizes)
            with cephfs() as ceph:
                yield from measured.cells("cephfs", ceph, (1, 2, 4), slow_sizes, slow_sizes)
    if measured.beside_best:
        yield summary(measured.beside_best)


def case_cephfs(cases):
    """the case auto on CephFS, which script/pfs starts on this machine"""
    measured = Measured(cases)
    with cephfs() as ceph:
        yield from measured.cells("cephfs", ceph, RANKS, [""], {"": KERNELS}, "cephfs")
    if measured.beside_best:
        yield summary(measured.beside_best)


def case_ior(cases):
    """blocks in transfers of 1 MiB by the policy chosen by itself, beside plain pwrite: in files of their own and in one"""
    measured = Measured(cases)
    with Movers(cases).folders() as folders:
        for folder in folders:
            for ranks, sizes in ((1, []), (2, []), (4, []), (2, ["--shared"])):
                text = f"ior{', one file' * bool(sizes)}, {ranks} rank{'s' * (ranks > 1)}, {place(folder)}"
                yield from measured.cell(text, folder, "ior", sizes, ranks, "ior")


def case_phases(cases):
    """runs of 1, 3, 20 and 200 phases by the policy chosen by itself, beside the best preset and the original program"""
    measured = Measured(cases)
    for kernel, option in PHASES.items():
        for phases in PHASE_COUNTS:
            text = f"{kernel}, {phases} phase{'s' * (phases > 1)}, 2 ranks, {place(cases.bench.folder)}"
            yield from measured.cell(text, cases.bench.folder, kernel, [*option, phases], 2, "phases", PAIRS)


class Measured:
    """Cells, and with --full those of earlier benches that were interrupted: a file beside the results has them."""

    def __init__(self, cases):
        self.cases = cases
        self.presets = presets_of(cases)
        self.beside_best = []
        self.kept = cases.options.results.with_name("auto-cells.json") if cases.options.full else None
        self.told = json.loads(self.kept.read_text()) if self.kept and self.kept.exists() else {}
        # Of this program and as many runs alone.
        self.key = f"{zlib.crc32(cases.program.read_bytes()):08x}, {cases.options.max_runs} runs"

    def runs_of(self, folder, kernel: str, sizes: list, ranks: int, pairs=None) -> tuple[dict, str]:
        """Runs each way `pairs` times, or as often as there is time, in several launches."""

        def launched(runs):
            return told_by(self.cases, folder, kernel, sizes, ranks, self.presets, runs)

        if pairs:
            return launched(self.cases.pairs(pairs))
        begin, at_most = time.monotonic(), min(MAX_RUNS, self.cases.options.max_runs or MAX_RUNS)
        told, command = launched(min(RUNS_AT_ONCE, at_most))
        prepared = {}
        while time.monotonic() - begin < CELL_S and len(told["ways"][0]["outputs_s"]) + RUNS_AT_ONCE <= at_most:
            for way, more in zip(told["ways"], launched(RUNS_AT_ONCE)[0]["ways"], strict=True):
                way["outputs_s"] += more["outputs_s"]
                prepared.setdefault(way["way"], [way["prepare_s"]["median"]]).append(more["prepare_s"]["median"])
        for way in told["ways"]:
            if way["way"] in prepared:  # else all figures are those of the only launch
                merged = {"outputs_s": way["outputs_s"], "prepare_s": {"median": statistics.median(prepared[way["way"]])}}
                of_first_launch = {key: way[key] for key in ("way", "opens", "system_writes")}
                way.clear()
                way.update(of_first_launch | merged)
        return told, command

    def cells(self, where: str, folder, all_ranks, names, sizes_of: dict, case="auto"):
        for kernel in KERNELS:
            for ranks in all_ranks:
                for name in names:
                    text = f"{kernel}{', ' * bool(name)}{name}, {ranks} rank{'s' * (ranks > 1)}, {where}"
                    yield from self.cell(text, folder, kernel, sizes_of[name].get(kernel, []), ranks, case)

    def cell(self, text: str, folder, kernel: str, sizes: list, ranks: int, case="auto", pairs=None) -> list[Row]:
        best = Row(case, f"{text}, auto", "best preset", target=MOST)
        original = Row(case, f"{text}, auto", "original", target=1.0)

        def fill():
            if folder is None:
                raise Skipped("it cannot be mounted here")
            key = f"{text}, {self.key}"
            if key not in self.told:
                self.told[key] = self.runs_of(folder, kernel, sizes, ranks, pairs)
                if self.kept:
                    made = self.kept.with_suffix(".part")
                    made.write_text(json.dumps(self.told))
                    made.rename(self.kept)
            told, command = self.told[key]
            ways = {way["way"]: way for way in told["ways"]}
            auto = ways.pop("auto")
            fixed = min(
                (way for name, way in ways.items() if name != "original"),
                key=lambda way: statistics.median(way["outputs_s"]),
            )
            best.against = fixed["way"]
            for row, other in ((best, fixed), (original, ways["original"])):
                row.command = command
                row.ours = [run_of(seconds) for seconds in auto["outputs_s"]]
                row.reference = [run_of(seconds) for seconds in other["outputs_s"]]
                row.moved = both_sides(auto, other)
                row.finish()
            best.extra = {"ways": told["ways"]}
            self.beside_best.append(best)

        guarded(best, fill)
        return [best, original] if original.ratios else [best]


def summary(rows: list[Row]) -> Row:
    row = Row(rows[0].case, f"all {len(rows)} cells, auto", "best preset", target=MOST)
    row.ours = [run_of(statistics.median(run.seconds for run in each.ours)) for each in rows]
    row.reference = [run_of(statistics.median(run.seconds for run in each.reference)) for each in rows]
    row.ratios = [statistics.median(each.ratios) for each in rows]
    within = sum(ratio <= MOST for ratio in row.ratios)
    mean = math.exp(statistics.fmean(map(math.log, row.ratios)))
    row.notes.append(f"{within} of {len(rows)} cells within {MOST:.2f} of the best preset, geometric mean {mean:.3f}, "
                     f"largest {max(row.ratios):.2f}")  # fmt: skip
    return row
