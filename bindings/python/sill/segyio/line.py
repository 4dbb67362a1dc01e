"""Lines, by their numbers, and slices."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from .. import _sill
from .field import Field, Items

if TYPE_CHECKING:
    from .segy import SegyFile


def chosen(key: Any, axis: numpy.ndarray) -> list[int]:
    """Returns the numbers that a slice of line numbers contains, in its order. Raises TypeError: not a slice."""
    if not isinstance(key, slice):
        raise TypeError(f"lines are chosen by numbers or slices, not by {type(key).__name__}")
    if len(axis) == 0:
        return []
    step = 1 if key.step is None else operator.index(key.step)
    low, high = int(axis.min()), int(axis.max())
    start = (low if step > 0 else high) if key.start is None else key.start
    stop = (high + 1 if step > 0 else low - 1) if key.stop is None else key.stop
    numbers = numpy.arange(start, stop, step)
    return numbers[numpy.isin(numbers, axis)].tolist()


class _Lines(Mapping[Any, Any]):
    _get: Any
    _set: Any
    _is_single: Any

    def __init__(self, file: SegyFile, axis: int) -> None:
        self._of, self._axis = file, axis
        self._places = file._lines()
        self._heads = {int(number): i for i, number in enumerate(self._places.axes[axis])}
        self._offsets = {int(number): i for i, number in enumerate(self._places.axes[2])}

    def _numbers(self, line: Any, offset: Any) -> numpy.ndarray:
        """Returns the trace numbers of a line. Raises KeyError: there is no such line or offset."""
        if isinstance(offset, (dict, list, str)):
            raise TypeError(f"an offset is a number, not a {type(offset).__name__}")
        if line not in self._heads or offset not in self._offsets:
            raise KeyError(f"there is no line {line} with offset {offset}")
        here, across = self._heads[line], numpy.arange(len(self._places.axes[1 - self._axis]))
        i, j = (here, across) if self._axis == 0 else (across, here)
        return self._places.numbers(i, j, self._offsets[offset])

    def _pairs(self, key: Any) -> tuple[bool, list[tuple[Any, Any]]]:
        """Returns whether the key is one line, and the lines and offsets it stands for."""
        first = next(iter(self._offsets))
        line, offset = key if isinstance(key, tuple) else (key, first)
        if not isinstance(line, slice) and not isinstance(offset, slice):
            return True, [(line, offset)]
        lines = chosen(line, self._places.axes[self._axis]) if isinstance(line, slice) else [line]
        offsets = chosen(offset, self._places.axes[2]) if isinstance(offset, slice) else [offset]
        return False, list(itertools.product(lines, offsets))

    def __getitem__(self, key: Any) -> Any:
        is_one, pairs = self._pairs(key)
        if is_one:
            return self._get(self._numbers(*pairs[0]))
        return (self._get(self._numbers(*pair)) for pair in pairs)

    def __setitem__(self, key: Any, value: Any) -> None:
        is_one, pairs = self._pairs(key)
        if is_one:
            self._set(self._numbers(*pairs[0]), value)
            return
        values = itertools.repeat(value) if self._is_single(value) else value
        for pair, each in zip(pairs, values, strict=False):
            self._set(self._numbers(*pair), each)

    def __len__(self) -> int:
        return len(self._heads)

    def __contains__(self, key: object) -> bool:
        return key in self._heads

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the lines, not over their numbers."""
        return self[:]

    def keys(self) -> Any:
        """Returns the line numbers."""
        return sorted(self._heads)

    def values(self) -> Any:
        """Returns an iterator over the lines."""
        return self[:]

    def items(self) -> Any:
        """Returns an iterator over numbers and lines."""
        return zip(self.keys(), self[:], strict=True)


