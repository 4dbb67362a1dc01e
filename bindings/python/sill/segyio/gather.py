"""Gathers by lines and offsets, and groups by header words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from ..survey import numbers_in_slice

if TYPE_CHECKING:
    from .segy import SegyFile


class Gather:
    """The traces of places: ``f.gather[iline, xline]`` has the shape (offsets, samples), or (samples) with one offset.

    ``f.gather[iline, xline, offset]`` is a trace. Slices of lines iterate. Raises KeyError: there is no such place.
    """

    def __init__(self, file: SegyFile) -> None:
        self._of, self._places = file, file._lines()

    def __getitem__(self, key: Any) -> Any:
        *lines, offset = key if len(key) > 2 else (*key, None)
        if not any(isinstance(line, slice) for line in lines):
            return self._read(*lines, offset)
        numbers = [numbers_in_slice(line, axis) if isinstance(line, slice) else [line]
                   for line, axis in zip(lines, self._places.axes, strict=False)]  # fmt: skip
        return (self._read(*pair, offset) for pair in itertools.product(*numbers))

    def _read(self, iline: Any, xline: Any, offset: Any) -> numpy.ndarray:
        index, offsets = self._places.index, self._places.axes[2]
        if offset is None:
            offset = slice(None) if len(offsets) > 1 else offsets[0]
        k: Any = [index(2, each) for each in numbers_in_slice(offset, offsets)] if isinstance(offset, slice) else index(2, offset)
        numbers = self._places.table[index(0, iline), index(1, xline), k]
        return numpy.empty(0, self._of.dtype) if k == [] else self._of.read_traces(numbers)


class Group:
    """Traces with equal header words.

    Attributes:
        key: the value of the word, or the set of pairs (word, value) for several words
        index: the numbers of the traces
    """

    def __init__(self, file: SegyFile, key: Any, index: list[int]) -> None:
        self._of, self.key, self.index = file, key, index

    header = property(lambda self: map(self._of.header.__getitem__, self.index), doc="The headers of the traces.")
    trace = property(lambda self: iter(self._of.read_traces(self.index)), doc="The samples of the traces.")

    def sort(self, fields: Any) -> None:
        """Sorts the traces by header words, the first one first."""
        columns = [self._of.attributes(field)[self.index] for field in _listed(fields)]
        self.index = [self.index[i] for i in numpy.lexsort(columns[::-1])]


class Groups(Mapping[Any, Group]):
    """The groups of a file, by their keys, in the order in which they come in the file."""

    def __init__(self, file: SegyFile, word: Any) -> None:
        words = [int(each) for each in _listed(word)]
        columns = [file.attributes(each) for each in words]
        gathers = file._survey.gathers(",".join(column._word for column in columns), "")
        traces = sorted((gathers.traces(i).tolist() for i in range(len(gathers))), key=lambda numbers: numbers[0])
        values = [column[[numbers[0] for numbers in traces]].tolist() for column in columns]
        self._groups: dict[Any, Group] = {}
        for numbers, *row in zip(traces, *values, strict=True):
            key = row[0] if isinstance(word, int) else frozenset(zip(words, row, strict=True))
            self._groups[key] = Group(file, key, numbers)

    @staticmethod
    def _key(key: Any) -> Any:
        if isinstance(key, (int, numpy.integer)):
            return int(key)
        return frozenset((int(word), int(value)) for word, value in dict(key).items())

    def __getitem__(self, key: Any) -> Group:
        return self._groups[self._key(key)]

    def __contains__(self, key: object) -> bool:
        return self._key(key) in self._groups

    def __iter__(self) -> Iterator[Any]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def sort(self, fields: Any) -> None:
        """Sorts the traces of each group by header words."""
        for group in self._groups.values():
            group.sort(fields)


def _listed(words: Any) -> list[Any]:
    return [words] if isinstance(words, int) else list(words)
