"""Rows of results: medians, their intervals, and Markdown."""

import math
import statistics
from dataclasses import dataclass, field

LEGEND = (
    "Times are medians, of the whole process from start to end. The ratio is the median of n paired ratios; in "
    "brackets the order statistics that cover the median with at least 95 % (below n = 6: the smallest and the largest). Peak "
    "memory is the largest of any process of any run (VmHWM)."
)
MOVER_LEGEND = (
    "Times are medians of the writes of one process per rank, without its start-up; of kernels, what the program waits "
    "for its output. The ratio is Sill's time by the "
    "reference's, or, with ×, the reference's by Sill's: how often as fast. Requests, opens and messages are those of "
    "all ranks in one run."
)
KERNEL_LEGEND = (
    "Times are medians of what the program waits for its output, of the rank that waits longest. The ratio is Sill's "
    "time by the reference's, or, with ×, the reference's by Sill's: how often as fast. Behind it Sill / the reference, "
    "of all ranks in one run: files opened, writes that the system counted, and the time to make text or copies; of an "
    "original program that of its text alone, which is part of its prints."
)
LIBRARY_LEGEND = (
    "Times are medians of what the ranks wait for a dataset, from its opening to its closing, of the rank that waits "
    "longest. With × the ratio is the reference's time by Sill's: how often as fast. Behind it Sill / the reference, of all "
    "ranks in one run: reads and writes that the system counted, of files and of all else."
)
CONTAINER_LEGEND = (
    "Times are medians of the output or input alone, without starting launchers and Python, and importing, except for SEG-Y to "
    "MDIO, which is a whole process. On several ranks the time is that of the rank that waits longest. Ratios with × are the "
    "reference's time by Sill's: how often as fast Sill is. Other ratios are Sill's time by the reference's."
)
MOVER_CASES = ("policies", "interleaved", "collective", "plain", "ready", "arrays", "restart", "format", "overlap", "burst")
KERNEL_CASES = ("kernels", "sweeps", "auto", "cephfs", "ior", "phases")
LIBRARY_CASES = ("array-libraries",)
CONTAINER_CASES = ("containers",)
HEADINGS = ("case", "Sill", "reference", "ratio [interval]", "target", "reached", "peak memory")
KERNEL_HEADINGS = (*HEADINGS[:-1], "opens", "system writes", "text, copies")
LIBRARY_HEADINGS = (*HEADINGS[:-1], "system reads", "system writes")
MOVER_HEADINGS = (*HEADINGS[:-1], "requests", "opens", "messages")


@dataclass
class Row:
    """A result: runs in pairs, or the problem that kept it from being measured, or the reason why it was skipped."""

    case: str
    text: str
    against: str = "cp"
    ours: list = field(default_factory=list)
    reference: list = field(default_factory=list)
    less_s: list = field(default_factory=list)  # taken off ours, pair by pair (start-up of a launcher)
    ratios: list = field(default_factory=list)
    target: float | None = None  # the median ratio may be at most this
    peak_target_bytes: float | None = None  # instead of a ratio's target
    times_as_fast: bool = False  # the ratio is upside down, and its target is the least
    moved: dict = field(default_factory=dict)  # what mover_bench told
    problem: str = ""
    skipped: str = ""
    notes: list = field(default_factory=list)
    command: str = ""
    reference_command: str = ""
    extra: dict = field(default_factory=dict)  # for results.json only

    def peak_bytes(self) -> int:
        return max((run.peak_bytes for run in self.ours), default=0)

    def finish(self) -> "Row":
        less = self.less_s or [0.0] * len(self.ours)
        self.ratios = [(a.seconds - c) / b.seconds for a, b, c in zip(self.ours, self.reference, less)]
        if self.times_as_fast:
            self.ratios = [1 / ratio for ratio in self.ratios]
        return self

    def met(self) -> bool | None:
        if self.problem or self.skipped:
            return None
        if self.peak_target_bytes is not None:
            return self.peak_bytes() <= self.peak_target_bytes
        if self.target is None or not self.ratios:
            return None
        middle = statistics.median(self.ratios)
        return middle >= self.target if self.times_as_fast else middle <= self.target


