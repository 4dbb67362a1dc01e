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
        self._of, self._axis, self._places = file, axis, file._lines()
        self.lines = self._places.axes[axis]
        self.length = len(self._places.axes[1 - axis])  # places of a line
        self.offsets = {int(number): i for i, number in enumerate(self._places.axes[2])}

    def _numbers(self, line: Any, offset: Any) -> numpy.ndarray:
        """Returns the trace numbers of a line. Raises KeyError: there is no such line or offset."""
        places = self._places
        return places.table.take(places.index(self._axis, line), self._axis)[:, places.index(2, offset)]

    def ranges(self, index: Any, offset: Any) -> tuple[list[int], list[int]]:
        """Returns the numbers of lines, and the offsets, that two slices or numbers contain."""
        keys = [key if isinstance(key, slice) else slice(key, key + 1) for key in (index, offset)]
        return numbers_in_slice(keys[0], self.lines), numbers_in_slice(keys[1], self._places.axes[2])

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
