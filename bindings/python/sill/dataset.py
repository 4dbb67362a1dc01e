"""Arrays of simulations in netCDF, HDF5, VTK, Tecplot and raw files, written and read by all ranks together.

The words are those of netCDF4-python, where it has them.
"""

from __future__ import annotations

import errno
import json
import operator
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from . import _sill
from .errors import Error, InputError, IoError, UsageError, attempt, usage_error

_FORMATS = {"NETCDF3_CLASSIC": 1, "NETCDF3_64BIT": 2, "NETCDF3_64BIT_OFFSET": 2, "NETCDF3_64BIT_DATA": 5}
_TEXT = np.dtype("S1")
_Part = tuple[str, Any, int, Any, bool]  # of _sill.Dataset


def _name_of(dtype: Any) -> str:
    """Returns the type of elements as in sill::ElementType."""
    dtype = np.dtype(dtype)
    return "text" if dtype == _TEXT else f"{dtype.kind}{dtype.itemsize}"


def _fill_of(dtype: np.dtype[Any], fill_value: Any) -> Any:
    """Returns a fill value in the type of its variable."""
    if isinstance(fill_value, bool):
        raise usage_error("fill_value is a bool", "use fill=False of the dataset for no fill values")
    with np.errstate(over="ignore"):
        fill = np.asarray(fill_value).astype(dtype)[()]
    if fill != fill_value if dtype.kind in "iu" else dtype.kind == "f" and np.isinf(fill) and not np.isinf(fill_value):
        raise usage_error(f"fill_value is {fill_value!r}, but the variable has the type {dtype}", "use a value of this type")
    return fill


def _expanded(key: Any, count: int) -> list[Any]:
    """Returns an index with one entry for each of `count` dimensions."""
    entries = list(key) if isinstance(key, tuple) else [key]
    at = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    missing = count - len(entries) + len(at)
    if len(at) > 1 or missing < 0:
        raise UsageError(f"the index has {len(entries) - len(at)} entries for {count} dimensions")
    where = at[0] if at else len(entries)
    entries[where : where + len(at)] = [slice(None)] * missing
    return entries


def _numbered(index: Any, count: int, what: str) -> int:
    number = operator.index(index)
    if not -count <= number < count:
        raise UsageError(f"{what} {number} of {count}")
    return number % count


