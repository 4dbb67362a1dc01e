"""Forms of files beyond those of `segy_files.make`: revision 2, tape labels, trailers, Seismic Unix, lengths that vary.

As independent of the program as `segy_files`: numpy and the byte positions of the standard.
"""

from dataclasses import replace

import numpy as np
import segy_files
from segy_files import TRACE_HEADER_BYTES, Segy

BYTE_ORDER_CONSTANT = 16909060

# Seismic Unix, segy.h: after byte 180 its words are not SEG-Y's.
SU_OWN_WORDS = [
    (181, "f4", "d1"), (185, "f4", "f1"), (189, "f4", "d2"), (193, "f4", "f2"), (197, "f4", "ungpow"),
    (201, "f4", "unscale"), (205, "i4", "ntr"), (209, "i2", "mark"), (211, "i2", "shortpad"),
]  # fmt: skip

# SEG-Y rev 1, trace header from byte 197 on. Of bytes 219-224 it says that they are angles in tenths of degrees;
# revision 2 says that these are three. Bytes 233-240 are no word before revision 2, and then text.
LATE_WORDS = [
    (197, "i4"), (201, "i2"), (203, "i2"), (205, "i4"), (209, "i2"), (211, "i2"), (213, "i2"), (215, "i2"), (217, "i2"),
    (219, "i2"), (221, "i2"), (223, "i2"), (225, "i4"), (229, "i2"), (231, "i2"),
]  # fmt: skip

# SEG-Y rev 2.1, trace header extension 1: bytes of the second block of 240, those of the name (233-240) apart.
EXTENSION_1_WORDS = [
    (1, "u8"), (9, "u8"), (17, "i8"), (25, "i8"), *((byte, "f8") for byte in range(33, 137, 8)), (137, "u4"),
    (141, "i4"), (145, "f8"), (153, "i4"), (157, "u2"), (159, "i2"), (161, "f8"), (169, "f8"),
]  # fmt: skip

# SEG-Y rev 2.1, binary header; up to 3260 that of revision 1.
BINARY_WORDS = [
    (3201, "i4"), (3205, "i4"), (3209, "i4"), *((byte, "i2") for byte in range(3213, 3261, 2)), (3261, "i4"),
    (3265, "i4"), (3269, "u4"), (3273, "f8"), (3281, "f8"), (3289, "u4"), (3293, "i4"), (3297, "i4"), (3503, "i2"),
    (3505, "i2"), (3507, "i2"), (3509, "i2"), (3511, "i2"), (3513, "u8"), (3521, "u8"), (3529, "i4"),
]  # fmt: skip


def make(
    traces: int,
    samples: int,
    *,
    revision: tuple[int, int] = (2, 1),
    additional: int = 0,
    trailers: int = 0,
    trailers_told: int | None = None,
    label: bool = False,
    constant: bool = True,
    interval_us: float = 2000.0,
    order: str = "big",
    extended: int = 0,
    told: bool = True,
    **options,
) -> Segy:
    """A file of `segy_files.make` with all that revision 2 adds.

    `told=False` leaves out what overrides older words: samples, interval, count of traces, byte of the first one.
    """
    is_short = interval_us == int(interval_us)
    short_samples = min(samples, 65535)
    file = segy_files.make(
        traces, short_samples, revision=revision, order=order, extended=extended, interval_us=int(interval_us),
        **options,
    )
    if samples > short_samples:
        file.rows = np.zeros((traces, TRACE_HEADER_BYTES + samples * segy_files.size_of(kind_of(file))), np.uint8)
        file.put_binary(3221, "u2", 0).put_word("tracl", np.arange(1, traces + 1)).put_word("dt", int(interval_us))
        file.put_samples(segy_files.random_samples(file.code, (traces, samples), np.random.default_rng(2)))
    if not is_short:
        file.put_binary(3217, "u2", 0).put_word("dt", 0)
    if constant:
        file.put_binary(3297, "i4", BYTE_ORDER_CONSTANT)
    elif order == "pairwise":
        file.put_binary(3297, "i4", 0)
    if told:
        file.put_binary(3269, "u4", samples).put_binary(3273, "f8", interval_us).put_binary(3513, "u8", traces)
        file.put_binary(3521, "u8", len(file.head))
    file.put_binary(3507, "i4" if revision == (2, 0) else "i2", additional)
    file.put_binary(3529, "i4", trailers if trailers_told is None else trailers_told)
    if additional:
        add_headers(file, additional)
    file.tail = b"".join(segy_files.text_header(what=f"TRAILER {i + 1}") for i in range(trailers))
    if label:
        file.label = tape_label(revision)
    return file


def kind_of(file: Segy) -> str:
    return segy_files.SAMPLE_TYPES[file.code]


