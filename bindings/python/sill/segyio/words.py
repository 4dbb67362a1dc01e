"""Names of header words and codes, as segyio has them: plain ints, from the table of words of Sill."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _sill

BINARY_WORDS = _sill.standard_words("binary")  # (byte, type, segyio's name, Seismic Unix's, the layout's, is override)
TRACE_WORDS = _sill.standard_words("trace")
BINARY = {byte: type for byte, type, *_ in BINARY_WORDS}
SU = {su: byte for byte, _, _, su, *_ in (*TRACE_WORDS, *BINARY_WORDS) if su}
_OLD_BINARY = {
    "Traces": "EnsembleTraces", "AuxTraces": "AuxEnsembleTraces", "ExtTraces": "ExtEnsembleTraces",
    "ExtAuxTraces": "ExtAuxEnsembleTraces",
}  # fmt: skip


class _Names(type):
    """Warns of names that segyio 2 renamed."""

    def __getattr__(cls, name: str) -> int:
        if name not in _OLD_BINARY or cls is not BinField:
            raise AttributeError(f"{cls.__name__} has no word {name}")
        warnings.warn(f"{name} is deprecated and will be removed in a future version.", DeprecationWarning, stacklevel=2)
        return getattr(cls, _OLD_BINARY[name])


class Enum(int, metaclass=_Names):
    """An int with a name: the attributes of the class are the names."""

    @classmethod
    def enums(cls) -> list[Enum]:
        """Returns all values, in order."""
        return [cls(value) for value in sorted(set(named(cls).values()))]

    def __str__(self) -> str:
        return next((name for name, value in named(type(self)).items() if value == int(self)), "Unknown Enum")

    __repr__ = __str__


def named(kind: type) -> dict[str, int]:
    """Returns the values of an `Enum` by name."""
    return {name: value for name, value in vars(kind).items() if isinstance(value, int)}


class TraceField(Enum):
    """Words of the trace header, by their first byte (from 1): `TraceField.INLINE_3D` is 189."""


class BinField(Enum):
    """Words of the binary header, by their first byte in the file (from 1): `BinField.Samples` is 3221."""


class SegySampleFormat(Enum):
    """Codes of bytes 3225-3226 of the file."""

    IBM_FLOAT_4_BYTE, SIGNED_INTEGER_4_BYTE, SIGNED_SHORT_2_BYTE, FIXED_POINT_WITH_GAIN_4_BYTE = 1, 2, 3, 4
    IEEE_FLOAT_4_BYTE, IEEE_FLOAT_8_BYTE, SIGNED_CHAR_3_BYTE, SIGNED_CHAR_1_BYTE = 5, 6, 7, 8
    SIGNED_INTEGER_8_BYTE, UNSIGNED_INTEGER_4_BYTE, UNSIGNED_SHORT_2_BYTE, UNSIGNED_INTEGER_8_BYTE = 9, 10, 11, 12
    UNSIGNED_INTEGER_3_BYTE, UNSIGNED_CHAR_1_BYTE, NOT_IN_USE_1, NOT_IN_USE_2 = 15, 16, 19, 20


class FileFormat(SegySampleFormat):
    """The sample format of a file: as str, its description in segyio."""

    def __str__(self) -> str:
        return _DESCRIPTIONS.get(int(self), "Unknown format")

    __repr__ = __str__


class TraceSortingFormat(Enum):
    """Orders of traces: in a crossline-sorted file the inline number varies fastest."""

    UNKNOWN_SORTING, CROSSLINE_SORTING, INLINE_SORTING = 0, 1, 2


DTYPES: dict[int, Any] = {
    1: "f4", 2: "i4", 3: "i2", 4: "f4", 5: "f4", 6: "f8", 7: "i4", 8: "i1", 9: "i8", 10: "u4", 11: "u2", 12: "u8",
    15: "u4", 16: "u1",
}  # fmt: skip
_DESCRIPTIONS = {
    1: "4-byte IBM float", 2: "4-byte signed integer", 3: "2-byte signed integer", 4: "4-byte fixed point with gain",
    5: "4-byte IEEE float", 6: "8-byte IEEE float", 7: "3-byte signed integer", 8: "1-byte signed char",
    9: "8-byte signed integer", 10: "4-byte unsigned integer", 11: "2-byte unsigned integer",
    12: "8-byte unsigned integer", 15: "3-byte unsigned integer", 16: "1-byte unsigned char",
}  # fmt: skip
for _class, _name, _byte in (
    *((BinField, _OLD_BINARY.get(name, name), byte) for byte, _, name, *_ in BINARY_WORDS),
    *((TraceField, name, byte) for byte, _, name, *_ in TRACE_WORDS if name != "header_name"),
    # Words of revision 1 that later revisions define differently, and unassigned bytes.
    (TraceField, "SourceEnergyDirectionMantissa", 219), (TraceField, "SourceEnergyDirectionExponent", 223),
    (TraceField, "UnassignedInt1", 233), (TraceField, "UnassignedInt2", 237), (BinField, "Unassigned1", 3301),
    (BinField, "Unassigned2", 3533),
):  # fmt: skip
    setattr(_class, _name, _byte)
