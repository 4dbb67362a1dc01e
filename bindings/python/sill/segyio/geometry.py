"""The lines of a survey and the places of its traces, from columns of line numbers and offsets."""

from __future__ import annotations

from typing import Any

import numpy

MIN_FILL = 0.25  # an irregular cube with a smaller share of its places is not a cube


class Geometry:
    """Line numbers, and `table`: the trace at each place (inline, crossline, offset), -1 for none.

    `axes` are the numbers of inlines, crosslines and offsets, as C ints if they fit.
    """

    def __init__(self, axes: Any, sorting: int, table: numpy.ndarray) -> None:
        fits = [len(axis) == 0 or -(2**31) <= min(axis) and max(axis) < 2**31 for axis in axes]
        self.axes = [numpy.array(axis, numpy.intc if fit else numpy.int64) for axis, fit in zip(axes, fits, strict=True)]
        self.sorting, self.table = sorting, table
        self._indices = [{number: i for i, number in enumerate(axis.tolist())} for axis in self.axes]

    def index(self, axis: int, number: Any) -> int:
        """Returns the place of a number along an axis. Raises KeyError: there is none."""
        if number not in self._indices[axis]:
            raise KeyError(f"there is no {('inline', 'crossline', 'offset')[axis]} {number}")
        return self._indices[axis][number]

    @property
    def by_lines(self) -> numpy.ndarray:
        """The table with slow lines, fast lines and offsets as axes."""
        return self.table if self.sorting == 2 else self.table.swapaxes(0, 1)

    @property
    def is_standard(self) -> bool:
        """Whether traces are in the order of `by_lines`."""
        return bool((self.by_lines.reshape(-1) == numpy.arange(self.table.size)).all())


def stated(axes: Any, sorting: int, traces: int) -> Geometry:
    """Returns the geometry of these numbers. Raises ValueError: numbers repeat, or the traces are not their product."""
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
    cube; otherwise they are sorted.

    Raises:
        ValueError: the traces are not those of a cube, possibly with holes
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
    """Returns the numbers in a column, as they come in the file, and the index of each trace among them."""
    axis, first, place = numpy.unique(column, return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    return axis[order], numpy.argsort(order)[place]


def _filled(found: Any, count: int) -> numpy.ndarray:
    """Returns the table of traces at places."""
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