def add_headers(file: Segy, additional: int, seed: int = 3) -> Segy:
    """Adds trace header extension 1 with random words, and proprietary headers to the number asked for."""
    random = np.random.default_rng(seed)
    blocks = np.zeros((file.traces, TRACE_HEADER_BYTES * additional), np.uint8)
    at = TRACE_HEADER_BYTES
    samples = file.rows[:, at:]
    many = samples.shape[1] // segy_files.size_of(kind_of(file))
    file.rows = np.concatenate([file.rows[:, :at], blocks, samples], axis=1)
    file.headers += additional
    for byte, kind in EXTENSION_1_WORDS:
        if kind == "f8":
            file.put(240 + byte, kind, random.standard_normal(file.traces) * 1e6)
        else:
            file.put(240 + byte, kind, random.integers(1, 30_000, file.traces))
    file.put(240 + 137, "u4", many).put(240 + 157, "u2", additional)
    names = ["SEG00000", "SEG00001", *(f"MINE{i:04d}" for i in range(2, additional + 1))]
    for i, name in enumerate(names):
        file.rows[:, 240 * i + 232 : 240 * i + 240] = np.frombuffer(name.encode(), np.uint8)
    return file


def tape_label(revision: tuple[int, int]) -> bytes:
    """SEG-Y rev 1, table 1: sequence number, revision, structure, binding edge, largest block, producer, date, ..."""
    text = f"{1:4d}SY{revision[0]}.{revision[1]}RECORDB  1{0:10d}{'THE TESTS':<10}21-NOV-2026{'':12}{'SERIAL':<12}"
    return text.encode("ascii").ljust(128)


def make_su(traces: int, samples: int, *, order: str = "big", **options) -> Segy:
    """Seismic Unix data: bare traces of IEEE floats, with its own words."""
    return as_su(segy_files.make(traces, samples, code=5, order=order, **options))


def as_su(file: Segy, seed: int = 5) -> Segy:
    """Turns a file of IEEE floats and one header per trace into Seismic Unix data with random words of its own."""
    assert file.code == 5 and file.headers == 1
    su = replace(file.copy(), head=np.zeros(0, np.uint8), extended=0, tail=b"", label=b"")
    su.rows[:, 180:240] = 0
    random = np.random.default_rng(seed)
    for byte, kind, name in SU_OWN_WORDS[:-1]:
        values = random.integers(-40, 40, su.traces)
        su.put(byte, kind, values / 4 if kind == "f4" else values if name == "mark" else su.traces)
    return su


def varying(file: Segy, lengths, additional=None) -> bytes:
    """The bytes of `file` with trace i cut to `lengths[i]` samples, which its own header states.

    With `additional[i]` headers more each, extension 1 says so, and the length too (beyond 65,535 it alone can).
    """
    file = file.copy().put_binary(3503, "i2", 0)
    lengths = np.asarray(lengths)
    file.put_word("ns", np.where(lengths > 65535, 0, lengths))
    if additional is not None:
        file.put(240 + 137, "u4", lengths).put(240 + 157, "u2", additional)
    width = segy_files.size_of(kind_of(file))
    parts = [file.label, file.head.tobytes()]
    for i, row in enumerate(file.rows):
        headers = TRACE_HEADER_BYTES * (1 if additional is None else 1 + additional[i])
        parts += [row[:headers].tobytes(), row[file.header_bytes : file.header_bytes + width * lengths[i]].tobytes()]
    return b"".join([*parts, file.tail])


def parse(data: bytes, like: Segy) -> Segy:
    """A file from its bytes, divided as another file is: its head, its headers per trace, its samples, its trailers."""
    raw = np.frombuffer(data, np.uint8)
    label, head, tail = len(like.label), len(like.head), len(like.tail)
    samples = (like.rows.shape[1] - like.header_bytes) // segy_files.size_of(kind_of(like))
    file = replace(like, label=data[:label], head=raw[label : label + head].copy(), tail=data[len(data) - tail :])
    if head:
        file.code = int(file.binary(3225, "i2"))
    width = like.header_bytes + samples * segy_files.size_of(kind_of(file))
    body = raw[label + head : len(data) - tail]
    assert len(body) % width == 0, f"{len(body)} bytes of traces of {width}"
    file.rows = body.reshape(-1, width).copy()
    return file


def gain_values(words, revision: int) -> np.ndarray:
    """Code 4: 8 unused bits, 8 bits of gain, a 16-bit integer, by which it is multiplied as a power of two.

    From revision 2 on it is divided.
    """
    words = np.asarray(words, np.int64)
    values = (words & 0xFFFF).astype(np.uint16).astype(np.int16).astype(np.float64)
    gain = (words >> 16 & 0xFF).astype(np.int32)
    return np.ldexp(values, -gain if revision >= 2 else gain)


