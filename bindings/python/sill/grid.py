"""The inlines and crosslines of a post-stack grid, from few headers while its traces are those of a regular cube."""

from __future__ import annotations

import contextlib
import math
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from . import _sill
from .arrays import Array
from .commands import SillWarning

if TYPE_CHECKING:
    from .files import Files

Axes: TypeAlias = "tuple[tuple[str, Array, Array], ...]"  # word, line numbers, traces (a row per line, -1 for none)
_WORDS = ("iline", "xline", "trid")
_LARGEST = 100_000  # larger numbers may be coordinates: all headers decide


def lines_in(words: Any, numbers: Any, traces: Array) -> Axes:
    """Returns inlines and crosslines that have traces."""
    in_use = [(traces >= 0).any(axis=1), (traces >= 0).any(axis=0)]
    traces, numbers = traces[numpy.ix_(*in_use)], [each[some] for each, some in zip(numbers, in_use, strict=True)]
    for each in numbers:
        each.flags.writeable = False
    return tuple(zip(words, numbers, (traces, traces.T), strict=True))


class Cube:
    """A regular cube with equal steps, of which few headers were read.

    Attributes:
        slow: 0 if the inline number varies slowest, 1: the crossline number
        numbers: those along the slow axis and the fast axis, and the offsets
        table: the trace at each place (inline, crossline, offset)
    """

    def __init__(self, slow: int, numbers: list[Array]) -> None:
        self.slow, self.numbers = slow, numbers
        self._shape = [len(each) for each in numbers]
        self.table = numpy.arange(math.prod(self._shape)).reshape(self._shape)
        self.table = self.table.swapaxes(0, 1) if slow else self.table

    def agrees(self, traces: Array, found: Any) -> bool:
        """Returns whether traces with these inline and crossline numbers and offsets are at their places."""
        places, rows = numpy.unravel_index(traces, self._shape), (self.slow, 1 - self.slow, 2)
        return all((self.numbers[k][places[k]] == found[row]).all() for k, row in enumerate(rows))


