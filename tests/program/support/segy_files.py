"""An independent little SEG-Y writer and reader: the oracle of the program's tests.

It shares nothing with the program: numpy and the byte positions of the standard are all it knows. A file is held as
its head (text header, binary header, extended text headers) and a two-dimensional array of bytes, one row a trace, so
that a sorted file is `rows[order]` and a test compares whole files byte for byte.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

TRACE_HEADER_BYTES = 240
TEXT_BYTES = 3200
BINARY_BYTES = 400
# Of code 4 (fixed point with gain) the whole word; `segy_forms.gain_values` tells what it means.
SAMPLE_TYPES = {
    1: "ibm4", 2: "i4", 3: "i2", 4: "u4", 5: "f4", 6: "f8", 7: "i3", 8: "i1", 9: "i8", 10: "u4", 11: "u2", 12: "u8",
    15: "u3", 16: "u1",
}  # fmt: skip

# Byte (from 1), type, Seismic Unix name.
SU_WORDS = [
    (1, "i4", "tracl"), (5, "i4", "tracr"), (9, "i4", "fldr"), (13, "i4", "tracf"), (17, "i4", "ep"),
    (21, "i4", "cdp"), (25, "i4", "cdpt"), (29, "i2", "trid"), (31, "i2", "nvs"), (33, "i2", "nhs"),
    (35, "i2", "duse"), (37, "i4", "offset"), (41, "i4", "gelev"), (45, "i4", "selev"), (49, "i4", "sdepth"),
    (53, "i4", "gdel"), (57, "i4", "sdel"), (61, "i4", "swdep"), (65, "i4", "gwdep"), (69, "i2", "scalel"),
    (71, "i2", "scalco"), (73, "i4", "sx"), (77, "i4", "sy"), (81, "i4", "gx"), (85, "i4", "gy"),
    (89, "i2", "counit"), (91, "i2", "wevel"), (93, "i2", "swevel"), (95, "i2", "sut"), (97, "i2", "gut"),
    (99, "i2", "sstat"), (101, "i2", "gstat"), (103, "i2", "tstat"), (105, "i2", "laga"), (107, "i2", "lagb"),
    (109, "i2", "delrt"), (111, "i2", "muts"), (113, "i2", "mute"), (115, "u2", "ns"), (117, "u2", "dt"),
    (119, "i2", "gain"), (121, "i2", "igc"), (123, "i2", "igi"), (125, "i2", "corr"), (127, "i2", "sfs"),
    (129, "i2", "sfe"), (131, "i2", "slen"), (133, "i2", "styp"), (135, "i2", "stas"), (137, "i2", "stae"),
    (139, "i2", "tatyp"), (141, "i2", "afilf"), (143, "i2", "afils"), (145, "i2", "nofilf"), (147, "i2", "nofils"),
    (149, "i2", "lcf"), (151, "i2", "hcf"), (153, "i2", "lcs"), (155, "i2", "hcs"), (157, "i2", "year"),
    (159, "i2", "day"), (161, "i2", "hour"), (163, "i2", "minute"), (165, "i2", "sec"), (167, "i2", "timbas"),
    (169, "i2", "trwf"), (171, "i2", "grnors"), (173, "i2", "grnofr"), (175, "i2", "grnlof"), (177, "i2", "gaps"),
    (179, "i2", "otrav"), (181, "i4", "cdpx"), (185, "i4", "cdpy"), (189, "i4", "iline"), (193, "i4", "xline"),
]  # fmt: skip

STANDARD_WORDS = [
    (1, "i4", "trace_seq_num_line"), (9, "i4", "orig_field_record_num"), (17, "i4", "energy_source_point_num"),
    (21, "i4", "ensemble_num"), (37, "i4", "source_to_receiver_distance"), (71, "i2", "coordinate_scalar"),
    (73, "i4", "source_coord_x"), (77, "i4", "source_coord_y"), (81, "i4", "group_coord_x"),
    (85, "i4", "group_coord_y"), (109, "i2", "delay_recording_time"), (181, "i4", "cdp_x"), (185, "i4", "cdp_y"),
    (189, "i4", "inline"), (193, "i4", "crossline"),
]  # fmt: skip

WORDS = {name: (byte, kind) for byte, kind, name in SU_WORDS}


def size_of(kind: str) -> int:
    """Bytes of a type such as i4, u2, f8, ibm4."""
    return int(kind[-1])


def ibm_words(values) -> np.ndarray:
    """IBM System/360 single precision nearest to `values`, ties to even, as uint32."""
    values = np.asarray(values, dtype=np.float64)
    mantissa, exponent = np.frexp(np.abs(values))  # |v| = mantissa * 2**exponent, mantissa in [0.5, 1)
    hexadecimal = -(-exponent // 4)  # ceil: |v| = fraction * 16**hexadecimal, fraction in [1/16, 1)
    fraction = np.rint(np.ldexp(mantissa, exponent - 4 * hexadecimal + 24)).astype(np.int64)
    carried = fraction == 1 << 24
    fraction = np.where(carried, fraction >> 4, fraction)
    biased = np.where(fraction == 0, 0, hexadecimal + carried + 64)
    if np.any((biased < 0) | (biased > 127)):
        raise ValueError("a value is out of the range of IBM single precision")
    sign = np.where(np.signbit(values) & (fraction != 0), 1 << 31, 0)
    return (sign | biased << 24 | fraction).astype(np.uint32)


def ibm_values(words) -> np.ndarray:
    """The exact value of IBM words, normalised or not, as float64."""
    words = np.asarray(words, dtype=np.int64)
    fraction = np.ldexp((words & 0xFFFFFF).astype(np.float64), -24)
    magnitude = np.ldexp(fraction, (4 * ((words >> 24 & 0x7F) - 64)).astype(np.int32))
    return np.where(words >> 31 & 1, -magnitude, magnitude)


def encode(values, kind: str, order: str) -> np.ndarray:
    """Bytes of `values` as `kind` in `order`: uint8 of the shape of `values` and one axis more.

    Widths that numpy has not (i3, u6) are cut from 8 bytes; not for pairwise order, which leaves them undefined.
    """
    if kind == "ibm4":
        native = ibm_words(values)
    elif size_of(kind) in (3, 5, 6, 7):
        wide = encode(values, kind[0] + "8", order)
        return wide[..., : size_of(kind)] if order == "little" else wide[..., 8 - size_of(kind) :]
    elif kind[0] == "f":
        native = np.asarray(values, dtype=kind)
    else:
        # Through int64 or uint64, so that -1 stored in an unsigned field is a mistake that shows.
        native = np.asarray(values, dtype=np.uint64 if kind[0] == "u" else np.int64).astype(kind)
    swapped = native.astype(native.dtype.newbyteorder("<" if order == "little" else ">"))
    raw = np.frombuffer(swapped.tobytes(), dtype=np.uint8).reshape(*native.shape, native.dtype.itemsize)
    return swap_pairs(raw) if order == "pairwise" else raw


def decode(raw: np.ndarray, kind: str, order: str) -> np.ndarray:
    """What `encode` undoes: raw's last axis holds the bytes of one value."""
    if size_of(kind) in (3, 5, 6, 7):
        ends = raw[..., -1:] if order == "little" else raw[..., :1]
        fill = np.where(ends >= 128, 255, 0).astype(np.uint8) if kind[0] == "i" else np.zeros_like(ends)
        filling = np.repeat(fill, 8 - size_of(kind), axis=-1)
        parts = [raw, filling] if order == "little" else [filling, raw]
        return decode(np.concatenate(parts, axis=-1), kind[0] + "8", order)
    raw = np.ascontiguousarray(swap_pairs(raw) if order == "pairwise" else raw)
    stored = np.dtype("u4" if kind == "ibm4" else kind).newbyteorder("<" if order == "little" else ">")
    native = raw.view(stored)[..., 0].astype(stored.newbyteorder("="))
    return ibm_values(native) if kind == "ibm4" else native


