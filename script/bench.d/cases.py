"""The cases. Each is a generator of rows; to add one, write a function and enter it in CASES."""

import dataclasses
import json
import os
import pathlib
import shutil
import statistics

import automatic
import before
import bursts
import conversions
import flows
import kernels
import operations
import surveys
from containers import case_containers
from lengths import case_index
from measure import Bench, BenchError, Job, Skipped, cached_fraction, checksum, evict, guarded, say, warm
from movers import case_collective, case_interleaved, case_plain, case_policies
from python_readers import case_python, python_row
from table import Row, megabytes, seconds

SORT_KEYS = ("cdp,offset", "offset,cdp")
WORDS = {"tracl": 1, "fldr": 9, "tracf": 13, "ep": 17, "cdp": 21, "offset": 37, "sx": 73, "gx": 81, "iline": 189,
         "xline": 193}  # fmt: skip
TEN_WORDS = ",".join(WORDS)
METHODS = ("gather", "scatter", "buckets")
SORT_MEMORY = 64 << 20
OWN_MEMORY = 60_000_000  # what a sort may hold beside --memory and its keys
KEY_BYTES = 32  # a trace
RANKS = 2
FILE_HEADER_BYTES = 3600


def shuffle(path: pathlib.Path, traces: int) -> None:
    """The same traces in an order of no use."""
    import numpy as np

    whole = np.fromfile(path, dtype=np.uint8)
    rows = whole[FILE_HEADER_BYTES:].reshape(traces, -1)
    rows[:] = rows[np.random.default_rng(1).permutation(traces)]
    whole.tofile(path)


class Cases:
    """What the cases share: the program, the survey, and the checksums of sorted files."""

    def __init__(self, bench: Bench, options, program: pathlib.Path, launcher: str | None, python: pathlib.Path | None):
        self.bench = bench
        self.options = options
        self.program = program
        self.launcher = launcher
        self.python = python
        self.surveys = {}
        self.checksums = {}
        self.target = bench.folder / "out.sgy"
        self.copy = bench.folder / "cp.sgy"

    # what is run --------------------------------------------------------------------------------------------------

    def survey(self, traces: int, samples: int, sample_format: str = "ieee", is_shuffled: bool = False) -> pathlib.Path:
        """A survey, made once."""
        kind = ("" if sample_format == "ieee" else f"-{sample_format}") + ("-shuffled" if is_shuffled else "")
        path = self.bench.folder / f"survey-{traces}x{samples}{kind}.sgy"
        if path not in self.surveys:
            size = FILE_HEADER_BYTES + traces * (240 + 4 * samples)
            self.bench.require_space(3 * size + (100 << 20))
            say(f"making {path.name}, {size / 1e9:.2f} GB")
            command = [self.program, "make-survey", path, "--kind", "plain", "--traces", traces, "--samples", samples]
            self.bench.run(Job(command + ["--sample-format", sample_format]))
            if is_shuffled:
                shuffle(path, traces)
            self.surveys[path] = traces
            # in the cache as a file that was read from the disk, not as one just written
            os.sync()
            evict(path)
            warm(path)
        return path

    def cube(self) -> pathlib.Path:
        """A post-stack cube as large as the main survey, made once."""
        path = self.bench.folder / "cube.sgy"
        if path not in self.surveys:
            traces = self.options.traces
            say(f"making {path.name}")
            self.bench.run(Job([self.program, "make-survey", path, "--kind", "cube", "--traces", traces, "--samples",
                                self.options.samples]))  # fmt: skip
            self.surveys[path] = traces
            os.sync()
            evict(path)
            warm(path)
        return path

    def main_survey(self) -> pathlib.Path:
        return self.survey(self.options.traces, self.options.samples)

    def drop(self, path: pathlib.Path) -> None:
        path.unlink(missing_ok=True)
        self.surveys.pop(path, None)

    def cp(self, path, **how) -> Job:
        command = ["cp", "--reflink=never", path, self.copy]
        return Job(command, inputs=[path], output=self.copy, output_of=path, **how)

    def sort(self, path, keys: str, *more, launched: bool = False, **how) -> Job:
        command = [self.program, "sort", path, "-o", self.target, "--by", keys, *more]
        if launched:
            command = self.launch(command)
        return Job(command, inputs=[path], output=self.target, output_of=path, **how)

    def scan(self, path, keys: str, **how) -> Job:
        return Job([self.program, "scan", path, "--keys", keys], inputs=[path], **how)

    def launch(self, command: list, ranks: int = RANKS) -> list:
        crowded = ["--oversubscribe"] if len(os.sched_getaffinity(0)) < ranks else []
        return [self.launcher, "-n", ranks, *crowded, *command]

    def start_up(self) -> Job:
        """An empty launch."""
        tiny = self.survey(10, 10)
        return Job(self.launch([self.program, "info", tiny]), inputs=[tiny])

    # how it is measured -------------------------------------------------------------------------------------------

    def rehearse(self, row: Row, job: Job, keys: str) -> None:
        """An untimed run of a sort: its report, its method, and that its bytes are those of every other way."""
        report = self.bench.folder / "report.json"
        rehearsal = dataclasses.replace(
            job,
            command=[*job.command, "--explain", "--report", report],
            check=lambda: self.require_known_bytes(job, keys),
        )
        run = self.bench.run(rehearsal)
        told = json.loads(report.read_text())
        report.unlink()
        row.extra["report"] = told
        row.extra["explanation"] = run.text.splitlines()
        if job.limited:
            row.extra["group_most_used_bytes"] = self.bench.group.max_used_bytes()
        size = job.output_of.stat().st_size
        row.notes.append(
            f"method {told.get('method', 'unknown')}; read {told['bytes_read'] / size:.2f} and wrote "
            f"{told['bytes_written'] / size:.2f} × the file's bytes in {told['requests_read']} and "
            f"{told['requests_written']} requests"
        )

    def require_known_bytes(self, job: Job, keys: str) -> None:
        """That the traces of a sorted file are, byte for byte, those that other ways of sorting it gave."""
        found = checksum(job.output, FILE_HEADER_BYTES)
        if self.checksums.setdefault((job.output_of, keys), found) != found:
            raise BenchError(f"other bytes than another way of sorting by {keys} wrote: {job.shown(self.bench.folder)}")

    def compare(self, row: Row, ours: Job, reference: Job, pairs: int, start_up: Job | None = None) -> Row:
        """Fills a row with pairs of runs."""
        row.command, row.reference_command = ours.shown(self.bench.folder), reference.shown(self.bench.folder)
        jobs = [ours, reference] + ([start_up] if start_up else [])
        row.ours, row.reference, *rest = self.bench.in_turns(jobs, pairs)
        if rest:
            row.less_s = [run.seconds for run in rest[0]]
        return row.finish()

    def pairs(self, at_most: int) -> int:
        return min(self.options.pairs, at_most)


