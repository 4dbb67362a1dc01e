"""Lines, by their numbers, and slices, gathers and groups."""

from __future__ import annotations

import itertools
from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy

from ..arrays import numbers_in_slice
from .field import Field, Items, blocks

MIN_FILL = 0.25  # an irregular cube with a smaller share of its places is not a cube


class Geometry:
    """Line numbers, and `table`: the trace at each place (inline, crossline, offset), -1 for none.

    `axes` are the numbers of inlines, crosslines and offsets, as C ints if they fit.
    """

    def __init__(self, axes: Any, sorting: int, table: numpy.ndarray) -> None:
        fits = [len(axis) == 0 or -(2**31) <= min(axis) and max(axis) < 2**31 for axis in axes]
        self.axes = [numpy.array(axis, numpy.intc if fit else numpy.int64) for axis, fit in zip(axes, fits, strict=True)]
        self.sorting, self.table = sorting, table
        self.by_lines = table if sorting == 2 else table.swapaxes(0, 1)  # slow lines, fast lines, offsets
        self._indices = [{number: i for i, number in enumerate(axis.tolist())} for axis in self.axes]

    def index(self, axis: int, number: Any) -> int:
        """Returns the place of a number along an axis. Raises KeyError: there is none."""
        if number not in self._indices[axis]:
            raise KeyError(f"there is no {('inline', 'crossline', 'offset')[axis]} {number}")
        return self._indices[axis][number]


def stated(axes: Any, sorting: int, traces: int) -> Geometry:
    """Returns the geometry with these numbers, one trace per combination. Raises ValueError if that is impossible."""
    if sorting not in (1, 2):
        raise ValueError(f"the sorting {sorting} is neither 1, crossline, nor 2, inline")
    for name, axis in zip(("inlines", "crosslines", "offsets"), axes, strict=True):
        if len(set(map(int, axis))) != len(axis):
            raise ValueError(f"{name} repeat")
    sizes = [len(axis) for axis in axes]
    if sizes[0] * sizes[1] * sizes[2] != traces:
        raise ValueError("{} inlines, {} crosslines and {} offsets are not the {} traces of the file".format(*sizes, traces))
    numbers = numpy.arange(traces)
    by_crosslines = numbers.reshape(sizes[1], sizes[0], sizes[2]).swapaxes(0, 1)
    return Geometry(axes, sorting, numbers.reshape(sizes) if sorting == 2 else by_crosslines)


def find(*columns: numpy.ndarray) -> Geometry:
    """Returns the geometry of traces with these inline and crossline numbers and offsets.

    If all places (inline, crossline) have equally many traces, but not the same offsets, traces are counted at each
    place, and the offsets are those of the first one. Numbers are in the order of the file if traces are in that of a
    cube; otherwise they are sorted. Raises ValueError: the traces are not those of a cube, possibly with holes.
    """
    count, is_counted = len(columns[0]), False
    if count == 0:
        raise ValueError("the file has no traces, so it has no lines")
    found = [_axis(column) for column in columns]
    table = _regular(found, count)
    if table is None:
        gather = found[0][1] * len(found[1][0]) + found[1][1]
        folds, offsets = numpy.unique(gather, return_counts=True)[1], found[2]
        first = columns[2][gather == gather[0]]
        is_complete = folds[0] == len(offsets[0]) and len(numpy.unique(gather * len(offsets[0]) + offsets[1])) == count
        is_counted = (folds == folds[0]).all() and not is_complete and len(numpy.unique(first)) == folds[0]
        if is_counted:
            rank = numpy.empty(count, numpy.int64)
            rank[numpy.argsort(gather, kind="stable")] = numpy.arange(count) % folds[0]
            found[2] = (first, rank)
            table = _regular(found, count)
    if table is None:
        sizes = [len(axis) for axis, _ in found]
        if count < MIN_FILL * sizes[0] * sizes[1] * sizes[2]:
            raise ValueError("{} traces have {} inlines, {} crosslines and {} offsets: no cube".format(count, *sizes))
        for k in range(2 if is_counted else 3):
            found[k] = numpy.unique(columns[k], return_inverse=True)
        table = _filled(found, count)
        if numpy.count_nonzero(table >= 0) != count:
            raise ValueError("several traces have the same inline, crossline and offset: pass other header words or "
                             "ignore_geometry=True")  # fmt: skip
    changes = [numpy.count_nonzero(numpy.diff(column)) for column in columns]
    slow_crosslines = changes[0] > changes[1] or len(found[1][0]) == 1  # a single crossline is in its own order
    return Geometry([axis for axis, _ in found], 1 if slow_crosslines else 2, table)


