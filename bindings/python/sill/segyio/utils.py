"""Functions that segyio 2 has in its module utils."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy

from .layout import parsed


class TraceHeaderLayoutEntry(NamedTuple):
    """A word of a layout."""

    name: str
    byte: int
    type: str
    requires_nonzero_value: bool


def parse_trace_headers_layout(xml: Any) -> dict[str, list[TraceHeaderLayoutEntry]]:
    """Returns the words of each header in the XML of a layout. Local. Raises ValueError: it cannot be read."""
    data = xml.encode("latin-1") if isinstance(xml, str) else bytes(xml)
    return {name: [TraceHeaderLayoutEntry(*parts) for parts in words] for name, words in parsed(data).items()}


def castarray(x: Any, dtype: Any) -> numpy.ndarray:
    """Returns a contiguous, writable array of `dtype`. Local. Warns, with a RuntimeWarning, if `x` is not one."""
    result = numpy.require(x if hasattr(x, "__len__") else list(x), dtype, "CAW")
    if result is not x:
        warnings.warn(f"Implicit conversion from {type(x)} to an array of {result.dtype}", RuntimeWarning, stacklevel=2)
    return result
