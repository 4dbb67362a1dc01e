"""The case of a burst buffer in memory before a slow disk: what a program waits, and a sort beside one sequential pass."""

import pathlib
import tempfile

from automatic import slow_disk
from kernels import by_kernel_bench
from measure import Job, guarded
from movers import MEMORY_FILES, place
from table import Row

# Computation takes longer than writing what a step brings. Nothing follows the last step that could hide it.
KERNELS = {
    "gccom": ["--steps", 40, "--compute-ms", 200],
    "ondes3d-surfaces": ["--steps", 80, "--compute-ms", 30],
    "ondes3d-stations": ["--steps", 60, "--compute-ms", 60],
}
KEYS = "offset,cdp"


def case_burst(cases):
    """output through a burst buffer in memory to a slow disk, beside output without; a sort, beside a sequential pass"""
    with slow_disk(cases.bench.folder) as slow, tempfile.TemporaryDirectory(prefix="burst-", dir=MEMORY_FILES) as fast:
        policy = f"burst={fast}"
        for kernel, sizes in KERNELS.items():
            for ranks in (1, 2):
                row = Row("burst", f"{kernel}, {ranks} rank{'s' * (ranks > 1)}, slowfs", "auto", target=0.1)
                options = ["--kernel", kernel, "--policy", policy, "--against", "auto", *sizes]
                yield by_kernel_bench(cases, row, slow, options, ranks > 1, cases.pairs(5))
        yield sorted_beside_a_pass(cases, pathlib.Path(slow), policy)


def sorted_beside_a_pass(cases, slow, policy: str) -> Row:
    row = Row("burst", f"sort by {KEYS}, {place(slow)} (slowfs)", "one sequential pass (dd bs=8M)", target=1.3)

    def fill():
        path = cases.main_survey()
        target, copy = slow / "sorted.sgy", slow / "copy.sgy"
        sort = [cases.program, "sort", path, "-o", target, "--by", KEYS, "--policy", policy]
        dd = ["dd", f"if={path}", f"of={copy}", "bs=8M", "status=none"]
        cases.compare(
            row,
            Job(sort, inputs=[path], output=target, output_of=path),
            Job(dd, inputs=[path], output=copy, output_of=path),
            cases.pairs(5),
        )

    return guarded(row, fill)