def _axis(column: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns the distinct numbers in a column, in their order in the file, and the index of each trace among them."""
    axis, first, place = numpy.unique(column, return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    return axis[order], numpy.argsort(order)[place]


def _filled(found: Any, count: int) -> numpy.ndarray:
    """Returns a table with the trace at each place."""
    table = numpy.full([len(axis) for axis, _ in found], -1, numpy.int64)
    table[tuple(place for _, place in found)] = numpy.arange(count)
    return table


def _regular(found: Any, count: int) -> numpy.ndarray | None:
    """Returns the table, or None: trace numbers do not grow by equal steps along each axis."""
    sizes = [len(axis) for axis, _ in found]
    if sizes[0] * sizes[1] * sizes[2] != count:
        return None
    table = _filled(found, count)
    steps = [numpy.diff(table, axis=k) for k in range(3)]
    is_equal = all(step.size == 0 or (step == step.flat[0]).all() for step in steps)
    return table if is_equal and table.min() == 0 else None


def _contained(key: slice, axis: numpy.ndarray) -> list[int]:
    """Returns the numbers along an axis that a slice contains. Negative ones count from the end, as in segyio, unless
    there are negative numbers along the axis."""
    if len(axis) and axis.min() >= 0:
        first, end, step = key.indices(int(axis.max()) + 1)
        key = slice(None if key.start is None else first, end, step)
    return numbers_in_slice(key, axis)


class _Lines(Mapping[Any, Any]):
    _get: Any
    _set: Any
    _is_single: Any

    def __init__(self, file: Any, axis: int) -> None:
        self._of, self._axis, self._places = file, axis, file._lines()
        self.lines = self._places.axes[axis]
        self.length = len(self._places.axes[1 - axis])  # places of a line
        self.offsets = {int(number): i for i, number in enumerate(self._places.axes[2])}

    def _numbers(self, line: Any, offset: Any) -> numpy.ndarray:
        """Returns the trace numbers of a line. Raises KeyError: there is no such line or offset."""

        def chosen(places: Geometry) -> numpy.ndarray:
            return places.table.take(places.index(self._axis, line), self._axis)[:, places.index(2, offset)]

        return self._of._numbers((self._axis, line, offset), chosen)

    def ranges(self, index: Any, offset: Any) -> tuple[list[int], list[int]]:
        """Returns the numbers of lines, and the offsets, that two slices or numbers contain."""
        keys = [key if isinstance(key, slice) else slice(key, key + 1) for key in (index, offset)]
        return _contained(keys[0], self.lines), _contained(keys[1], self._places.axes[2])

    def _chosen(self, key: Any) -> Any:
        """Returns the trace numbers of one line, or an iterator over those of several."""
        line, offset = key if isinstance(key, tuple) else (key, self._places.axes[2][0])
        if not isinstance(line, slice) and not isinstance(offset, slice):
            return self._numbers(line, offset)
        return itertools.starmap(self._numbers, itertools.product(*self.ranges(line, offset)))

    def __getitem__(self, key: Any) -> Any:
        chosen = self._chosen(key)
        return self._get(chosen) if isinstance(chosen, numpy.ndarray) else (self._get(numbers) for numbers in chosen)

    def __setitem__(self, key: Any, value: Any) -> None:
        chosen = self._chosen(key)
        if isinstance(chosen, numpy.ndarray):
            chosen, value = [chosen], [value]
        for numbers, each in zip(chosen, itertools.repeat(value) if self._is_single(value) else value, strict=False):
            self._set(numbers, each)

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, key: object) -> bool:
        return bool((self.lines == key).any())

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the lines, not over their numbers."""
        return self[:]

    def keys(self) -> Any:
        """Returns the line numbers."""
        return sorted(self.lines.tolist())

    values = __iter__

    def items(self) -> Any:
        """Returns an iterator over numbers and lines."""
        return zip(self.keys(), self[:], strict=True)


class Line(_Lines):
    """Lines as arrays (places, samples): ``f.iline[1200]``, ``f.iline[1200, 500]`` of an offset; slices iterate.

    Places without a trace are NaN, or 0 in integer formats. Assigning writes the traces of a line. Raises KeyError: there
    is no such line or offset; ValueError: an assigned line has another shape, or a place of the line has no trace.
    """

    dtype = property(lambda self: self._of.dtype, doc="The type of the samples.")
    shape = property(lambda self: (self.length, self._of._sample_count), doc="(places, samples) of a line.")

    def _get(self, numbers: numpy.ndarray) -> numpy.ndarray:
        return self._of.read_traces(numbers)

    def _set(self, numbers: numpy.ndarray, value: Any) -> None:
        self._of._write_traces(numbers, self._of._as_samples(value, self.shape))

    def _is_single(self, value: Any) -> bool:
        return numpy.ndim(value) == 0 and not isinstance(value, Iterable)


class HeaderLine(_Lines):
    """The headers of lines: ``f.header.iline[1200]`` iterates over `Field`s."""

    def _get(self, numbers: numpy.ndarray) -> Iterator[Field]:
        return (Field(self._of, number) for number in numbers[numbers >= 0].tolist())

    def _set(self, numbers: numpy.ndarray, value: Any) -> None:
        if self._is_single(value):
            self._of.header.update(numbers[numbers >= 0], value)
            return
        if (numbers < 0).any():
            raise ValueError("the line has places without a trace: assign one header or dictionary to all its traces")
        for number, each in zip(numbers.tolist(), value, strict=False):
            Field(self._of, number).update(each)

    def _is_single(self, value: Any) -> bool:
        return isinstance(value, Mapping) and not isinstance(value, _Lines)


class Depth(Items):
    """Slices: one sample of each trace; of prestack files, of the first offset."""

    _name = "sample"

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        places = file._geometry and file._all_lines()
        self._numbers = numpy.arange(file.tracecount) if places is None else places.by_lines[:, :, 0]
        self.shape: Any = len(self._numbers) if places is None else self._numbers.shape

    def __len__(self) -> int:
        return len(self._of.samples)

    def _get(self, sample: int) -> numpy.ndarray:
        file, dtype, flat = self._of, self._of.dtype, self._numbers.reshape(-1)
        if dtype.kind != "f" and dtype.itemsize == 8:  # float64 does not hold all values
            parts = [file.read_traces(block)[:, sample] for block in blocks(flat, 8 * file._sample_count)]
            values: Any = numpy.concatenate([numpy.empty(0, dtype), *parts])
        else:
            values = file._survey.read_sample(numpy.ascontiguousarray(flat), sample)
            if dtype.kind != "f":
                numpy.nan_to_num(values, copy=False)
        return values.astype(dtype, copy=False).reshape(self._numbers.shape)

    def _set(self, sample: int, value: Any) -> None:
        self._of._write_traces(self._numbers, self._of._as_samples(value, self._numbers.shape), sample)


class Gather:
    """The traces of places: ``f.gather[iline, xline]`` has the shape (offsets, samples), or (samples) with one offset.

    ``f.gather[iline, xline, offset]`` is a trace. Slices of lines iterate. Raises KeyError: there is no such place.
    """

    def __init__(self, file: Any) -> None:
        self._of, self._places = file, file._lines()

    def __getitem__(self, key: Any) -> Any:
        *lines, offset = key if len(key) > 2 else (*key, None)
        if not any(isinstance(line, slice) for line in lines):
            return self._read(*lines, offset)
        numbers = [_contained(line, axis) if isinstance(line, slice) else [line]
                   for line, axis in zip(lines, self._places.axes, strict=False)]  # fmt: skip
        return (self._read(*pair, offset) for pair in itertools.product(*numbers))

    def _read(self, iline: Any, xline: Any, offset: Any) -> numpy.ndarray:
        def chosen(places: Geometry) -> numpy.ndarray:
            index, offsets = places.index, places.axes[2]
            of = offset if offset is not None else slice(None) if len(offsets) > 1 else offsets[0]
            k: Any = [index(2, each) for each in _contained(of, offsets)] if isinstance(of, slice) else index(2, of)
            return numpy.asarray(places.table[index(0, iline), index(1, xline), k], numpy.int64)

        numbers = self._of._numbers((iline, xline, str(offset)), chosen)
        return self._of.read_traces(numbers) if numbers.size else numpy.empty(0, self._of.dtype)


class Group:
    """Traces, numbered `index`, with equal header words: `key` is the value, or the set of pairs (word, value)."""

    def __init__(self, file: Any, key: Any, index: list[int]) -> None:
        self._of, self.key, self.index = file, key, index

    header = property(lambda self: map(self._of.header.__getitem__, self.index), doc="The headers of the traces.")
    trace = property(lambda self: iter(self._of.read_traces(self.index)), doc="The samples of the traces.")

    def sort(self, fields: Any) -> None:
        """Sorts the traces by header words, the first one first."""
        columns = [self._of.attributes(field)[self.index] for field in _listed(fields)]
        self.index = [self.index[i] for i in numpy.lexsort(columns[::-1])]


class Groups(UserDict[Any, Group]):
    """The groups of a file, by their keys, in the order in which they come in the file."""

    def __init__(self, file: Any, word: Any) -> None:
        words = [int(each) for each in _listed(word)]
        columns = [file.attributes(each) for each in words]
        gathers = file._survey.gathers(",".join(column._word for column in columns), "")
        traces = sorted((gathers.traces(i).tolist() for i in range(len(gathers))), key=lambda numbers: numbers[0])
        values = [column[[numbers[0] for numbers in traces]].tolist() for column in columns]
        self.data = {}
        for numbers, *row in zip(traces, *values, strict=True):
            key = row[0] if isinstance(word, int) else frozenset(zip(words, row, strict=True))
            self.data[key] = Group(file, key, numbers)

    @staticmethod
    def _key(key: Any) -> Any:
        if isinstance(key, (int, numpy.integer)):
            return int(key)
        return frozenset((int(word), int(value)) for word, value in dict(key).items())

    def __getitem__(self, key: Any) -> Group:
        return self.data[self._key(key)]

    def __contains__(self, key: object) -> bool:
        return self._key(key) in self.data

    def sort(self, fields: Any) -> None:
        """Sorts the traces of each group by header words."""
        for group in self.data.values():
            group.sort(fields)


def _listed(words: Any) -> list[Any]:
    return [words] if isinstance(words, int) else list(words)