def swap_pairs(raw: np.ndarray) -> np.ndarray:
    """Bytes 1 2 3 4 as 2 1 4 3; one byte alone stays."""
    size = raw.shape[-1]
    return raw if size == 1 else raw.reshape(*raw.shape[:-1], size // 2, 2)[..., ::-1].reshape(raw.shape)


@dataclass
class Segy:
    """A SEG-Y file in memory. `rows[i]` is trace i: its headers of 240 bytes each, then its samples.

    Seismic Unix data has an empty head.
    """

    head: np.ndarray
    rows: np.ndarray
    order: str = "big"
    code: int = 5
    extended: int = 0
    tail: bytes = field(default=b"")
    headers: int = 1
    label: bytes = field(default=b"")

    @property
    def header_bytes(self) -> int:
        return TRACE_HEADER_BYTES * self.headers

    @property
    def traces(self) -> int:
        return len(self.rows)

    @property
    def first_trace_byte(self) -> int:
        return len(self.label) + len(self.head)

    def put(self, byte: int, kind: str, values) -> "Segy":
        """Sets the trace-header word at `byte` (from 1) of all traces."""
        size = size_of(kind)
        self.rows[:, byte - 1 : byte - 1 + size] = encode(values, kind, self.order)  # one value per trace, or one for all
        return self

    def put_word(self, name: str, values) -> "Segy":
        return self.put(*WORDS[name], values)

    def get(self, byte: int, kind: str) -> np.ndarray:
        return decode(self.rows[:, byte - 1 : byte - 1 + size_of(kind)], kind, self.order)

    def word(self, name: str) -> np.ndarray:
        return self.get(*WORDS[name])

    def put_binary(self, byte: int, kind: str, value) -> "Segy":
        """Sets the binary-header word at `byte` of the file (3201 to 3600)."""
        self.head[byte - 1 : byte - 1 + size_of(kind)] = encode(value, kind, self.order)
        return self

    def binary(self, byte: int, kind: str):
        return decode(self.head[byte - 1 : byte - 1 + size_of(kind)], kind, self.order)[()]

    def put_samples(self, values) -> "Segy":
        raw = self.rows[:, self.header_bytes :]
        raw[:] = encode(values, SAMPLE_TYPES[self.code], self.order).reshape(raw.shape)
        return self

    def samples(self) -> np.ndarray:
        kind = SAMPLE_TYPES[self.code]
        raw = self.rows[:, self.header_bytes :]
        return decode(raw.reshape(self.traces, -1, size_of(kind)), kind, self.order)

    def copy(self) -> "Segy":
        return replace(self, head=self.head.copy(), rows=self.rows.copy())

    def permuted(self, order) -> "Segy":
        """The same file with its traces in another order."""
        other = self.copy()
        other.rows = self.rows[np.asarray(order)]
        return other

    def with_sorting_code(self, code: int) -> "Segy":
        return self.copy().put_binary(3229, "i2", code)

    def to_bytes(self) -> bytes:
        return self.label + self.head.tobytes() + self.rows.tobytes() + self.tail

    def write(self, path) -> Path:
        path = Path(path)
        path.write_bytes(self.to_bytes())
        return path


def text_header(encoding: str = "EBCDIC", what: str = "MADE BY THE TESTS OF SILL") -> bytes:
    lines = "".join(f"C{i:2d} {what if i == 1 else '':<76}" for i in range(1, 41))
    return lines.encode("cp037" if encoding == "EBCDIC" else "ascii")


def make(
    traces: int,
    samples: int,
    *,
    code: int = 5,
    order: str = "big",
    revision: tuple[int, int] = (1, 0),
    extended: int = 0,
    text: str = "EBCDIC",
    interval_us: int = 2000,
    seed: int = 1,
) -> Segy:
    """A file whose every sample and many of whose header words are random but fit their words.

    The trace numbers, ns, dt and coordinate words are sound; nothing else of the geometry is. Of revision 2 this has
    only the number: `segy_forms` has the rest.
    """
    head = np.zeros(TEXT_BYTES + BINARY_BYTES + extended * TEXT_BYTES, dtype=np.uint8)
    head[:TEXT_BYTES] = np.frombuffer(text_header(text), dtype=np.uint8)
    for i in range(extended):
        start = TEXT_BYTES + BINARY_BYTES + i * TEXT_BYTES
        head[start : start + TEXT_BYTES] = np.frombuffer(text_header(text, f"EXTENDED {i + 1}"), dtype=np.uint8)
    width = TRACE_HEADER_BYTES + samples * size_of(SAMPLE_TYPES[code])
    file = Segy(head, np.zeros((traces, width), dtype=np.uint8), order, code, extended)

    for byte, kind, value in [
        (3201, "i4", 1), (3205, "i4", 7), (3209, "i4", 3), (3213, "i2", 12), (3217, "u2", interval_us),
        (3219, "u2", interval_us), (3221, "u2", samples), (3223, "u2", samples), (3225, "i2", code), (3227, "i2", 1),
        (3229, "i2", 1), (3255, "i2", 1), (3503, "i2", 1 if revision[0] else 0), (3505, "i2", extended),
    ]:  # fmt: skip
        file.put_binary(byte, kind, value)
    file.head[3500], file.head[3501] = revision
    if order == "pairwise":
        # Only 32-bit words can tell pairwise from little; give a reader all the evidence there is.
        file.put_binary(3297, "i4", 16909060)

    random = np.random.default_rng(seed)
    count = np.arange(1, traces + 1)
    words = {
        "tracl": count, "tracr": count, "fldr": 100 + (count - 1) // 12, "tracf": 1 + (count - 1) % 12,
        "ep": 500 + (count - 1) // 12, "cdp": random.integers(1, max(2, traces // 6), traces),
        "cdpt": random.integers(1, 50, traces), "trid": 1, "offset": random.integers(-40, 41, traces) * 25,
        "gelev": random.integers(-500, 500, traces), "scalel": 1, "scalco": -100,
        "sx": 43_000_000 + random.integers(0, 500_000, traces), "sy": 6_500_000 + random.integers(0, 50_000, traces),
        "gx": 43_000_000 + random.integers(0, 500_000, traces), "gy": 6_500_000 + random.integers(0, 50_000, traces),
        "counit": 1, "delrt": random.integers(0, 100, traces), "ns": samples, "dt": interval_us, "year": 2024,
        "day": random.integers(1, 366, traces), "iline": random.integers(1000, 1030, traces),
        "xline": random.integers(-30, 0, traces),
    }  # fmt: skip
    for name, values in words.items():
        file.put_word(name, values)
    file.put_samples(random_samples(code, (traces, samples), random))
    return file


def random_samples(code: int, shape, random) -> np.ndarray:
    if code in (1, 5, 6):
        return (random.standard_normal(shape) * 1000).astype(np.float32)
    low, high = integer_range(SAMPLE_TYPES[code])
    return random.integers(low, high, shape, dtype=np.int64 if low else np.uint64, endpoint=True)


def integer_range(kind: str) -> tuple[int, int]:
    """The least and the largest integer of a type such as i3 or u8."""
    bits = 8 * size_of(kind)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)


