"""Arrays of simulations in netCDF, HDF5, VTK, Tecplot and raw files, written and read by all ranks together.

The names are those of netCDF4-python, where it has them.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from . import _sill
from .arrays import index_in, integer, plain
from .attributes import Attributes
from .errors import WRONG_TYPE, UsageError, argument, attempt, usage_error
from .variable import TEXT, Dimension, Part, Variable

_FORMATS = {"NETCDF3_CLASSIC": 1, "NETCDF3_64BIT": 2, "NETCDF3_64BIT_OFFSET": 2, "NETCDF3_64BIT_DATA": 5}


def _name_of(dtype: Any) -> str:
    """Returns the name of a type of elements, as in sill::ElementType."""
    dtype = np.dtype(dtype)
    return "text" if dtype == TEXT else f"{dtype.kind}{dtype.itemsize}"


# Containers, and endings of their names, whose files do not describe all that a run needs to continue them.
_WITHOUT_DESCRIPTION = ("vti", "vtr", "vts", "vtkhdf", "tecplot", "plt", "raw", "checkpoint")


def _fill_of(dtype: np.dtype[Any], fill_value: Any) -> Any:
    """Returns a fill value in the type of its variable."""
    if isinstance(fill_value, bool):
        raise usage_error("fill_value is a bool", "use fill=False of the dataset for no fill values", number=WRONG_TYPE)
    with np.errstate(over="ignore"):
        fill = plain(fill_value).astype(dtype)[()]
    if fill != fill_value if dtype.kind in "iu" else dtype.kind == "f" and np.isinf(fill) and not np.isinf(fill_value):
        raise usage_error(f"fill_value is {fill_value!r}, but the variable has the type {dtype}", "use a value of this type")
    return fill


class Dataset(Attributes):
    """Arrays of a simulation in files that other programs read (docs/arrays.md). A context manager.

    Collective over `comm`, as all functions that write, read or close; an error is the same on all ranks. Leaving ``with``
    by an exception does not complete the step that is being written, nor wait for other ranks.

    Args:
        path: the file; its ending selects the container: netCDF, ``.h5``, ``.nc4``, ``.vtkhdf``, ``.zarr``, ``.vti``,
            ``.vtr``, ``.vts``, ``.plt``, ``.raw``, ``.checkpoint``
        mode: "r" to read, "w" to replace a file, "x" to refuse an existing one, "a" to continue one. Without `dims`, "a"
            takes the description from netCDF, HDF5 and Zarr files; other containers need all of it again. VTKHDF files
            cannot be continued.
        dims: lengths of dimensions by name; None for the unlimited one, along which steps are written
        at: the block of this rank: a slice for each dimension that is distributed, ``{"x": slice(x0, x1)}``
        comm: a communicator of mpi4py; None for this process alone
        format: "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET" or "NETCDF3_64BIT_DATA"; by default as the data requires
        container: "netcdf", "pnetcdf", "hdf5", "netcdf4", "vtkhdf", "checkpoint", "vti", "vtr", "vts", "tecplot",
            "zarr" or "raw", in place of the ending
        steps: for VTKHDF, and for contiguous HDF5 and netCDF-4: the number of steps for which a new file has room;
            HDF5 and netCDF-4 are chunked without it, or with `codec` or `chunks`
        codec: for Zarr, HDF5 and netCDF-4: "none", "deflate:LEVEL" (1 to 9) or "zstd:LEVEL" (1 to 19); or a dict of
            codecs by the names of variables, in which "" stands for all other variables. "shuffle+" before a codec
            sorts bytes by significance; "bitround:BITS+" before it rounds a named variable to this many bits of the
            mantissa
        chunks: for Zarr, HDF5 and netCDF-4: the shape of the chunks, without the steps, of variables with as many
            dimensions; by default the longest dimension is halved until a chunk has at most 2 MiB
        first_step: with "a", the first step to write again
        align, variable_align, record_align: alignments in a netCDF file, in bytes; for HDF5 and netCDF-4 only `align`
        fill: False if all elements are written, so that netCDF files need no fill values
        field_data: True stores variables that are not at the points of the grid as VTK field data
        missing: "fill" reads elements that the file lacks as fill values; by default they are an error
        policy: how data is moved and written (docs/policies.md); the bytes are the same
        memory: bytes of buffers per rank; 0: a quarter of the node's, shared
        threads: per rank; 0: the cores of the rank
        report: the file that `close` writes the costs to: JSON, ``.txt`` or ``.html``
        options: a TOML file of options (docs/options.md)
        environment: whether SILL_OPTIONS, SILL_POLICY and SILL_LAYOUT override these options

    Raises:
        UsageError: a communicator of another MPI, wrong options, an existing file
        InputError: a file that cannot be read or continued
        IoError: the system reported an error
    """

    def __init__(
        self, path: str | os.PathLike[str], mode: str = "r", *, dims: Mapping[str, int | None] | None = None,
        at: Mapping[str, slice] | None = None, comm: Any = None, format: str = "", container: str = "",
        first_step: int | None = None, align: int = 512, variable_align: int = 4, record_align: int = 4, fill: bool = True,
        field_data: bool = False, steps: int | None = None, codec: str | Mapping[str, str] = "",
        chunks: Sequence[int] | None = None,
        missing: str = "refuse", policy: str = "", memory: int = 0, threads: int = 0, report: str = "",
        options: str | os.PathLike[str] = "", environment: bool = True,
    ) -> None:  # fmt: skip
        @argument("an option", "use the types that help(sill.Dataset) states")
        def given() -> tuple[str, dict[str, Any], dict[str, Any]]:
            with argument("dims or at", "pass dicts: dims={'x': 100}, at={'x': slice(0, 50)}"):
                self._at, lengths = dict(at or {}), dict(dims or {})
            if wrong := [name for name in lengths if not isinstance(name, str)]:
                raise usage_error(f"{wrong[0]!r} is no name of a dimension", "name it by a str", number=WRONG_TYPE)
            lengths = {
                name: None if length is None else integer(length, f"dimension {name}") or None for name, length in lengths.items()
            }
            if mode not in ("r", "w", "x", "a"):
                raise usage_error(f"the mode is {mode!r}", 'use "r", "w", "x" or "a"')
            if wrong := [name for name, block in self._at.items() if not isinstance(block, slice)]:
                raise usage_error(f"at[{wrong[0]!r}] is no slice", "at={'x': slice(x0, x1)}", number=WRONG_TYPE)
            if format and format not in _FORMATS:
                raise usage_error(f"the format is {format!r}", f"use one of {', '.join(_FORMATS)}")
            if missing not in ("refuse", "fill"):
                raise usage_error(f"missing is {missing!r}", 'use "refuse" or "fill"')
            found = {
                "container": container, "version": _FORMATS.get(format, 0), "align": align,
                "variable_align": variable_align, "record_align": record_align, "fill": fill, "field_data": field_data,
                "policy": policy, "memory": memory, "threads": threads, "report": os.fspath(report),
                "options": os.fspath(options), "environment": environment,
            }  # fmt: skip
            if first_step is not None:
                found["first_step"] = first_step
            if steps is not None:
                found["steps"] = steps
            if codec:
                with argument("codec", 'pass a str, "zstd:3", or a dict of them: {"u": "zstd:3", "": "none"}'):
                    codecs = {"": codec} if isinstance(codec, str) else dict(codec)
                    found["codec"] = ["=".join(each).removeprefix("=") for each in codecs.items()]
            if chunks is not None:
                found["chunks"] = list(chunks)
            return os.fspath(path), lengths, found | ({"missing": missing} if missing == "fill" else {})

        self._at: dict[str, Any] = {}
        (self._path, lengths, settings), problem = attempt(given, ("", {}, {}))
        self._mode = mode if isinstance(mode, str) else ""
        self._handle = _sill.Dataset(comm, os.fsencode(self._path), self._mode, settings, problem)
        for each in self._handle.left_out() if self._mode == "r" and self._handle.rank == 0 else []:
            warnings.warn(f"{self._path} is read without {each}", stacklevel=2)
        if mode == "a" and dims is None:
            try:
                self._handle.begin()
            except UsageError as error:
                if (container or os.path.splitext(self._path)[1][1:]) not in _WITHOUT_DESCRIPTION:
                    raise
                action = f"{error.action}; only netCDF, HDF5 and Zarr files are continued without dims= and variables"
                raise usage_error(error.problem, action, self._path, error._parts[5]) from None
        for name, length in lengths.items():
            self.createDimension(name, length)

    def _of(self) -> Dataset:
        return self

    def _step(self, step: int) -> int:
        return index_in(step, self.steps, "step") if self.steps or step else 0

    def __repr__(self) -> str:
        return f"<sill.Dataset {self._path}: {', '.join(self.variables)}>"

    # Description: local, the same on all ranks, before the first write.

    def createDimension(self, name: str, size: int | None = None) -> Dimension:
        """Local. Defines a dimension; None (or 0) is the unlimited one. Raises UsageError after the first write."""
        with argument(f"dimension {name}", "name it by a str; its length is an integer, or None"):
            self._handle.define_dimension(name, size or None)
        return self.dimensions[name]

    def createVariable(
        self, name: str, datatype: Any, dimensions: str | tuple[str, ...] = (), fill_value: Any = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> Variable:  # fmt: skip
        """Local. Defines a variable of integers, float32, float64 or S1. The unlimited dimension comes first.

        Raises UsageError for another type and after the first write; errors of names are raised by the first write.
        """
        names = [dimensions] if isinstance(dimensions, str) else list(dimensions)
        given = {} if fill_value is None else {"_FillValue": _fill_of(np.dtype(datatype), fill_value)}
        self._handle.define_variable(name, _name_of(datatype), names)
        variable = self[name]
        variable.setncatts(given | dict(attributes or {}))
        return variable

    def createCoordinate(self, dimension: str, axis: str, units: str, positive: str = "", standard_name: str = "") -> Variable:
        """Local. Defines the coordinate variable of a dimension by the CF conventions: f8, `axis` "T", "X", "Y" or "Z".

        Raises UsageError for units and directions that CF does not have (docs/arrays.md).
        """
        self._handle.define_coordinate(dimension, axis, units, positive, standard_name)
        return self[dimension]

    def begin(self) -> None:
        """Collective. Creates or opens the file, as the first write otherwise does. Raises as the constructor."""
        self._handle.begin()

    @property
    def dimensions(self) -> dict[str, Dimension]:
        return {name: Dimension(self, name, length) for name, length in self._handle.dimensions()}

    @property
    def variables(self) -> dict[str, Variable]:
        return {each[0]: Variable(self, *each) for each in self._handle.variables()}

    def __getitem__(self, name: str) -> Variable:
        """Local. Returns a variable. Raises UnknownWordError, a KeyError, with the nearest names."""
        with argument(f"variable {name!r}", "name a variable by a str"):
            return Variable(self, *self._handle.variable(name))

    @property
    def steps(self) -> int:
        """Local. The number of complete steps; with "a" those of the file, once it is open (`begin`)."""
        return self._handle.steps

    @property
    def files(self) -> list[str]:
        """Local. The files that elements are read from."""
        return self._handle.files()

    # Several variables in one call.

    def _parts(
        self, arrays: Mapping[str, Any], steps: int | None = None, is_read: bool = False, is_own: bool = False
    ) -> list[Part]:
        parts = []
        for name, value in arrays.items():
            variable = self[name]
            is_single = not variable.dimensions[variable._has_steps() :]
            if value is None or (is_single and self._handle.rank != 0 and not is_read and not is_own):
                continue
            is_list = isinstance(value, list) and bool(value) and all(isinstance(each, tuple) for each in value)
            for each in value if is_list else [value]:
                with argument(f"variable {name}", "pass an array, or a tuple of an index and an array"):
                    key, array = each if isinstance(each, tuple) else (..., each)
                if steps is None or not variable._has_steps():
                    parts.append(variable._part(key, 0, array, is_read))
                    continue
                if np.ndim(array) == 0 or len(array) != steps:
                    raise usage_error(f"variable {name}: an array of shape {np.shape(array)} for {steps} steps",
                                     "pass an array whose first dimension is the steps")  # fmt: skip
                parts += [variable._part(key, step, array[step], is_read) for step in range(steps)]
        return parts

    def write(self, arrays: Mapping[str, Any]) -> None:
        """Collective. Writes arrays of several variables, as `write_step`, without completing the step, as assignments do.

        In chunks, the call that completes the step raises UsageError for elements that two parts have; all data of the step
        must then be passed again.
        """
        self._handle.begin()

        def made() -> tuple[int | None, list[Part]]:
            has_steps = any(self[name]._has_steps() for name in arrays)
            return self.steps if has_steps else None, self._parts(arrays)

        (step, parts), problem = attempt(made, (None, []))
        self._handle.write(step, parts, problem)

    def write_step(self, arrays: Mapping[str, Any], *, lent: bool = False) -> None:
        """Collective. Writes and completes the next step, in as few collective calls as possible.

        Args:
            arrays: for each variable an array for the block of this rank (``at``); ``(index, array)`` with the index without
                the step; a list of such tuples; or None for no elements. A variable of one dimension may have an array of
                numbers as its index.
            lent: with ``async`` in the policy, arrays are used until `sync` or `close` and must not change before; otherwise
                they may change when the call returns

        Raises as ``variable[...] = value``, and UsageError if assignments have begun the step; after a UsageError the step can
        be written again.
        """
        self._handle.begin()
        parts, problem = attempt(lambda: self._parts(arrays), [])
        self._handle.write_steps(1, parts, lent, problem)

    def write_steps(self, steps: int, arrays: Mapping[str, Any], *, lent: bool = False) -> None:
        """Collective. Writes and completes several steps, as `write_step`; steps are the first dimension of arrays."""
        self._handle.begin()
        parts, problem = attempt(lambda: self._parts(arrays, steps), [])
        self._handle.write_steps(steps, parts, lent, problem)

    def write_own(self, step: int, arrays: Mapping[str, Any]) -> None:
        """Local. Writes arrays into a complete step of a netCDF file, on this rank only. Raises UsageError, IoError."""
        self._handle.write_own(self._step(step), self._parts(arrays, is_own=True))

    def read_step(self, step: int, arrays: Mapping[str, Any]) -> None:
        """Collective. Reads a step of several variables into writable arrays, named as in `write_step`.

        Variables without steps may be among them. Raises UsageError, InputError and IoError on all ranks.
        """
        self._handle.require_reader()

        def made() -> list[Part]:
            number = self._step(step)
            return [(name, place, number, *rest) for name, place, _, *rest in self._parts(arrays, is_read=True)]

        parts, problem = attempt(made, [])
        self._handle.read(parts, problem)

    def sync(self) -> None:
        """Collective. Completes the step that was begun, and returns when all steps are in the file."""
        self._handle.begin()
        self._handle.sync()

    def report(self) -> dict[str, Any]:
        """Collective. Returns what input and output cost so far (docs/io-report.md); also after `close`."""
        found: dict[str, Any] = json.loads(self._handle.report())
        return found

    def close(self) -> None:
        """Collective. Completes and closes the dataset, and writes the report. A second call does nothing."""
        self._handle.close()

    def isopen(self) -> bool:
        """Local. Returns False after `close`."""
        return not self._handle.is_closed

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self._handle.abandon()

    def __del__(self) -> None:
        handle = self.__dict__.get("_handle")  # none if the constructor failed
        if handle is None or handle.is_closed or not handle.is_begun or self._mode == "r":
            return
        warnings.warn(f"{self!r} was not closed: its last step may be incomplete", ResourceWarning, source=self)
        handle.abandon()
