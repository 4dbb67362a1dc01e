"""Gathers by lines and offsets, and groups by header words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from .line import chosen

if TYPE_CHECKING:
    from .segy import SegyFile


class Gather:
    """The traces of places: ``f.gather[iline, xline]`` has the shape (offsets, samples), or (samples) with one offset.

    ``f.gather[iline, xline, offset]`` is a trace. Slices of lines iterate. Raises KeyError: there is no such place.
    """

    def __init__(self, file: SegyFile) -> None:
        self._of = file
        self._places = file._lines()

    def __getitem__(self, key: Any) -> Any:
        axes = self._places.axes
        iline, xline, *rest = key
        offset = rest[0] if rest else slice(None) if len(axes[2]) > 1 else int(axes[2][0])
        if not isinstance(iline, slice) and not isinstance(xline, slice):
            return self._read(iline, xline, offset)
        ilines, xlines = (
            chosen(wanted, axis) if isinstance(wanted, slice) else [wanted]
            for wanted, axis in ((iline, axes[0]), (xline, axes[1]))
        )
        return (self._read(i, x, offset) for i, x in itertools.product(ilines, xlines))

    def _read(self, iline: Any, xline: Any, offset: Any) -> numpy.ndarray:
        offsets = chosen(offset, self._places.axes[2]) if isinstance(offset, slice) else offset
        i, j, k = map(self._place, (iline, xline, offsets), self._places.axes)
        empty = isinstance(k, numpy.ndarray) and k.size == 0
        return numpy.empty(0, self._of.dtype) if empty else self._of.read_traces(self._places.numbers(i, j, k))

    @staticmethod
    def _place(number: Any, axis: numpy.ndarray) -> Any:
        if isinstance(number, list):
            return numpy.array([Gather._place(each, axis) for each in number], numpy.int64)
        at = numpy.flatnonzero(axis == number)
        if len(at) == 0:
            raise KeyError(f"there is no line or offset {number}")
        return int(at[0])


class Group:
    """Traces with equal header words.

    Attributes:
        key: the value of the word, or the set of pairs (word, value) for several words
        index: the numbers of the traces
    """

    def __init__(self, file: SegyFile, key: Any, index: list[int]) -> None:
        self._of, self.key, self.index = file, key, index

    @property
    def header(self) -> Iterator[Any]:
        """The headers of the traces."""
        return (self._of.header[number] for number in self.index)

    @property
    def trace(self) -> Iterator[numpy.ndarray]:
        """The samples of the traces."""
        return iter(self._of.read_traces(self.index))

    def sort(self, fields: Any) -> None:
        """Sorts the traces by header words, the first one first."""
        fields = [fields] if isinstance(fields, int) else list(fields)
        columns = [self._of.attributes(field)[numpy.array(self.index)] for field in fields]
        self.index = [self.index[i] for i in numpy.lexsort(columns[::-1])]


class Groups(Mapping[Any, Group]):
    """The groups of a file, by their keys, in the order in which they come in the file."""

    def __init__(self, file: SegyFile, word: Any) -> None:
        self._of = file
        words = [word] if isinstance(word, int) else list(word)
        columns = numpy.stack([file.attributes(each)[:] for each in words], axis=1)
        values, first, group = numpy.unique(columns, axis=0, return_index=True, return_inverse=True)
        order = numpy.argsort(group.reshape(-1), kind="stable")
        parts = numpy.split(order, numpy.cumsum(numpy.bincount(group.reshape(-1)))[:-1])
        self._groups: dict[Any, Group] = {}
        for i in numpy.argsort(first):
            row = [int(value) for value in values[i]]
            key = row[0] if isinstance(word, int) else frozenset(zip(map(int, words), row, strict=True))
            self._groups[key] = Group(file, key, parts[i].tolist())

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
