"""Cases of files whose traces differ in length."""

import contextlib
import os
import pathlib

from measure import Job, evict, guarded, warm
from table import Row

FILE_HEADER_BYTES = 3600
SORT_KEYS = "offset,cdp"


def kept_index(path: pathlib.Path) -> pathlib.Path:
    return path.with_name(path.name + ".sill-index")


@contextlib.contextmanager
def varying_survey(cases):
    """The main survey with every trace cut to a length of its own: all of its samples or up to 100 fewer."""
    source = cases.main_survey()
    samples = cases.options.samples
    min_samples = max(1, samples - 100)
    path = source.with_name("varying.sgy")
    cases.bench.require_space(source.stat().st_size + (100 << 20))
    trace_bytes = 240 + 4 * samples
    with open(source, "rb") as whole, open(path, "wb") as cut:
        head = bytearray(whole.read(FILE_HEADER_BYTES))
        head[3502:3504] = bytes(2)  # one length is not promised
        cut.write(head)
        for i in range(cases.options.traces):
            trace = bytearray(whole.read(trace_bytes))
            own = samples - i * 7919 % (samples - min_samples + 1)
            trace[114:116] = own.to_bytes(2, "big")
            cut.write(memoryview(trace)[: 240 + 4 * own])
    os.sync()
    evict(path)
    warm(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        kept_index(path).unlink(missing_ok=True)


def case_index(cases):
    """files whose traces differ in length: index, scan and sort, beside a scan where they do not, and cp"""
    for threads in (1, 2):
        row = Row("index", f"index, --threads {threads}", against="scan of one word", target=2.0)

        def fill(row=row, threads=threads):
            with varying_survey(cases) as path:
                ours = Job([cases.program, "index", path, "--threads", threads], inputs=[path])
                reference = cases.scan(cases.main_survey(), "cdp")
                reference.command += ["--threads", threads]
                cases.compare(row, ours, reference, cases.pairs(5))
                row.notes.append(
                    f"{kept_index(path).stat().st_size / 1e6:.1f} MB kept, {path.stat().st_size / 1e9:.2f} GB followed"
                )

        yield guarded(row, fill)

    scan = Row("index", "scan of one word, lengths differ, index kept", against="lengths alike")

    def fill_scan():
        with varying_survey(cases) as path:
            cases.bench.run(Job([cases.program, "index", path], inputs=[path]))
            cases.compare(scan, cases.scan(path, "cdp"), cases.scan(cases.main_survey(), "cdp"), cases.pairs(5))

    yield guarded(scan, fill_scan)
    sort = Row("index", f"sort by {SORT_KEYS}, lengths differ, no index / cp")

    def fill_sort():
        with varying_survey(cases) as path:
            command = [cases.program, "sort", path, "-o", cases.target, "--by", SORT_KEYS]
            ours = Job(command, inputs=[path], output=cases.target)
            cases.compare(sort, ours, cases.cp(path), cases.pairs(5))

    yield guarded(sort, fill_sort)
