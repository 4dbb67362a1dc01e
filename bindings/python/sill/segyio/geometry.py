"""The lines of a survey and the places of its traces, from columns of line numbers and offsets."""

from __future__ import annotations

import itertools
from typing import Any

import numpy

MIN_FILL = 0.25  # an irregular cube with a smaller share of its places is not a cube


class Geometry:
    """Line numbers, and the trace at each place (iline, xline, offset)."""

    def __init__(self, axes: Any, sorting: int, steps: Any = None, table: Any = None) -> None:
        self.axes = [numpy.ascontiguousarray(axis, numpy.intc) for axis in axes]
        self.sorting = sorting
        self.table = table  # trace numbers; -1: none. Only for irregular cubes
        sizes = [len(axis) for axis in self.axes]
        if steps is None:  # offsets vary fastest
            steps = (sizes[1] * sizes[2], sizes[2], 1) if sorting == 2 else (sizes[2], sizes[0] * sizes[2], 1)
        self.steps = steps

    def numbers(self, i: Any, j: Any, k: Any) -> Any:
        """Returns the trace numbers at places, which are indices that broadcast together."""
        if self.table is not None:
            return self.table[i, j, k]
        places = [numpy.asarray(place, numpy.int64) for place in (i, j, k)]
        return sum(place * step for place, step in zip(places, self.steps, strict=True))


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

    Raises:
        ValueError: the traces are not those of a cube, possibly with holes
    """
    columns = [iline, xline, offset]
    order: Any
    if len(iline) == 0:
        raise ValueError("the file has no traces, so it has no lines")
    axes: list[Any] = []
    places: list[Any] = []
    for column in columns:
        axis, first, place = numpy.unique(column, return_index=True, return_inverse=True)
        order = numpy.argsort(first)  # as they come in the file
        rank = numpy.empty_like(order)
        rank[order] = numpy.arange(len(order))
        axes.append(axis[order])
        places.append(rank[place.reshape(-1)])
    sizes = [len(axis) for axis in axes]
    count = len(iline)
    if count == sizes[0] * sizes[1] * sizes[2]:
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
                return Geometry(axes, 2 if order.index(0) < order.index(1) else 1, tuple(steps))
    space = sizes[0] * sizes[1] * sizes[2]
    if count < MIN_FILL * space:
        raise ValueError(f"{count} traces have {sizes[0]} inlines, {sizes[1]} crosslines and {sizes[2]} offsets: no cube")
    axes, places = [], []
    for column in columns:
        axis, place = numpy.unique(column, return_inverse=True)
        axes.append(axis)
        places.append(place.reshape(-1))
    table = numpy.full(sizes, -1, numpy.int64)
    table[tuple(places)] = numpy.arange(count)
    if numpy.count_nonzero(table >= 0) != count:
        raise ValueError("several traces have the same inline, crossline and offset: pass other header words or "
                         "ignore_geometry=True")  # fmt: skip
    slow_inlines = numpy.count_nonzero(numpy.diff(iline)) <= numpy.count_nonzero(numpy.diff(xline))
    return Geometry(axes, 2 if slow_inlines else 1, table=table)
