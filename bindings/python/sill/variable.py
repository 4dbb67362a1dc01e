"""Variables and dimensions of datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _sill
from .arrays import index_in, integer, plain
from .attributes import Attributes
from .errors import WRONG_INDEX, WRONG_NAME, WRONG_TYPE, argument, attempt, usage_error

if TYPE_CHECKING:
    from .dataset import Dataset

TEXT = np.dtype("S1")
Part = tuple[str, Any, int, Any, bool]  # of _sill.Dataset


def _expanded(key: Any, count: int) -> list[Any]:
    """Returns an index with one entry for each of `count` dimensions."""
    entries = list(key) if isinstance(key, tuple) else [key]
    at = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    missing = count - len(entries) + len(at)
    if len(at) > 1 or missing < 0:
        raise usage_error(f"the index has {len(entries) - len(at)} entries for {count} dimensions",
                          "use an entry for each dimension, or `...`", number=WRONG_INDEX)  # fmt: skip
    where = at[0] if at else len(entries)
    entries[where : where + len(at)] = [slice(None)] * missing
    return entries


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


class Variable(Attributes):
    """A variable of a dataset. ``u[step, y0:y1, x0:x1]`` reads or, if assigned to, writes a box of it.

    Collective: all ranks index, with their own boxes. Entries are integers, slices without strides, and for a variable of
    one dimension also an array of numbers. A dimension that the index omits, or has as ``:``, is the block of this rank that
    ``at`` of the dataset states, otherwise the whole dimension.
    """

    def __init__(self, dataset: Dataset, name: str, type_name: str, dimensions: list[str]) -> None:
        self._dataset, self._name = dataset, name
        self._dtype = TEXT if type_name == "text" else np.dtype(type_name)
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
        return self._dataset._handle.holds(self._name, index_in(step, self._dataset.steps, "step"))

    def _place(self, key: Any) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
        """Returns the place of elements of one step in the file, the shape of their box, and of their array."""
        names = self._dimensions[self._has_steps() :]
        dimensions = self._dataset.dimensions
        sizes = [dimensions[name].size for name in names]
        for name in self._dataset._at:
            if name not in dimensions or dimensions[name].isunlimited():
                raise usage_error(f"at has {name!r}, which is not a dimension of fixed length",
                                  f"the dimensions are {', '.join(dimensions)}", number=WRONG_NAME)  # fmt: skip
        first, count, shape = [], [], []
        for entry, name, size in zip(_expanded(key, len(names)), names, sizes, strict=True):
            if isinstance(entry, (list, np.ndarray)):
                numbers = plain(entry)
                if not numbers.size:
                    numbers = np.empty(0, "i8")  # a rank without elements
                if len(names) > 1 or numbers.dtype.kind not in "iu" or numbers.ndim != 1:
                    raise usage_error(f"variable {self._name}: this index must not contain an array",
                                      "only variables of one dimension accept an index array, of integers",
                                      number=WRONG_TYPE)  # fmt: skip
                numbers = numbers.astype("i8") if numbers.dtype.itemsize < 8 else numbers  # a small type cannot store `size`
                for each in numbers[(numbers < -size) | (numbers >= size)][:1]:
                    index_in(each, size, f"variable {self._name}: index")
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
                start = index_in(entry, size, f"variable {self._name}: index")
                stop = start + 1
            first.append(start)
            count.append(max(0, stop - start))
        return (first, count), tuple(count), tuple(shape)

    def _part(self, key: Any, step: int, array: Any, is_read: bool) -> Part:
        """Returns a part of a call: the elements `key` of a step in `array`."""
        place, box, shape = self._place(key)
        with argument(f"variable {self._name}", "pass an array of numbers"):
            given, array = array, plain(array)
        is_text = array.dtype == TEXT
        if not is_text and (array.dtype.kind not in "iuf" or array.dtype.itemsize not in (1, 2, 4, 8) or
                            array.dtype == np.float16):  # fmt: skip
            raise usage_error(f"variable {self._name}: an array of type {array.dtype}",
                              "use integers of 1 to 8 bytes, float32, float64 or S1", number=WRONG_TYPE)  # fmt: skip
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
        `Dataset.close`. A rank without elements passes None. `value` has the shape of the index, or is a number. Integers and
        floats of any size, order and strides are converted to the type of the variable. If a variable has no further
        dimensions, the value of rank 0 is written.

        Raises:
            UsageError: on all ranks: for a wrong shape or type, a value that the type cannot hold, elements that two ranks
                pass, and a step that is not the next one
            IoError: on all ranks
        """
        dataset = self._dataset
        dataset._handle.begin()

        def part() -> tuple[int | None, list[Part]]:
            step, rest = None, key
            if self._has_steps():
                entries = _expanded(key, len(self._dimensions))
                if isinstance(entries[0], slice):
                    raise usage_error(f"variable {self._name}: several steps are assigned at once",
                                     "assign one step, or use write_steps")  # fmt: skip
                step, rest = integer(entries[0], "step"), tuple(entries[1:])
            return step, dataset._parts({self._name: None if value is None else (rest, value)})

        (step, parts), problem = attempt(part, (None, []))
        dataset._handle.write(step, parts, problem)

    def __getitem__(self, key: Any) -> Any:
        """Collective. Reads a box of one or several steps into a new array of the variable's type.

        Raises UsageError, InputError (elements are missing in the file), IoError or MemoryError, on all ranks.
        """
        self._dataset._handle.require_reader()

        def parts() -> tuple[Any, bool, list[Part]]:
            steps, rest, is_one = [0], key, True
            if self._has_steps():
                entries = _expanded(key, len(self._dimensions))
                rest, is_one = tuple(entries[1:]), not isinstance(entries[0], slice)
                count = self._dataset.steps
                steps = [index_in(entries[0], count, "step")] if is_one else list(range(count)[entries[0]])
            shape = self._place(rest)[2]
            _sill.require_memory(len(steps) * int(np.prod(shape, dtype=object)) * self._dtype.itemsize)
            array = np.empty((len(steps), *shape), self._dtype)
            made = [self._part(rest, step, array[i, ...], True) for i, step in enumerate(steps)]
            return array, is_one, made

        (array, is_one, made), problem = attempt(parts, (None, False, []))
        self._dataset._handle.read(made, problem)
        return array[0] if is_one else array