def interval(values: list) -> tuple[float, float, float]:
    """The narrowest symmetric pair of order statistics that covers the median with at least 95 %, and its coverage.

    It supposes nothing of the distribution. Below six values none reaches 95 %: then the smallest and largest.
    """
    ordered = sorted(values)
    count = len(ordered)
    chosen, coverage = 0, 1 - 2 * 0.5**count
    for low in range(1, count // 2):
        covered = 1 - 2 * sum(math.comb(count, k) for k in range(low + 1)) / 2**count
        if covered < 0.95:
            break
        chosen, coverage = low, covered
    return ordered[chosen], ordered[count - 1 - chosen], coverage


def seconds(values: list) -> str:
    value = statistics.median(values)
    if value < 0.1:
        return f"{value * 1000:.1f} ms"
    return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def megabytes(count: float) -> str:
    return f"{count / 1e6:.1f} MB" if count < 100e6 else f"{count / 1e6:.0f} MB"


def cells(row: Row) -> list[str]:
    if row.problem or row.skipped:
        what = f"failed: {row.problem}" if row.problem else f"skipped: {row.skipped}"
        return [row.text, what.replace("|", "\\|").replace("\n", " "), "", "", "", ""]
    ours = seconds([run.seconds for run in row.ours])
    if row.less_s:
        ours = seconds([run.seconds - less for run, less in zip(row.ours, row.less_s)])
    reference, ratio, target, reached = "", "", "", ""
    if row.reference:
        reference = f"{row.against} {seconds([run.seconds for run in row.reference])}"
    if row.ratios:
        middle = statistics.median(row.ratios)
        digits = 2 if middle < 10 else 1
        ratio = f"**{middle:.{digits}f}**" + (" ×" if row.times_as_fast else "")
        if len(row.ratios) > 1:
            low, high, _ = interval(row.ratios)
            ratio += f" [{low:.{digits}f}, {high:.{digits}f}]"
        ratio += f" n={len(row.ratios)}"
    if row.target is not None:
        target = f"{'≥' if row.times_as_fast else '≤'} {row.target:g}"
    if row.peak_target_bytes is not None:
        target = f"≤ {megabytes(row.peak_target_bytes)}"
    met = row.met()
    if met is not None:
        reached = "yes" if met else "**no**"
        if row.target is not None and len(row.ratios) > 1 and row.peak_target_bytes is None:
            low, high, _ = interval(row.ratios)
            if low <= row.target <= high and low < high:
                reached += ", not beyond doubt"
    return [row.text, ours, reference, ratio, target, reached]


def peak(row: Row) -> list[str]:
    if not row.ours:
        return [""]
    worst = max(row.ours, key=lambda run: run.peak_bytes)
    if worst.peak_bytes == 0:  # of a part of a process
        return [""]
    return [("≤ " if worst.peak_is_bound else "") + megabytes(worst.peak_bytes)]


def counts(row: Row) -> list[str]:
    return [f"{row.moved[name]:,}" if name in row.moved else "" for name in ("requests", "opens", "messages")]


def pairs_of(row: Row, names: tuple) -> list[str]:
    def shown(value) -> str:
        if value is None:
            return "-"
        return seconds([value]) if isinstance(value, float) else f"{value:,}"

    return [" / ".join(map(shown, row.moved[name])) if name in row.moved else "" for name in names]


def table(headings: tuple, rows: list[list[str]], legend: str) -> list[str]:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), "", legend]


def markdown(rows: list[Row]) -> str:
    kinds = (
        (HEADINGS, peak, LEGEND,
         [row for row in rows if row.case not in MOVER_CASES + KERNEL_CASES + LIBRARY_CASES + CONTAINER_CASES]),
        (HEADINGS, peak, CONTAINER_LEGEND, [row for row in rows if row.case in CONTAINER_CASES]),
        (MOVER_HEADINGS, counts, MOVER_LEGEND, [row for row in rows if row.case in MOVER_CASES]),
        (KERNEL_HEADINGS, lambda row: pairs_of(row, KERNEL_HEADINGS[-3:]), KERNEL_LEGEND,
         [row for row in rows if row.case in KERNEL_CASES]),
        (LIBRARY_HEADINGS, lambda row: pairs_of(row, LIBRARY_HEADINGS[-2:]), LIBRARY_LEGEND,
         [row for row in rows if row.case in LIBRARY_CASES]),
    )  # fmt: skip
    lines = []
    for headings, more, legend, of_kind in kinds:
        if of_kind:
            lines += [""] * bool(lines) + table(headings, [cells(row) + more(row) for row in of_kind], legend)
    notes = [f"- {row.text}: {note}" for row in rows for note in row.notes]
    if notes:
        lines += ["", *notes]
    return "\n".join(lines)


def numbers(run) -> dict:
    return {name: value for name, value in vars(run).items() if name != "text"}


def as_json(row: Row) -> dict:
    result = {
        "case": row.case,
        "text": row.text,
        "command": row.command,
        "against": row.against,
        "reference_command": row.reference_command,
        "ours": [numbers(run) for run in row.ours],
        "reference": [numbers(run) for run in row.reference],
        "target_ratio": row.target,
        "target_peak_bytes": row.peak_target_bytes,
        "met": row.met(),
        "times_as_fast": row.times_as_fast,
        "moved": row.moved,
        "notes": row.notes,
        **row.extra,
    }
    if row.less_s:
        result["less_s"] = row.less_s
    if row.ratios:
        low, high, coverage = interval(row.ratios)
        result |= {
            "ratios": row.ratios,
            "median_ratio": statistics.median(row.ratios),
            "interval": [low, high],
            "coverage": coverage,
        }
    if row.problem:
        result["problem"] = row.problem
    if row.skipped:
        result["skipped"] = row.skipped
    return result
