"""The lines of a survey and the places of its traces, from columns of line numbers and offsets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy

MIN_FILL = 0.25  # an irregular cube with a smaller share of its places is not a cube


class Geometry:
    """Line numbers, and the trace at each place (iline, xline, offset)."""

    def __init__(self, axes: Any, sorting: int, steps: Any = None, table: Any = None) -> None:
        self.axes = [_narrow(numpy.asarray(axis)) for axis in axes]
        self.sorting = sorting
        self.table = table  # trace numbers; -1: none. Only for irregular cubes
        sizes = [len(axis) for axis in self.axes]
        self.steps = steps = _standard_steps(sizes, sorting) if steps is None else steps
        self.is_standard = table is None and all(
            size == 1 or step == own
            for size, step, own in zip(sizes, steps, _standard_steps(sizes, sorting), strict=True)
        )

    def numbers(self, i: Any, j: Any, k: Any) -> Any:
        """Returns the trace numbers at places, which are indices that broadcast together."""
        if self.table is not None:
            return self.table[i, j, k]
        places = [numpy.asarray(place, numpy.int64) for place in (i, j, k)]
        return sum(place * step for place, step in zip(places, self.steps, strict=True))


def _standard_steps(sizes: list[int], sorting: int) -> tuple[int, ...]:
    """Returns the distances in traces along the axes if offsets vary fastest."""
    return (sizes[1] * sizes[2], sizes[2], 1) if sorting == 2 else (sizes[2], sizes[0] * sizes[2], 1)


def _narrow(axis: numpy.ndarray) -> numpy.ndarray:
    """Returns line numbers as segyio has them, as C ints, if they fit."""
    fits = axis.size == 0 or -(2**31) <= axis.min() and axis.max() < 2**31
    return numpy.ascontiguousarray(axis, numpy.intc if fits else numpy.int64)


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
    return Geometry(axes, sorting)


def find(iline: numpy.ndarray, xline: numpy.ndarray, offset: numpy.ndarray) -> Geometry:
    """Returns the geometry of traces with these numbers.

    If all places (iline, xline) have equally many traces, but not the same offsets, traces are counted at each place, and
    the offsets are those of the first one.

    Raises:
        ValueError: the traces are not those of a cube, possibly with holes
    """
    count = len(iline)
    if count == 0:
        raise ValueError("the file has no traces, so it has no lines")
    found = [_axis(column) for column in (iline, xline, offset)]
    sizes = [len(axis) for axis, _ in found]
    steps = _regular([place for _, place in found], sizes)
    if steps is not None:
        return Geometry([axis for axis, _ in found], *steps)
    is_counted = False
    fold, gather = _folds(found[0][1], found[1][1])
    same_offsets = fold == sizes[2] and len(numpy.unique(gather * sizes[2] + found[2][1])) == count
    if fold is not None and not same_offsets:
        first = offset[gather == gather[0]]
        is_counted = len(numpy.unique(first)) == fold
    if is_counted:
        order, rank = numpy.argsort(gather, kind="stable"), numpy.empty(count, numpy.int64)
        rank[order] = numpy.arange(count) % fold
        found[2], sizes[2] = (first, rank), len(first)
        steps = _regular([place for _, place in found], sizes)
        if steps is not None:
            return Geometry([axis for axis, _ in found], *steps)
    space = sizes[0] * sizes[1] * sizes[2]
    if count < MIN_FILL * space:
        raise ValueError(f"{count} traces have {sizes[0]} inlines, {sizes[1]} crosslines and {sizes[2]} offsets: no cube")
    for k in range(2 if is_counted else 3):  # lines are sorted
        found[k] = _axis((iline, xline, offset)[k], is_sorted=True)
    axes, places = zip(*found, strict=True)
    table = numpy.full(sizes, -1, numpy.int64)
    table[places] = numpy.arange(count)
    if numpy.count_nonzero(table >= 0) != count:
        raise ValueError("several traces have the same inline, crossline and offset: pass other header words or "
                         "ignore_geometry=True")  # fmt: skip
    slow_inlines = numpy.count_nonzero(numpy.diff(iline)) <= numpy.count_nonzero(numpy.diff(xline))
    return Geometry(axes, 2 if slow_inlines else 1, table=table)


def _axis(column: numpy.ndarray, is_sorted: bool = False) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Returns the numbers in a column, sorted or as they come in the file, and the index of each trace among them."""
    axis, first, place = numpy.unique(column, return_index=True, return_inverse=True)
    if is_sorted:
        return axis, place.reshape(-1)
    order = numpy.argsort(first)
    rank = numpy.empty_like(order)
    rank[order] = numpy.arange(len(order))
    return axis[order], rank[place.reshape(-1)]


def _regular(places: list[numpy.ndarray], sizes: list[int]) -> tuple[int, tuple[int, ...]] | None:
    """Returns the sorting and the steps in traces along the axes, or None: the traces are not in an order of a cube."""
    if len(places[0]) != sizes[0] * sizes[1] * sizes[2]:
        return None
    usual = ((0, 1, 2), (1, 0, 2)) if sizes[1] > 1 else ((1, 0, 2), (0, 1, 2))  # a single crossline is its order
    for order in (*usual, *itertools.permutations(range(3))):
        shape = [sizes[axis] for axis in order]
        steps = [0, 0, 0]
        for depth, axis in enumerate(order):
            steps[axis] = int(numpy.prod(shape[depth + 1 :], dtype=numpy.int64))
        if all(
            (places[axis].reshape(shape) == numpy.arange(sizes[axis]).reshape([-1] + [1] * (2 - depth))).all()
            for depth, axis in enumerate(order)
        ):
            return 2 if order.index(0) < order.index(1) else 1, tuple(steps)
    return None


def _folds(i: numpy.ndarray, j: numpy.ndarray) -> tuple[int | None, numpy.ndarray]:
    """Returns the number of traces at each place that has any, None if it varies; and the place of each trace."""
    gather = numpy.int64(i) * (int(j.max()) + 1) + j
    counts = numpy.unique(gather, return_counts=True)[1]
    return int(counts[0]) if (counts == counts[0]).all() else None, gather
