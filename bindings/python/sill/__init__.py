"""Sill: seismic surveys in SEG-Y and Seismic Unix files, as NumPy arrays.

    import sill
    survey = sill.open("shots.sgy")
    survey.traces[1000:2000]            # samples: float32 (traces, samples)
    survey["cdp", "offset"]             # header words of all traces
    survey.where("abs(offset) < 500")   # a selection
"""

from ._sill import __version__
from .errors import Error, InputError, IoError, UnknownWordError, UsageError
from .survey import Columns, Survey, Traces, open

__all__ = [
    "Columns", "Error", "InputError", "IoError", "Survey", "Traces", "UnknownWordError", "UsageError", "__version__", "open",
]  # fmt: skip