def cube_of(read: Callable[[Array], Any], traces: int, few: bool = False) -> Cube | None:
    """Returns the cube of which the first two bins and the last trace are; None if the traces are not those of a cube.

    `read` returns inline and crossline numbers and offsets of traces: the ends of all lines, and all of the first, the
    middle and the last line; with `few` the ends of these three.
    """
    begin, offsets, end = 0, 0, min(2, traces)
    if traces == 0:
        return None
    while offsets == 0:
        il, xl, *_ = read(numpy.append(0, numpy.arange(begin, end)))
        other = numpy.flatnonzero((il[1:] != il[0]) | (xl[1:] != xl[0]))
        offsets = begin + int(other[0]) if other.size else 0
        if offsets == 0 and end == traces:
            return None
        begin, end = end, min(32 * end, traces)
    found = [column.tolist() for column in read(numpy.array([0, offsets, traces - 1]))[:2]]
    slow = int(found[0][0] != found[0][1])
    (low, same, high), (first, second, last) = found[slow], found[1 - slow]
    length = (last - first) // (second - first) + 1
    count, rest = divmod(traces, max(1, length) * offsets)
    step = (high - low) // max(1, count - 1)
    if low != same or rest or length < 2 or (step == 0) != (count == 1):
        return None
    _sill.require_memory(20 * traces)
    numbers = [low + step * numpy.arange(count), first + (second - first) * numpy.arange(length), read(numpy.arange(offsets))[2]]
    cube, line = Cube(slow, numbers), length * offsets
    three = line * numpy.array([0, count // 2, count - 1])
    starts = three if few else line * numpy.arange(count)
    sample = [starts, starts + line - 1] + [start + numpy.arange(0 if few else line) for start in three]
    traces_of = numpy.unique(numpy.concatenate(sample))
    return cube if len(numpy.unique(numbers[2])) == offsets and cube.agrees(traces_of, read(traces_of)) else None


def _numbers_in(columns: list[Any]) -> Array:
    """Returns inline and crossline numbers, and 0. Raises ValueError: they are no integers, or traces may be auxiliary."""
    if any(numpy.asarray(column).dtype.kind != "i" for column in columns) or numpy.any((columns[2] < 0) | (columns[2] > 2)):
        raise ValueError
    return numpy.array([*columns[:2], numpy.zeros(len(columns[0]), numpy.int64)])


class Grid:
    """The grid of files, from few headers if they are those of a regular cube, otherwise from all.

    Attributes:
        axes: inlines and crosslines; traces that are not read by `read` must be compared by `require_all`
    """

    def __init__(self, files: Files) -> None:
        self._files = weakref.proxy(files)  # which may be closed while this object exists
        self._unread: Array | None = None  # traces of a regular cube whose headers were not compared; None: all were
        if not self._is_regular():
            self._read_all()

    def _read_all(self) -> None:
        *axes, traces = self._files.opened.grid()
        numbers = [first + step * numpy.arange(count) for (_, first, step), count in zip(axes, traces.shape, strict=True)]
        self.axes: Axes = lines_in([word for word, *_ in axes], numbers, traces)
        self._unread = None  # at last: other threads look at it

    def require_all(self) -> bool:
        """Compares the grid with all headers that were not read; returns whether there were any."""
        unread = self._unread
        if unread is None:
            return False
        chosen = numpy.flatnonzero(unread)
        if self._is_expected(chosen, lambda: self._read_columns(chosen)):
            self._unread = None
        else:
            self._determine_anew()
        return True

    def read(self, numbers: Array) -> Array | None:
        """Returns the samples of traces, as `Files.traces_of`.

        Returns None if not all of them are at the places of `axes`, which are then determined from all headers.
        """
        unread = self._unread
        if unread is None or numpy.min(numbers, initial=0) < 0 or not unread[numbers].any():  # -1: another thread's `axes`
            return self._files.traces_of(numbers)[0]
        traces, columns = self._files.traces_of(numbers, _WORDS)
        if self._is_expected(numpy.ravel(numbers), lambda: columns):
            unread[numbers] = False
            return traces
        self._determine_anew()
        return None

    def _determine_anew(self) -> None:
        """Determines `axes` from all headers; warns if they change."""
        before = self.axes
        self._read_all()
        if not all(numpy.array_equal(was[1], now[1]) for was, now in zip(before, self.axes, strict=True)):
            warnings.warn("the cube is not regular: the numbers of inlines and crosslines are now those of all traces, which "
                          "were not read before", SillWarning, stacklevel=4)  # fmt: skip

    def _read_columns(self, traces: Array) -> list[Any]:
        is_all = len(traces) == self._files.opened.traces
        return self._files.opened.read_columns((0, len(traces)) if is_all else traces, list(_WORDS))

    def _is_expected(self, traces: Array, columns: Callable[[], list[Any]]) -> bool:
        try:
            return self._cube.agrees(traces, _numbers_in(columns()))
        except ValueError:
            return False

    def _is_regular(self) -> bool:
        """Sets `axes` to those of a cube if few headers are."""
        opened = self._files.opened
        if opened.traces < 4 or not set(_WORDS) <= set(opened.words) or not opened.text_allows_lines:
            return False
        with contextlib.suppress(ValueError):
            read = self._read_columns
            cube = cube_of(lambda traces: _numbers_in(read(traces)), opened.traces, self._files.remote is not None)
            if cube is None or cube.table.shape[2] > 1 or 1 in cube.table.shape[:2]:
                return False
            numbers = [cube.numbers[cube.slow], cube.numbers[1 - cube.slow]]
            if min(abs(each).max() for each in numbers) >= _LARGEST:
                return False
            orders = [numpy.argsort(each) for each in numbers]
            ascending = [each[order] for each, order in zip(numbers, orders, strict=True)]
            self.axes = lines_in(_WORDS[:2], ascending, cube.table[:, :, 0][numpy.ix_(*orders)])
            self._cube, self._unread = cube, numpy.ones(opened.traces, bool)
            return True
        return False
