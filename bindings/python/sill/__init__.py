"""Sill: seismic surveys in SEG-Y and Seismic Unix files, as NumPy arrays.

Begin with::

    import sill

    survey = sill.open("shots.sgy")
    survey.traces[1000:2000]            # samples: float32 (traces, samples)
    survey["cdp", "offset"]             # header words of all traces
    survey.where("abs(offset) < 500")   # some of the traces
    sill.create("new.sgy", samples, {"cdp": cdp}, interval=0.002)
    sill.Dataset("u.nc", "w", comm=comm)   # arrays of a simulation, also on ranks of mpi4py
    sill.sort("shots.sgy", output="sorted.sgy", by="cdp,offset")   # a function for each command of the program
"""

from typing import TYPE_CHECKING

from . import _sill, commands as commands
from .arrays import Columns
from .commands import Result, SillWarning
from .dataset import Dataset
from .errors import Error, InputError, IoError, UnknownWordError, UsageError
from .flows import Block, Flow
from .pictures import Picture
from .samples import Traces
from .survey import Gather, Survey, open
from .variable import Dimension, Variable
from .writing import Writer, create, writer

__version__: str = _sill.__version__
mpi: str = _sill.mpi  # the MPI of this build: "openmpi", "mpich", "other" or "none"

__all__ = [
    "Block", "Columns", "Dataset", "Dimension", "Error", "Flow", "Gather", "InputError", "IoError", "Picture", "Result",
    "SillWarning", "Survey", "Traces", "UnknownWordError", "UsageError", "Variable", "Writer", "__version__", "create",
    "mpi", "open", "writer",
]  # fmt: skip


if TYPE_CHECKING:
    from ._signatures import *  # noqa: F403
else:

    def __getattr__(name):
        return commands.attribute_of(__name__, name)


def __dir__() -> list[str]:
    return [*{*globals(), *(name.replace("-", "_") for name in _sill.commands())}]
