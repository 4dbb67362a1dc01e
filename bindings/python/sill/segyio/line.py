"""Lines, by their numbers, and slices."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from ..survey import numbers_in_slice
from .field import Field, Items, blocks

if TYPE_CHECKING:
    from .segy import SegyFile


class _Lines(Mapping[Any, Any]):
    _get: Any
    _set: Any
    _is_single: Any

    def __init__(self, file: SegyFile, axis: int) -> None:
        self._of, self._axis = file, axis
        self._places = file._lines()
        self.lines = self._places.axes[axis]
        self.length = len(self._places.axes[1 - axis])  # places of a line
        self.offsets = {int(number): i for i, number in enumerate(self._places.axes[2])}

    def _numbers(self, line: Any, offset: Any) -> numpy.ndarray:
        """Returns the trace numbers of a line. Raises KeyError: there is no such line or offset."""
        if isinstance(offset, str):
            raise TypeError("an offset is a number, not a str")
        places = self._places
        return places.table.take(places.index(self._axis, line), self._axis)[:, places.index(2, offset)]

    def ranges(self, index: Any, offset: Any) -> tuple[list[int], list[int]]:
        """Returns the numbers of lines, and the offsets, that two slices or numbers contain."""
        keys = [key if isinstance(key, slice) else slice(key, key + 1) for key in (index, offset)]
        axes = (self.lines, self._places.axes[2])
        lines, offsets = (numbers_in_slice(key, axis) for key, axis in zip(keys, axes, strict=True))
        return lines, offsets

    def _pairs(self, key: Any) -> list[tuple[Any, Any]] | None:
        """Returns the lines and offsets for which a key with slices stands; None for a key that is one line."""
        line, offset = key if isinstance(key, tuple) else (key, None)
        if not isinstance(line, slice) and not isinstance(offset, slice):
            return None
        return list(itertools.product(*self.ranges(line, next(iter(self.offsets)) if offset is None else offset)))

    def _one(self, key: Any) -> numpy.ndarray:
        return self._numbers(*(key if isinstance(key, tuple) else (key, self._places.axes[2][0])))

    def __getitem__(self, key: Any) -> Any:
        pairs = self._pairs(key)
        return self._get(self._one(key)) if pairs is None else (self._get(self._numbers(*pair)) for pair in pairs)

    def __setitem__(self, key: Any, value: Any) -> None:
        pairs = self._pairs(key)
        if pairs is None:
            self._set(self._one(key), value)
            return
        values = itertools.repeat(value) if self._is_single(value) else value
        for pair, each in zip(pairs, values, strict=False):
            self._set(self._numbers(*pair), each)

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

    @property
    def shape(self) -> tuple[int, int]:
        """(places, samples) of a line."""
        return (self.length, self._of._sample_count)

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

    def __init__(self, file: SegyFile) -> None:
        super().__init__(file)
        places = file._geometry
        self._numbers = numpy.arange(file.tracecount) if places is None else places.by_lines[:, :, 0]

    @property
    def shape(self) -> Any:
        """The shape of a slice; a number without lines."""
        return self._numbers.shape if self._numbers.ndim > 1 else len(self._numbers)

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
