"""Files whose traces vary in length, and the index that is kept beside them."""

import struct

import numpy as np
import segy_files

SUFFIX = ".sill-index"


def varying(path, samples, *, order="big", extension_headers=None, **options):
    """A file whose trace i has samples[i] samples; with additional headers of revision 2.1 as many as told for each.

    Returns the byte at which each trace begins, and the end of the last.
    """
    file = segy_files.make(len(samples), max(samples), order=order, **options)
    file.put_binary(3503, "i2", 0).put_binary(3221, "i2", samples[0]).put_word("ns", samples)
    if extension_headers is not None:
        file.put_binary(3501, "u1", 2).put_binary(3502, "u1", 1).put_binary(3507, "i2", max(extension_headers))
    parts, starts = [file.head.tobytes()], [file.first_trace_byte]
    for i, row in enumerate(file.rows):
        raw = [row[:240].tobytes()]
        if extension_headers is not None:
            extension = bytearray(240)
            extension[156:158] = struct.pack("<H" if order == "little" else ">H", extension_headers[i])
            extension[232:240] = b"SEG00001"
            raw += [bytes(extension), bytes(240 * (extension_headers[i] - 1))]
        raw.append(row[240 : 240 + 4 * samples[i]].tobytes())
        parts += raw
        starts.append(starts[-1] + sum(map(len, raw)))
    path.write_bytes(b"".join(parts))
    return starts


def any_samples(traces: int, seed: int = 1) -> list[int]:
    return np.random.default_rng(seed).integers(10, 40, traces).repeat(2)[:traces].tolist()


def checksum(raw: bytes) -> int:
    """As docs/index-file.md has it."""
    total, mask = 0x53494C4C2D494458, (1 << 64) - 1
    for (word,) in struct.iter_unpack("<Q", raw.ljust(-(-len(raw) // 8) * 8, b"\0")):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & mask
        total ^= total >> 32
    return total