def case_sort(cases: Cases):
    """sort alone, in either order, beside cp"""
    for keys in SORT_KEYS:
        row = Row("sort", f"sort by {keys}", target=1.0)

        def fill(row=row, keys=keys):
            path = cases.main_survey()
            job = cases.sort(path, keys)
            cases.rehearse(row, job, keys)
            cases.compare(row, job, cases.cp(path), cases.options.pairs)

        yield guarded(row, fill)


def case_ranks(cases: Cases):
    """sort with 2 ranks, and the start-up of an empty launch"""
    for keys in SORT_KEYS:
        row = Row("ranks", f"sort by {keys}, {RANKS} ranks, less start-up", target=1.2)

        def fill(row=row, keys=keys):
            if not cases.launcher:
                raise Skipped("there is no mpirun.openmpi")
            path = cases.main_survey()
            start_up = cases.start_up()
            job = cases.sort(path, keys, launched=True)
            cases.rehearse(row, job, keys)
            cases.compare(row, job, cases.cp(path), cases.options.pairs, start_up)

        yield guarded(row, fill)
        if row.ratios:
            row.notes.append(f"start-up of an empty launch ({RANKS} ranks, `sill info` of 10 traces) "
                             f"{seconds(row.less_s)}, taken off pair by pair")  # fmt: skip
            whole = dataclasses.replace(row, text=f"sort by {keys}, {RANKS} ranks, with start-up", target=None,
                                        less_s=[], notes=[], extra={})  # fmt: skip
            yield whole.finish()


def case_memory(cases: Cases):
    """peak resident memory of sort --memory 64M"""
    for keys, more in [(SORT_KEYS[0], ()), (SORT_KEYS[1], ()), (SORT_KEYS[1], ("--method", "buckets"))]:
        text = f"memory of sort by {keys} --memory 64M" + "".join(f" {word}" for word in more)
        wanted = SORT_MEMORY + KEY_BYTES * cases.options.traces + OWN_MEMORY
        row = Row("memory", text, peak_target_bytes=wanted)

        def fill(row=row, keys=keys, more=more):
            path = cases.main_survey()
            job = cases.sort(path, keys, "--memory", "64M", *more)
            cases.rehearse(row, job, keys)
            cases.compare(row, job, cases.cp(path), cases.pairs(3))

        yield guarded(row, fill)