class Line(_Lines):
    """Lines as arrays (places, samples): ``f.iline[1200]``, ``f.iline[1200, 500]`` of an offset; slices iterate.

    Places without a trace are NaN, or 0 in integer formats. Assigning writes the traces of a line.

    Raises:
        KeyError: there is no such line or offset
        ValueError: an assigned line has another shape, or a place of the line has no trace
    """

    def _get(self, numbers: numpy.ndarray) -> numpy.ndarray:
        return self._of.read_traces(numbers)

    def _set(self, numbers: numpy.ndarray, value: Any) -> None:
        self._of._write_traces(numbers, self._of._as_samples(value, (len(numbers), self._of._sample_count)))

    def _is_single(self, value: Any) -> bool:
        return numpy.ndim(value) == 0 and not isinstance(value, Iterable)


class HeaderLine(_Lines):
    """The headers of lines: ``f.header.iline[1200]`` iterates over `Field`s."""

    def _get(self, numbers: numpy.ndarray) -> Iterator[Field]:
        return (self._of._trace_field(int(number)) for number in numbers if number >= 0)

    def _set(self, numbers: numpy.ndarray, value: Any) -> None:
        if self._is_single(value):
            self._of.header.update(numbers[numbers >= 0], value)
            return
        if (numbers < 0).any():
            raise ValueError("the line has places without a trace: assign one header or dictionary to all its traces")
        for number, each in zip(numbers, value, strict=False):
            self._of._trace_field(int(number)).update(each)

    def _is_single(self, value: Any) -> bool:
        return isinstance(value, Mapping) and not isinstance(value, _Lines)


class Depth(Items):
    """Slices: one sample of each trace; of prestack files, of the first offset."""

    def __init__(self, file: SegyFile) -> None:
        super().__init__(file)
        places = file._geometry
        if places is None:
            self._numbers = numpy.arange(file.tracecount)
        else:
            i, j = numpy.ix_(range(len(places.axes[0])), range(len(places.axes[1])))
            numbers = places.numbers(i, j, 0)
            self._numbers = numbers if places.sorting == 2 else numbers.T
        flat = self._numbers.reshape(-1)
        steps = numpy.diff(flat)
        self._is_regular = len(flat) > 0 and flat[0] >= 0 and bool((steps > 0).all() and (steps == steps[:1]).all())

    @property
    def shape(self) -> Any:
        """The shape of a slice; a number without lines."""
        return self._numbers.shape if self._numbers.ndim > 1 else len(self._numbers)

    def __len__(self) -> int:
        return len(self._of.samples)

    def _get(self, sample: int) -> numpy.ndarray:
        dtype, flat = self._of.dtype, self._numbers.reshape(-1)
        values = numpy.full(len(flat), numpy.nan if dtype.kind == "f" else 0, dtype)
        values[flat >= 0] = self._read(numpy.ascontiguousarray(flat[flat >= 0]), sample)
        return values.reshape(self.shape)

    def _read(self, numbers: numpy.ndarray, sample: int) -> numpy.ndarray:
        file, layout, count = self._of, self._of._layout, len(numbers)
        file._survey.read_sample(numbers[:1], sample)  # checks the sample format
        is_large = file.dtype.kind != "f" and file.dtype.itemsize == 8  # float64 does not hold all values
        if not layout["is_contiguous"] and is_large:
            return numpy.array([file.read_traces(int(number))[sample] for number in numbers], file.dtype)
        if not (layout["is_contiguous"] and (self._is_regular or is_large)):
            return file._survey.read_sample(numbers, sample)
        at, width = file._positions(numbers) + layout["header_bytes"] + sample * layout["sample_bytes"], layout["sample_bytes"]
        stride = int(at[1] - at[0]) if count > 1 else width
        regular = self._is_regular  # then one request for all traces
        data = file._file.read_strided(int(at[0]), width, stride, count) if regular else file._file.read_parts(at, width)
        values = numpy.empty(count, file.dtype)
        _sill.decode_samples(data, layout["format"], layout["revision"], layout["order"], values)
        return values

    def _set(self, sample: int, value: Any) -> None:
        self._of._write_traces(self._numbers, self._of._as_samples(value, self._numbers.shape), sample)
