"""The interface of segyio, over Sill: ``import sill.segyio as segyio``.

    with segyio.open("cube.sgy") as f:
        f.iline[1200], f.trace[7], f.header[7][segyio.TraceField.CDP], f.attributes(189)[:]

What differs from segyio is in docs/python-segyio.md.
"""

import sys as _sys
from types import ModuleType as _ModuleType

from .. import __version__
from . import field, line, su, tools, trace, utils, words
from .opening import UnknownFileError, create, create_with, open, open_from_memory, open_with
from .segy import SegyFile, spec
from .source import AccessError
from .tools import collect, create_text_header, cube, dt, native, sample_indexes
from .words import BinField, Enum, SegySampleFormat, TraceField, TraceSortingFormat

for _kind in (BinField, SegySampleFormat, TraceField, TraceSortingFormat, line.Depth):  # modules that segyio has
    _module = _ModuleType(f"{__name__}.{_kind.__name__.lower()}")
    setattr(_module, _kind.__name__, _kind)
    _module.keys = words.named(_kind)  # type: ignore[attr-defined]
    _sys.modules[_module.__name__] = globals()[_kind.__name__.lower()] = _module
_sys.modules[f"{__name__}.gather"] = gather = line

__all__ = [
    "AccessError", "BinField", "Enum", "SegyFile", "SegySampleFormat", "TraceField", "TraceSortingFormat",
    "UnknownFileError", "__version__", "binfield", "collect", "create", "create_text_header", "create_with", "cube", "depth",
    "dt", "field", "gather", "line", "native", "open", "open_from_memory", "open_with", "sample_indexes", "spec", "su",
    "segysampleformat", "tools", "trace", "tracefield", "tracesortingformat", "utils", "words",
]  # fmt: skip