def case_methods(cases: Cases):
    """sort by each method in turn, and with 2 ranks"""
    for keys in SORT_KEYS:
        for method in METHODS:
            for launched in (False, True):
                ranks = f", {RANKS} ranks" if launched else ""
                row = Row("methods", f"sort by {keys} --method {method}{ranks}")

                def fill(row=row, keys=keys, method=method, launched=launched):
                    if launched and not cases.launcher:
                        raise Skipped("there is no mpirun.openmpi")
                    path = cases.main_survey()
                    job = cases.sort(path, keys, "--method", method, launched=launched)
                    cases.rehearse(row, job, keys)
                    cases.compare(row, job, cases.cp(path), cases.pairs(5))

                yield guarded(row, fill)


def case_choices(cases: Cases):
    """sort by auto beside the best method: orders, shapes, cached or evicted, memory limits, ranks"""
    shapes = [(cases.options.traces, cases.options.samples, True), (8 * cases.options.traces, 10, True),
              (8 * cases.options.traces, 10, False)]  # fmt: skip
    for traces, samples, is_shuffled in shapes:
        path = None
        for keys in SORT_KEYS[1:] if is_shuffled else SORT_KEYS:
            for more, launched, cold in [((), False, False), ((), False, True), ((), True, False),
                                         (("--memory", "64M"), False, False), (("--memory", "64M"), False, True)]:  # fmt: skip
                order = f"shuffled, by {keys}" if is_shuffled else f"by {keys}"
                state = " ".join([*more, *(["2 ranks"] if launched else []), "evicted" if cold else "cached"])
                row = Row("choices", f"{traces:,} × {samples:,}, {order}, {state}", against="the best method", target=1.1)

                def fill(row=row, keys=keys, more=more, launched=launched, cold=cold):
                    nonlocal path
                    if launched and not cases.launcher:
                        raise Skipped("there is no mpirun.openmpi")
                    path = path or cases.survey(traces, samples, is_shuffled=is_shuffled)
                    jobs = [cases.sort(path, keys, *more, "--method", method, launched=launched, cold=cold)
                            for method in ("auto", *METHODS)]  # fmt: skip
                    ours, *others = cases.bench.in_turns(jobs, cases.pairs(3))
                    medians = [statistics.median(run.seconds for run in runs) for runs in others]
                    best = medians.index(min(medians))
                    row.ours, row.reference = ours, others[best]
                    row.command, row.reference_command = (
                        jobs[0].shown(cases.bench.folder), jobs[1 + best].shown(cases.bench.folder))  # fmt: skip
                    row.notes.append(", ".join(f"{name} {seconds_of:.2f} s" for name, seconds_of in zip(METHODS, medians)))
                    row.finish()

                yield guarded(row, fill)
        if path is not None and path != cases.main_survey():
            cases.drop(path)


def case_limit(cases: Cases):
    """sort under a memory limit of a quarter of the file, input evicted first"""
    for keys in SORT_KEYS:
        row = Row("limit", f"sort by {keys} in a quarter of the file's size", target=2.5)

        def fill(row=row, keys=keys):
            path = cases.main_survey()
            limit = path.stat().st_size // 4
            cases.bench.group.make(limit)
            row.extra["limit_bytes"] = limit
            job = cases.sort(path, keys, cold=True, limited=True)
            cases.rehearse(row, job, keys)
            cases.compare(row, job, cases.cp(path, cold=True, limited=True), cases.options.pairs)
            row.notes.append(f"limit {megabytes(limit)} for process and page cache (cgroup v1), input evicted before "
                             f"each run, cp under the same limit; it says: {row.extra['explanation'][0]}")  # fmt: skip

        yield guarded(row, fill)


def case_scan(cases: Cases):
    """scan of one word and of ten; segyio doing the same"""
    row = Row("scan", "scan of one word", target=0.2)

    def fill_one(row=row):
        path = cases.main_survey()
        cases.compare(row, cases.scan(path, "cdp"), cases.cp(path), cases.options.pairs)

    yield guarded(row, fill_one)
    ten = Row("scan", "scan of ten words / of one", against="one word", target=1.5)

    def fill_ten(row=ten):
        path = cases.main_survey()
        cases.compare(row, cases.scan(path, TEN_WORDS), cases.scan(path, "cdp"), cases.options.pairs)
        row.notes.append(f"the words {TEN_WORDS}")

    yield guarded(ten, fill_ten)
    for text, numbers in [("one word", [WORDS["cdp"]]), ("ten words", list(WORDS.values()))]:
        other = Row("scan", f"segyio instead of Sill, {text}")

        def fill_segyio(row=other, numbers=numbers):
            path = cases.main_survey()
            python_row(cases, row, ["words", path, *numbers], path, cases.pairs(3))

        yield guarded(other, fill_segyio)


def case_cold(cases: Cases):
    """scan of one word with the file evicted from the page cache, beside an evicted cp"""
    row = Row("cold", "scan of one word, evicted / cp, evicted")

    def fill():
        path = cases.main_survey()
        cases.compare(row, cases.scan(path, "cdp", cold=True), cases.cp(path, cold=True), cases.pairs(3))
        os.sync()
        evict(path)
        row.notes.append(f"after eviction {100 * cached_fraction(path):.0f} % of the file were still cached; the host "
                         "of a virtual machine may keep its own cache")  # fmt: skip

    yield guarded(row, fill)


