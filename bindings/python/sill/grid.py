"""The inlines and crosslines of a post-stack grid, from few headers while its traces are those of a regular cube."""

from __future__ import annotations

import warnings
import weakref
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


class Grid:
    """The grid of files, from few headers if they are those of a regular cube, otherwise from all.

    Attributes:
        axes: inlines and crosslines; `agrees` must be called for the traces that are used
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
        return self._unread is not None and (self.agrees(None) or True)

    def agrees(self, numbers: Array | None) -> bool:
        """Returns whether traces (None: all) are at the places of `axes`; if not, determines `axes` from all headers."""
        unread = self._unread
        if unread is None:
            return True
        chosen = numpy.flatnonzero(unread) if numbers is None else numpy.unique(numbers[unread[numbers]])
        if len(chosen) == 0 or self._is_expected(chosen):
            unread[chosen] = False
            if numbers is None:
                self._unread = None
            return True
        before = self.axes
        self._read_all()
        if not all(numpy.array_equal(was[1], now[1]) for was, now in zip(before, self.axes, strict=True)):
            warnings.warn("the cube is not regular: the numbers of inlines and crosslines are now those of all traces, which "
                          "were not read before", SillWarning, stacklevel=4)  # fmt: skip
        return False

    def _columns(self, traces: Array) -> Array | None:
        """Returns inline and crossline numbers; None if they are no integers, or if a trace may be auxiliary."""
        is_all = len(traces) == self._files.opened.traces
        columns = self._files.opened.read_columns((0, len(traces)) if is_all else traces, list(_WORDS))
        if any(numpy.asarray(column).dtype.kind != "i" for column in columns):
            return None
        return None if ((columns[2] < 0) | (columns[2] > 2)).any() else numpy.array(columns[:2])

    def _is_expected(self, traces: Array) -> bool:
        found, (slow, numbers) = self._columns(traces), self._cube
        places = numpy.divmod(traces, len(numbers[1]))
        return found is not None and all((numbers[k][places[k]] == found[k ^ slow]).all() for k in (0, 1))

    def _is_regular(self) -> bool:
        """Sets `axes` to those of a cube if some headers are: the ends of all lines; of remote files, of three."""
        traces = self._files.opened.traces
        if traces < 4 or not set(_WORDS) <= set(self._files.opened.words) or not self._files.opened.text_allows_lines:
            return False
        found = self._columns(numpy.array([0, 1, traces - 1]))
        if found is None or abs(found).max(axis=1).min() >= _LARGEST:
            return False
        slow = int(found[0, 0] != found[0, 1])
        (begin, _, end), (first, second, last) = found[[slow, 1 - slow]].tolist()
        length = (last - first) // (second - first) + 1 if second != first else 0
        count = traces // length if length > 1 else 0
        if begin == end or count < 2 or count * length != traces:
            return False
        _sill.require_memory(20 * traces)
        numbers = [begin + (end - begin) // (count - 1) * numpy.arange(count), first + (second - first) * numpy.arange(length)]
        self._cube = slow, numbers
        starts = length * (numpy.array([0, count // 2, count - 1]) if self._files.remote else numpy.arange(count))
        if not self._is_expected(numpy.unique([starts, starts + length - 1])):
            return False
        orders = [numpy.argsort(each) for each in numbers]
        table = numpy.arange(traces).reshape(count, length)[numpy.ix_(*orders)]
        ascending = [numbers[k][orders[k]] for k in (slow, 1 - slow)]
        self.axes = lines_in(_WORDS[:2], ascending, table.T if slow else table)
        self._unread = numpy.ones(traces, bool)
        return True
