"""Names of header words and codes, as segyio has them: plain ints, from the table of words of Sill."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _sill

BINARY_WORDS = _sill.standard_words("binary")  # (byte, type, segyio's name, Seismic Unix's, the layout's, is override)
TRACE_WORDS = _sill.standard_words("trace")
BINARY = {byte: type for byte, type, *_ in BINARY_WORDS}
SU = {su: byte for byte, _, _, su, *_ in (*TRACE_WORDS, *BINARY_WORDS) if su}


class Enum(int):
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


class _Renamed:
    """A name of segyio 1, which warns."""

    def __init__(self, old: str, byte: int) -> None:
        self._old, self._byte = old, byte

    def __get__(self, _: Any, kind: type) -> int:
        warnings.warn(f"{self._old} is deprecated and will be removed in a future version.", DeprecationWarning, stacklevel=2)
        return self._byte


class TraceField(Enum):
    """Words of the trace header, by their first byte (from 1): `TraceField.INLINE_3D` is 189."""


class BinField(Enum):
    """Words of the binary header, by their first byte in the file (from 1): `BinField.Samples` is 3221."""


class SegySampleFormat(Enum):
    """Codes of bytes 3225-3226 of the file."""

    IBM_FLOAT_4_BYTE = 1
    SIGNED_INTEGER_4_BYTE = 2
    SIGNED_SHORT_2_BYTE = 3
    FIXED_POINT_WITH_GAIN_4_BYTE = 4
    IEEE_FLOAT_4_BYTE = 5
    IEEE_FLOAT_8_BYTE = 6
    SIGNED_CHAR_3_BYTE = 7
    SIGNED_CHAR_1_BYTE = 8
    SIGNED_INTEGER_8_BYTE = 9
    UNSIGNED_INTEGER_4_BYTE = 10
    UNSIGNED_SHORT_2_BYTE = 11
    UNSIGNED_INTEGER_8_BYTE = 12
    UNSIGNED_INTEGER_3_BYTE = 15
    UNSIGNED_CHAR_1_BYTE = 16
    NOT_IN_USE_1 = 19
    NOT_IN_USE_2 = 20


class TraceSortingFormat(Enum):
    """Orders of traces: in a crossline-sorted file the inline number varies fastest."""

    UNKNOWN_SORTING = 0
    CROSSLINE_SORTING = 1
    INLINE_SORTING = 2


DTYPES: dict[int, Any] = {
    1: "f4", 2: "i4", 3: "i2", 4: "f4", 5: "f4", 6: "f8", 7: "i4", 8: "i1", 9: "i8", 10: "u4", 11: "u2", 12: "u8",
    15: "u4", 16: "u1",
}  # fmt: skip
_OLD = {
    "Traces": "EnsembleTraces", "AuxTraces": "AuxEnsembleTraces", "ExtTraces": "ExtEnsembleTraces",
    "ExtAuxTraces": "ExtAuxEnsembleTraces",
}  # fmt: skip
for _byte, _, _name, *_ in BINARY_WORDS:
    setattr(BinField, _OLD.get(_name, _name), _byte)
    if _name in _OLD:
        setattr(BinField, _name, _Renamed(_name, _byte))
for _byte, _, _name, *_ in TRACE_WORDS:
    if _name != "header_name":
        setattr(TraceField, _name, _byte)
# Words of revision 1 that later revisions define differently, and unassigned bytes.
for _class, _name, _byte in (
    (TraceField, "SourceEnergyDirectionMantissa", 219), (TraceField, "SourceEnergyDirectionExponent", 223),
    (TraceField, "UnassignedInt1", 233), (TraceField, "UnassignedInt2", 237), (BinField, "Unassigned1", 3301),
    (BinField, "Unassigned2", 3533),
):  # fmt: skip
    setattr(_class, _name, _byte)
