"""Names of header words in Seismic Unix, and `open` for Seismic Unix files."""

from __future__ import annotations

from typing import Any

from ..words import SU

globals().update(SU)
sedm, sede, stat, uint1, uint2, unas1, unas2 = 219, 223, 135, 233, 237, 3301, 3533  # names in segyio 1


def open(filename: Any, mode: str = "r", iline: int = 189, xline: int = 193, strict: bool = True,
         ignore_geometry: bool = False, endian: str | None = None) -> Any:  # fmt: skip
    """Opens a Seismic Unix file. Local. As `sill.segyio.open`, also for `endian`; `f.text` and `f.bin` raise
    NotImplementedError."""
    from ..opening import open_source
    from ..source import Source

    return open_source(Source.of_path(filename, mode), iline, xline, strict, ignore_geometry, endian, kind="su")
