"""What tests of `sill edit` share."""

import os
import re

import numpy as np
from program import leftovers

RANKS = [None, 2, 4]


def edit(sill, path, *arguments, ranks=None, **options):
    return sill.run("edit", path, *arguments, ranks=ranks, **options)


def trace_in(message: str) -> str:
    """The trace that an error names."""
    return re.search(r"^ *trace: +(\d+)$", message, re.M).group(1)


def nothing_left(folder) -> bool:
    return leftovers(folder) == [] and not [name for name in os.listdir(folder) if "journal" in name]


def numbered(file):
    """A file with the numbers that --renumber gives."""
    traces = file.traces
    cdp = file.word("cdp")
    first = np.maximum.accumulate(np.where(np.r_[True, cdp[1:] != cdp[:-1]], np.arange(traces), 0))
    n = np.arange(1, traces + 1)
    return file.put_word("tracl", n).put_word("tracr", n).put_word("cdpt", n - first)