def parse(data: bytes, *, order: str = "big", extended: int = 0) -> Segy:
    """A file from its bytes, with the byte order and the count of extended headers told by the caller."""
    raw = np.frombuffer(data, dtype=np.uint8)
    head = raw[: TEXT_BYTES + BINARY_BYTES + extended * TEXT_BYTES].copy()
    file = Segy(head, np.zeros((0, TRACE_HEADER_BYTES), dtype=np.uint8), order, 5, extended)
    file.code = int(file.binary(3225, "i2"))
    samples = int(file.binary(3221, "u2"))
    width = TRACE_HEADER_BYTES + samples * size_of(SAMPLE_TYPES[file.code])
    body = raw[len(head) :]
    whole = len(body) // width
    file.rows = body[: whole * width].reshape(whole, width).copy()
    file.tail = body[whole * width :].tobytes()
    return file


def read(path, **told) -> Segy:
    return parse(Path(path).read_bytes(), **told)


def key_values(file: Segy, key: str, file_numbers=None) -> np.ndarray:
    """The values of a key as the program names keys, in float64 (integers of 8 bytes stay integers)."""
    if inside := re.fullmatch(r"abs\((.+)\)", key):
        values = key_values(file, inside.group(1), file_numbers)
        # The absolute value of the least integer does not fit its own type.
        return np.abs(values) if values.dtype.kind == "f" else np.array([abs(int(v)) for v in values], dtype=object)
    if key == "file":
        return np.asarray(file_numbers)
    if placed := re.fullmatch(r"@(\d+):(\w+)", key):
        return file.get(int(placed.group(1)), placed.group(2))
    if key in ("calc_offset", "azimuth", "midpoint_x", "midpoint_y"):
        return derived(file, key)
    return file.word(key.lower())