def case_shapes(cases: Cases):
    """very many short traces and few very long ones"""
    for traces, samples in cases.options.shapes:
        sorts = [(Row("shapes", f"sort by offset,cdp, {traces:,} traces × {samples:,}"), ())]
        sorts += [(Row("shapes", f"sort by offset,cdp --method {method}, {traces:,} traces × {samples:,}"),
                   ("--method", method)) for method in METHODS]  # fmt: skip
        scan = Row("shapes", f"scan of one word, {traces:,} traces × {samples:,}")

        def fill_sort(row, more, traces=traces, samples=samples):
            path = cases.survey(traces, samples)
            job = cases.sort(path, SORT_KEYS[1], *more)
            cases.rehearse(row, job, SORT_KEYS[1])
            cases.compare(row, job, cases.cp(path), cases.pairs(3))

        def fill_scan(row=scan, traces=traces, samples=samples):
            path = cases.survey(traces, samples)
            cases.compare(row, cases.scan(path, "cdp"), cases.cp(path), cases.pairs(3))

        try:
            for row, more in sorts:
                yield guarded(row, lambda row=row, more=more: fill_sort(row, more))
            yield guarded(scan, fill_scan)
        finally:
            if (traces, samples) != (cases.options.traces, cases.options.samples):
                cases.drop(cases.bench.folder / f"survey-{traces}x{samples}.sgy")


def case_durable(cases: Cases):
    """what --durable costs"""
    row = Row("durable", "sort by cdp,offset --durable / without", against="without")

    def fill():
        path = cases.main_survey()
        without = cases.sort(path, SORT_KEYS[0])
        cases.compare(row, cases.sort(path, SORT_KEYS[0], "--durable"), without, cases.pairs(5))
        cost = statistics.median(a.seconds - b.seconds for a, b in zip(row.ours, row.reference))
        size = path.stat().st_size
        row.notes.append(f"--durable costs {cost:.2f} s more" + (f", {size / 1e6 / cost:.0f} MB/s" if cost > 0 else ""))

    yield guarded(row, fill)


def case_segyio(cases: Cases):
    """sort by a loop in segyio, once"""
    row = Row("segyio", "segyio loop instead of Sill, sort by cdp,offset")

    def fill():
        path = cases.main_survey()
        arguments = ["sort", path, cases.target, WORDS["cdp"], WORDS["offset"]]
        python_row(cases, row, arguments, path, 1, SORT_KEYS[0], output=cases.target, output_of=path)

    yield guarded(row, fill)


def case_compare(cases: Cases):
    """compare of two equal files, beside cp"""
    row = Row("compare", "compare of two equal files / cp")

    def fill():
        path = cases.main_survey()
        twin = cases.bench.folder / "twin.sgy"
        cases.bench.require_space(2 * path.stat().st_size + (100 << 20))
        try:
            shutil.copyfile(path, twin)
            job = Job([cases.program, "compare", path, twin], inputs=[path, twin])
            cases.compare(row, job, cases.cp(path), cases.pairs(5))
        finally:
            twin.unlink(missing_ok=True)

    yield guarded(row, fill)


CASES = {
    "sort": case_sort,
    "ranks": case_ranks,
    "memory": case_memory,
    "methods": case_methods,
    "choices": case_choices,
    "limit": case_limit,
    "scan": case_scan,
    "index": case_index,
    "cold": case_cold,
    "durable": case_durable,
    "compare": case_compare,
    "segyio": case_segyio,
    "shapes": case_shapes,
    "policies": case_policies,
    "interleaved": case_interleaved,
    "collective": case_collective,
    "plain": case_plain,
    "kernels": kernels.case_kernels,
    "ready": kernels.case_ready,
    "arrays": kernels.case_arrays,
    "restart": kernels.case_restart,
    "array-libraries": kernels.case_array_libraries,
    "sweeps": kernels.case_sweeps,
    "format": kernels.case_format,
    "overlap": kernels.case_overlap,
    "burst": bursts.case_burst,
    "auto": automatic.case_auto,
    "cephfs": automatic.case_cephfs,
    "ior": automatic.case_ior,
    "phases": automatic.case_phases,
    "before": before.case_before,
    "convert": conversions.case_convert,
    "sparse": conversions.case_sparse,
    "flows": flows.case_flows,
    "operations": operations.case_operations,
    "check": surveys.case_check,
    "geometry": surveys.case_geometry,
    "lines": surveys.case_lines,
    "rewrites": surveys.case_rewrites,
    "python": case_python,
    "containers": case_containers,
}
