"""What `sill convert` must write, byte for byte, by the standard's tables: the oracle of its tests."""

from dataclasses import replace

import numpy as np
import segy_files
import segy_forms
from segy_files import Segy

WORD_OF = {
    1: "ibm", 2: "int32", 3: "int16", 5: "ieee", 6: "ieee64", 7: "int24", 8: "int8", 9: "int64", 10: "uint32",
    11: "uint16", 12: "uint64", 15: "uint24", 16: "uint8",
}  # fmt: skip
REVISIONS = {"0": (0, 0), "1": (1, 0), "2.0": (2, 0), "2.1": (2, 1)}


def first_revision(code: int) -> int:
    return 0 if code in (1, 2, 3, 5) else 1 if code == 8 else 2


def revision_of(file: Segy) -> tuple[int, int]:
    return int(file.head[3500]), int(file.head[3501])


def trace_words(file: Segy, headers: int) -> list[tuple[int, str]]:
    """All words of the headers of a trace: byte and type."""
    if not len(file.head):
        return [word[:2] for word in (*segy_files.SU_WORDS[:-4], *segy_forms.SU_OWN_WORDS)]
    words = [word[:2] for word in segy_files.SU_WORDS] + segy_forms.LATE_WORDS
    if file.head[3500] < 2:
        # Before revision 2 made three words of 219-224, they were a mantissa and an exponent.
        words = [word for word in words if word[0] not in (219, 221)] + [(219, "i4")]
    if headers > 1:
        words += [(240 + byte, kind) for byte, kind in segy_forms.EXTENSION_1_WORDS]
    return words


def turn(raw: np.ndarray, words, first_byte: int, order: str, to: str) -> np.ndarray:
    """Bytes of headers (last axis) with each word from one byte order into another, all others as they are."""
    turned = raw.copy()
    for byte, kind in words:
        at = slice(byte - first_byte, byte - first_byte + segy_files.size_of(kind))
        turned[..., at] = segy_files.encode(segy_files.decode(raw[..., at], kind, order), kind, to)
    return turned


def binary_words(revision: tuple[int, int]) -> list[tuple[int, str]]:
    if revision == (2, 0):
        return [(b, "i4" if b == 3507 else kind) for b, kind in segy_forms.BINARY_WORDS if b != 3509]
    if revision[0] == 2:
        return segy_forms.BINARY_WORDS
    return [(b, kind) for b, kind in segy_forms.BINARY_WORDS if b < 3261 or 3503 <= b < 3507]


def expected(
    file: Segy,
    *,
    code: int | None = None,
    order: str | None = None,
    revision: tuple[int, int] | None = None,
    samples=None,
    interval_us: float = 2000.0,
    words=None,
) -> Segy:
    """A SEG-Y file in another form, with the samples given.

    Junk where revision 2 has words, and words that are lost before it, are no matter of this function: it serves files
    whose words both revisions have.
    """
    code, order = code or file.code, order or file.order
    before = revision_of(file)
    revision = revision or before
    made = replace(file.copy(), code=code, order=order)
    made.head[3200:3600] = turn(file.head[3200:3600], binary_words(before), 3201, file.order, order)
    if before[0] < 2 and file.binary(3297, "i4") == segy_forms.BYTE_ORDER_CONSTANT:
        made.put_binary(3297, "i4", segy_forms.BYTE_ORDER_CONSTANT)  # readers go by it in any revision
    headers = file.rows[:, : file.header_bytes]
    headers = turn(headers, words or trace_words(file, file.headers), 1, file.order, order)
    kind = segy_files.SAMPLE_TYPES[code]
    raw = file.rows[:, file.header_bytes :]
    if samples is not None:
        raw = segy_files.encode(np.asarray(samples), kind, order).reshape(file.traces, -1)
    elif order != file.order:
        raw = segy_files.encode(file.samples(), kind, order).reshape(raw.shape)
    made.rows = np.concatenate([headers, raw], axis=1)
    many = raw.shape[1] // segy_files.size_of(kind)
    if before[0] == 2:
        made.head[3260:3300] = 0
        made.head[3506:3532] = 0
    if made.head[3296:3300].tobytes() in (b"\1\2\3\4", b"\4\3\2\1", b"\2\1\4\3"):
        made.put_binary(3297, "i4", 16909060)  # also before revision 2: it tells the byte order
    made.put_binary(3217, "u2", interval_us if interval_us == int(interval_us) else 0)
    made.put_binary(3221, "u2", many if many < 65536 else 0).put_binary(3225, "i2", code)
    made.head[3500], made.head[3501] = revision
    made.put_binary(3503, "i2", 1).put_binary(3505, "i2", file.extended)
    if revision[0] == 0:
        made.head[3500:3506] = 0
    if revision[0] == 2:
        made.put_binary(3269, "u4", many).put_binary(3273, "f8", interval_us).put_binary(3297, "i4", 16909060)
        made.put_binary(3507, "i4" if revision == (2, 0) else "i2", file.headers - 1)
        made.put_binary(3513, "u8", file.traces).put_binary(3521, "u8", len(file.head))
        made.put_binary(3529, "i4", len(file.tail) // 3200)
    if file.label:
        made.label = file.label[:4] + f"SY{revision[0]}.{revision[1]}".encode() + file.label[9:]
    return made
