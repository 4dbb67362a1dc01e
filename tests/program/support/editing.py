"""What tests of `sill edit` share."""

import os
import re
import struct

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


def checksum(data: bytes) -> int:
    """docs/index-file.md has it."""
    total = 0x53494C4C2D494458
    data += bytes(-len(data) % 8)
    for (word,) in struct.iter_unpack("<Q", data):
        total = (total ^ word) * 0x9E3779B97F4A7C15 % 2**64
        total ^= total >> 32
    return total


def journal(path, segments: list[list[tuple[int, bytes, bytes]]], version: int = 2) -> bytes:
    """Of a SEG-Y file, as docs/edit.md has it."""
    data = path.read_bytes()
    bodies = [b"".join(struct.pack("<qQ", at, len(old)) + old + new for at, old, new in one) for one in segments]
    head = b"SILL-JNL" + struct.pack("<QqQqqQq", version, len(data), path.stat().st_ino, 3200, 400,
                                     checksum(data[3200:3600]), len(bodies))  # fmt: skip
    at = len(head) + 24 * len(bodies) + 8
    for body in bodies:
        head += struct.pack("<qqQ", at, len(body), checksum(body))
        at += len(body)
    return head + struct.pack("<Q", checksum(head)) + b"".join(bodies)


def journal_of(path):
    return path.with_name(path.name + ".sill-journal")