def derived(file: Segy, key: str) -> np.ndarray:
    scalar = file.word("scalco").astype(np.float64)
    factor_up = np.where(scalar > 0, scalar, 1.0)
    factor_down = np.where(scalar < 0, -scalar, 1.0)
    sx, sy, gx, gy = (file.word(name).astype(np.float64) * factor_up / factor_down for name in ("sx", "sy", "gx", "gy"))
    if key == "calc_offset":
        return np.hypot(gx - sx, gy - sy)
    if key == "azimuth":
        return np.degrees(np.arctan2(gx - sx, gy - sy)) % 360.0
    return (sx + gx) / 2 if key == "midpoint_x" else (sy + gy) / 2


def ranks_of(values) -> np.ndarray:
    """Dense ranks in ascending order, equal for equal values (0.0 and -0.0 too), NaN as the last."""
    values = np.asarray(values)
    if values.dtype.kind == "f":
        ordinary = values[~np.isnan(values)]
        unique = np.unique(ordinary + 0.0)
        return np.where(np.isnan(values), len(unique), np.searchsorted(unique, values))
    unique = sorted(set(values.tolist()))
    index = {value: i for i, value in enumerate(unique)}
    return np.array([index[value] for value in values.tolist()], dtype=np.int64)


def sort_order(file: Segy, keys: list[str], file_numbers=None) -> np.ndarray:
    """The stable order of the traces by `keys`: `-` descends, NaN stands last either way."""
    columns = []
    for key in keys:
        descending = key.startswith("-")
        values = key_values(file, key.lstrip("-"), file_numbers)
        ranks = ranks_of(values)
        if descending:
            ranks = -ranks
            if values.dtype.kind == "f":
                ranks = np.where(np.isnan(values), 1, ranks)
        columns.append(ranks)
    return np.lexsort(tuple(reversed(columns)))
