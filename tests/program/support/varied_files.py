"""Files of every form, made by numpy alone: lengths that vary, additional headers, tape labels, trailers, Seismic Unix."""

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import segy_files

LABEL = b"   1SY2.1RECORD" + b"   0".rjust(10) + b" " * 103


@dataclass
class Varied:
    """A file as the bytes before its traces, of each trace, and after the last."""

    head: bytes
    traces: list[bytes]
    tail: bytes
    base: segy_files.Segy  # the same first headers, for keys

    def permuted(self, order) -> "Varied":
        return replace(self, traces=[self.traces[i] for i in order])

    def sorted_by(self, keys) -> "Varied":
        return self.permuted(segy_files.sort_order(self.base, keys))

    def put_head(self, byte: int, kind: str, value, label: bool = True) -> "Varied":
        """Sets bytes of the file header, counted from 1 behind a tape label."""
        at = len(self.head) - len(self.base.head) + byte - 1
        head = bytearray(self.head)
        head[at : at + int(kind[1])] = segy_files.encode(value, kind, self.base.order).tobytes()
        return replace(self, head=bytes(head))

    def to_bytes(self) -> bytes:
        return self.head + b"".join(self.traces) + self.tail

    def write(self, path) -> Path:
        path = Path(path)
        path.write_bytes(self.to_bytes())
        return path


def joined(first: Varied, *others: Varied) -> Varied:
    """What several inputs make together: head and tail of the first."""
    base = first.base.copy()
    base.rows = np.concatenate([file.base.rows[:, :240] for file in (first, *others)])
    return replace(first, traces=sum((file.traces for file in (first, *others)), []), base=base)


def make(
    samples, *, headers=None, order="big", label=False, trailers=0, told_traces=None, flag=0, su=False, seed=1, code=5,
    revision=None, extended=0,
) -> Varied:  # fmt: skip
    """A file whose trace i has samples[i] samples and, of revision 2.1, headers[i] additional headers."""
    revision = revision or ((2, 1) if label or trailers or headers is not None or told_traces is not None else (1, 0))
    base = segy_files.make(len(samples), max(samples, default=1), order=order, seed=seed, code=code, extended=extended)
    base.put_binary(3501, "u1", revision[0]).put_binary(3502, "u1", revision[1])
    base.put_binary(3503, "i2", flag).put_binary(3529, "i4", trailers)
    if len(samples):
        base.put_binary(3221, "i2", samples[0]).put_word("ns", samples)
    if headers is not None:
        base.put_binary(3507, "i2", max(headers))
    if told_traces is not None:
        base.put_binary(3513, "u8", told_traces)
    random = np.random.default_rng(seed + 100)
    size = segy_files.size_of(segy_files.SAMPLE_TYPES[code])
    traces = []
    for i, row in enumerate(base.rows):
        raw = row[:240].tobytes()
        if headers is not None:
            extension = bytearray(random.integers(0, 256, 240, dtype=np.uint8).tobytes())
            extension[136:140] = bytes(4)
            extension[156:158] = struct.pack("<H" if order == "little" else ">H", headers[i])
            extension[232:240] = b"SEG00001"
            raw += bytes(extension) + random.integers(0, 256, 240 * (headers[i] - 1), dtype=np.uint8).tobytes()
        traces.append(raw + row[240 : 240 + size * samples[i]].tobytes())
    tail = random.integers(0, 256, 3200 * trailers, dtype=np.uint8).tobytes()
    head = b"" if su else (LABEL if label else b"") + base.head.tobytes()
    return Varied(head, traces, tail, base)


def any_samples(traces: int, seed: int = 1, least: int = 10, most: int = 400) -> list[int]:
    return np.random.default_rng(seed).integers(least, most, traces).repeat(2)[:traces].tolist()
