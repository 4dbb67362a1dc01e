"""Names of header words in Seismic Unix, and `open` for Seismic Unix files."""

from __future__ import annotations

from typing import Any

from ..words import BINARY_WORDS, TRACE_WORDS

globals().update({su: byte for byte, _, _, su, *_ in (*TRACE_WORDS, *BINARY_WORDS) if su})
sedm, sede, stat, uint1, uint2, unas1, unas2 = 219, 223, 135, 233, 237, 3301, 3533  # names in segyio 1


def open(
    filename: Any, mode: str = "r", iline: int = 189, xline: int = 193, strict: bool = True, ignore_geometry: bool = False,
    endian: str | None = "big",
) -> Any:  # fmt: skip
    """Opens a Seismic Unix file. Local. As `sill.segyio.open`; `f.text` and `f.bin` raise NotImplementedError."""
    from ..opening import open_source
    from ..source import Source

    source = Source.of_path(filename, mode)
    return open_source(source, iline, xline, strict, ignore_geometry, endian, None, None, kind="su")