class _Attributes:
    """Attributes of a dataset or a variable: ``u.units = "m"``, as in netCDF4-python."""

    _name = ""
    _own = frozenset({"_at", "_dataset", "_dimensions", "_dtype", "_handle", "_mode", "_name", "_path"})

    def _of(self) -> Dataset:
        raise NotImplementedError

    def ncattrs(self) -> list[str]:
        """Local. Returns the names of the attributes."""
        return [name for name, _, _ in self._of()._handle.attributes(self._name)]

    def getncattr(self, name: str) -> Any:
        """Local. Returns an attribute: a str, a number or an array. Raises AttributeError if there is none."""
        for each, type_name, values in self._of()._handle.attributes(self._name):
            if each == name:
                if type_name == "text":
                    return values.decode("utf-8", "surrogateescape")
                array = np.frombuffer(values, type_name).copy()
                return array[0] if array.size == 1 else array
        raise AttributeError(f"{self!r} has no attribute {name!r}; it has {', '.join(self.ncattrs())}")

    def setncattr(self, name: str, value: Any) -> None:
        """Sets an attribute to a text, a number or a list of numbers. Local before the file is open, then collective.

        Numbers of Python become f8, or i4 if they are integers that fit, otherwise i8; NumPy's keep their type. After the
        first write only netCDF files can change attributes, if their header has room (``align=4096``). Raises UsageError.
        """

        def values() -> tuple[Any, bool]:
            if isinstance(value, (str, bytes)):
                return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value, True
            array = np.atleast_1d(np.asarray(value))
            if not isinstance(value, (np.ndarray, np.generic)) and array.dtype.kind == "i":
                narrow = array.astype("i4")
                array = narrow if (narrow == array).all() else array
            if array.dtype.kind not in "iuf":
                raise usage_error(f"attribute {name}: values of type {array.dtype}", "pass a text, integers or floats")
            return np.ascontiguousarray(array, array.dtype.newbyteorder("=")), False

        (given, is_text), problem = attempt(values, (None, False))
        self._of()._handle.set_attribute(self._name, name, given, is_text, problem)

    def setncatts(self, attributes: Mapping[str, Any]) -> None:
        """Sets several attributes, as `setncattr`."""
        for name, value in attributes.items():
            self.setncattr(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in self._own or name.startswith("__"):
            raise AttributeError(name)
        return self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._own:
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise usage_error(f"{name} is a function or property of {type(self).__name__}", f"use setncattr({name!r}, ...)")
        else:
            self.setncattr(name, value)


class Dimension:
    """A dimension: `name`, `size` (of the unlimited one: the number of complete steps), `isunlimited()`, `len()`."""

    def __init__(self, dataset: Dataset, name: str, length: int | None) -> None:
        self._dataset, self.name, self._length = dataset, name, length

    @property
    def size(self) -> int:
        return self._dataset.steps if self._length is None else self._length

    def isunlimited(self) -> bool:
        return self._length is None

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<sill.Dimension {self.name}: {'unlimited' if self._length is None else self._length}>"


class Variable(_Attributes):
    """A variable of a dataset. ``u[step, y0:y1, x0:x1]`` reads or, if assigned to, writes a box of it.

    Collective: all ranks index, with their own boxes. Entries are integers, slices without strides, and for a variable of
    one dimension also an array of numbers. A dimension that the index omits, or has as ``:``, is the block of this rank that
    ``at`` of the dataset states, otherwise the whole dimension.
    """

    def __init__(self, dataset: Dataset, name: str, type_name: str, dimensions: list[str]) -> None:
        self._dataset, self._name = dataset, name
        self._dtype = _TEXT if type_name == "text" else np.dtype(type_name)
        self._dimensions = tuple(dimensions)

    def _of(self) -> Dataset:
        return self._dataset

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements in the file; S1 for text."""
        return self._dtype

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions, slowest first."""
        return self._dimensions

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, with the complete steps. Local."""
        dimensions = self._dataset.dimensions
        return tuple(dimensions[name].size for name in self._dimensions)

    def _has_steps(self) -> bool:
        return bool(self._dimensions) and self._dataset.dimensions[self._dimensions[0]].isunlimited()

    def __repr__(self) -> str:
        return f"<sill.Variable {self._dtype} {self._name}({', '.join(self._dimensions)})>"

    def __len__(self) -> int:
        return self.shape[0] if self._dimensions else 1

    def __iter__(self) -> Iterator[Any]:
        """Collective, at each step. Reads along the first dimension."""
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self[...], dtype)

    def holds(self, step: int) -> bool:
        """Local. Returns False if a step of a VTK or raw file omits the variable. Raises UsageError."""
        return self._dataset._handle.holds(self._name, step)

    def _place(self, key: Any) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
        """Returns the place of elements of one step in the file, the shape of their box, and of their array."""
        names = self._dimensions[self._has_steps() :]
        dimensions = self._dataset.dimensions
        sizes = [dimensions[name].size for name in names]
        for name in self._dataset._at:
            if name not in dimensions or dimensions[name].isunlimited():
                raise usage_error(f"at has {name!r}, which is not a dimension of fixed length",
                                   f"the dimensions are {', '.join(dimensions)}")  # fmt: skip
        first, count, shape = [], [], []
        for entry, name, size in zip(_expanded(key, len(names)), names, sizes, strict=True):
            if isinstance(entry, (list, np.ndarray)):
                numbers = np.asarray(entry)
                if not numbers.size:
                    numbers = np.empty(0, "i8")  # a rank without elements
                if len(names) > 1 or numbers.dtype.kind not in "iu" or numbers.ndim != 1:
                    raise usage_error(f"variable {self._name}: an array in an index",
                                     "use one array of integers, for a variable of one dimension")  # fmt: skip
                numbers = np.ascontiguousarray(np.where(numbers < 0, numbers + size, numbers), "i8")
                return numbers, numbers.shape, numbers.shape
            if isinstance(entry, slice):
                entry = self._dataset._at.get(name, entry) if entry == slice(None) else entry
                start, stop, stride = entry.indices(size)
                if stride != 1:
                    raise usage_error(f"variable {self._name}: a slice with the stride {stride}",
                                     "use a slice without a stride")  # fmt: skip
                shape.append(max(0, stop - start))
            else:
                start = _numbered(entry, size, f"variable {self._name}: index")
                stop = start + 1
            first.append(start)
            count.append(max(0, stop - start))
        return (first, count), tuple(count), tuple(shape)

    def _part(self, key: Any, step: int, array: Any, is_read: bool) -> _Part:
        """Returns a part of a call: the elements `key` of a step in `array`."""
        place, box, shape = self._place(key)
        if isinstance(array, np.ma.MaskedArray):
            raise usage_error(f"variable {self._name}: a masked array", "pass array.filled(value)")
        given = array
        array = np.asarray(array)
        is_text = array.dtype == _TEXT
        if not is_text and (array.dtype.kind not in "iuf" or array.dtype.itemsize not in (1, 2, 4, 8) or
                            array.dtype == np.float16):  # fmt: skip
            raise usage_error(f"variable {self._name}: an array of type {array.dtype}",
                             "use integers of 1 to 8 bytes, float32, float64 or S1")  # fmt: skip
        if array.ndim == 0 and shape and not is_read:
            array = np.broadcast_to(array, shape)
        if array.shape != shape:
            raise usage_error(f"variable {self._name}: an array of shape {array.shape} for {shape} elements",
                             "pass an array of the shape of the index, without ghost points, or a number")  # fmt: skip
        is_strange = array.dtype.byteorder not in "=|" or any(each % array.dtype.itemsize for each in array.strides)
        is_strange = is_strange or not (isinstance(place, tuple) or array.flags.c_contiguous)
        if is_read and (is_strange or not isinstance(given, np.ndarray) or not array.flags.writeable):
            raise usage_error(f"variable {self._name}: elements cannot be read into this array",
                               "pass a writable array of NumPy in the byte order of the machine")  # fmt: skip
        if is_strange:
            array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        array = array.view("u1") if is_text else array
        return self._name, place, step, array if not isinstance(place, tuple) else array.reshape(box), is_text

    def __setitem__(self, key: Any, value: Any) -> None:
        """Collective. Writes a box of the next step, or of a variable without steps; without a copy of the array.

        The step is the first entry of the index. It is complete when a later one is written, by `Dataset.sync` and by
        `Dataset.close`. A rank without elements passes None. `value` has the shape of the index, or is a number; any integers
        or floats, which are converted to the type of the variable, in any order and with any strides. Of a variable without
        further dimensions, the value of rank 0 is written.

        Raises:
            UsageError: on all ranks: for a wrong shape or type, a value that the type cannot hold, elements that two ranks
                pass, and a step that is not the next one
            IoError: on all ranks
        """
        dataset = self._dataset
        dataset._handle.begin()

        def part() -> tuple[int | None, list[_Part]]:
            step, rest = None, key
            if self._has_steps():
                entries = _expanded(key, len(self._dimensions))
                if isinstance(entries[0], slice):
                    raise usage_error(f"variable {self._name}: several steps are assigned at once",
                                     "assign one step, or use write_steps")  # fmt: skip
                step, rest = operator.index(entries[0]), tuple(entries[1:])
            return step, dataset._parts({self._name: None if value is None else (rest, value)})

        (step, parts), problem = attempt(part, (None, []))
        dataset._handle.write(step, parts, problem)

    def __getitem__(self, key: Any) -> Any:
        """Collective. Reads a box of one or several steps into a new array of the variable's type.

        Raises UsageError, InputError (elements are missing in the file), IoError or MemoryError, on all ranks.
        """
        self._dataset._handle.require_reader()

        def parts() -> tuple[Any, bool, list[_Part]]:
            steps, rest, is_one = [0], key, True
            if self._has_steps():
                entries = _expanded(key, len(self._dimensions))
                rest, is_one = tuple(entries[1:]), not isinstance(entries[0], slice)
                count = self._dataset.steps
                steps = [_numbered(entries[0], count, "step")] if is_one else list(range(count)[entries[0]])
            shape = self._place(rest)[2]
            _sill.require_memory(len(steps) * int(np.prod(shape, dtype=object)) * self._dtype.itemsize)
            array = np.empty((len(steps), *shape), self._dtype)
            made = [self._part(rest, step, array[i, ...], True) for i, step in enumerate(steps)]
            return array, is_one, made

        (array, is_one, made), problem = attempt(parts, (None, False, []))
        self._dataset._handle.read(made, problem)
        return array[0] if is_one else array


class Dataset(_Attributes):
    """Arrays of a simulation in files that other programs read (docs/arrays.md). A context manager.

    Collective over `comm`, as all functions that write, read or close; an error is the same on all ranks. Leaving ``with``
    by an exception does not complete the step that is being written, nor wait for other ranks.

    Args:
        path: the file; its ending selects the container: netCDF, ``.h5``, ``.nc4``, ``.vti``, ``.plt``, ``.raw``,
            ``.checkpoint``
        mode: "r" to read, "w" to replace a file, "x" to refuse an existing one, "a" to continue one. Without `dims`, "a"
            takes the description from the file.
        dims: lengths of dimensions by name; None for the unlimited one, along which steps are written
        at: the block of this rank: a slice for each dimension that is distributed, ``{"x": slice(x0, x1)}``
        comm: a communicator of mpi4py; None for this process alone
        format: "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET" or "NETCDF3_64BIT_DATA"; by default as the data requires
        container: "netcdf", "pnetcdf", "hdf5", "netcdf4", "checkpoint", "vti", "tecplot" or "raw", in place of the ending
        steps: for HDF5 and netCDF-4: the number of steps for which a new file has room
        first_step: with "a", the first step to write again
        align, variable_align, record_align: alignments in a netCDF file, in bytes; of HDF5 and netCDF-4 `align` alone
        fill: False if all elements are written, so that netCDF files need no fill values
        field_data: True stores variables without a place in the grid as VTK field data
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
        IoError: the system refused
    """

    def __init__(
        self, path: str | os.PathLike[str], mode: str = "r", *, dims: Mapping[str, int | None] | None = None,
        at: Mapping[str, slice] | None = None, comm: Any = None, format: str = "", container: str = "",
        first_step: int | None = None, align: int = 512, variable_align: int = 4, record_align: int = 4, fill: bool = True,
        field_data: bool = False, steps: int | None = None, missing: str = "refuse", policy: str = "", memory: int = 0, threads: int = 0,
        report: str = "", options: str | os.PathLike[str] = "", environment: bool = True,
    ) -> None:  # fmt: skip
        def given() -> dict[str, Any]:
            if mode not in ("r", "w", "x", "a"):
                raise usage_error(f"the mode is {mode!r}", 'use "r", "w", "x" or "a"')
            if wrong := [name for name, block in self._at.items() if not isinstance(block, slice)]:
                raise usage_error(f"at[{wrong[0]!r}] is no slice", "at={'x': slice(x0, x1)}")
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
            return found | ({"missing": missing} if missing == "fill" else {})

        self._at = dict(at or {})
        settings, problem = attempt(given, {})
        self._mode = mode
        self._handle = _sill.Dataset(comm, os.fsencode(path), mode, settings, problem)
        self._path = os.fspath(path)
        for each in self._handle.left_out() if mode == "r" and self._handle.rank == 0 else []:
            warnings.warn(f"{self._path} is read without {each}", stacklevel=2)
        if mode == "a" and dims is None:
            self._handle.begin()
        for name, length in (dims or {}).items():
            self.createDimension(name, length)

    def _of(self) -> Dataset:
        return self

    def __repr__(self) -> str:
        return f"<sill.Dataset {self._path}: {', '.join(self.variables)}>"

    # Description: local, the same on all ranks, before the first write.

    def createDimension(self, name: str, size: int | None = None) -> Dimension:
        """Local. Defines a dimension; None (or 0) is the unlimited one. Raises UsageError after the first write."""
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
        variable = self.variables[name]
        variable.setncatts(given | dict(attributes or {}))
        return variable

    def createCoordinate(
        self, dimension: str, axis: str, units: str, positive: str = "", standard_name: str = ""
    ) -> Variable:
        """Local. Defines the coordinate variable of a dimension by the CF conventions: f8, `axis` "T", "X", "Y" or "Z".

        Raises UsageError for units and directions that CF does not have (docs/arrays.md).
        """
        self._handle.define_coordinate(dimension, axis, units, positive, standard_name)
        return self.variables[dimension]

    def begin(self) -> None:
        """Collective. Creates or opens the file, as the first write otherwise does. Raises as the constructor."""
        self._handle.begin()

    @property
    def dimensions(self) -> dict[str, Dimension]:
        return {name: Dimension(self, name, length) for name, length in self._handle.dimensions()}

    @property
    def variables(self) -> dict[str, Variable]:
        return {name: Variable(self, name, of, dimensions) for name, of, dimensions in self._handle.variables()}

    def __getitem__(self, name: str) -> Variable:
        """Local. Returns a variable. Raises UnknownWordError, a KeyError, with the nearest names."""
        self._handle.require_variable(name)
        return self.variables[name]

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
    ) -> list[_Part]:
        parts = []
        for name, value in arrays.items():
            variable = self[name]
            is_single = not variable.dimensions[variable._has_steps() :]
            if value is None or (is_single and self._handle.rank != 0 and not is_read and not is_own):
                continue
            is_list = isinstance(value, list) and bool(value) and all(isinstance(each, tuple) for each in value)
            for each in value if is_list else [value]:
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
        """Collective. Writes arrays of several variables, as `write_step`, without completing the step, as assignments do."""
        self._handle.begin()

        def made() -> tuple[int | None, list[_Part]]:
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
        self._handle.write_own(step, self._parts(arrays, is_own=True))

    def read_step(self, step: int, arrays: Mapping[str, Any]) -> None:
        """Collective. Reads a step of several variables into writable arrays, named as in `write_step`.

        Variables without steps may be among them. Raises UsageError, InputError and IoError on all ranks.
        """
        self._handle.require_reader()

        def made() -> list[_Part]:
            number = _numbered(step, self.steps, "step") if self.steps or step else 0
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
