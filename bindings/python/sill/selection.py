"""The traces of a survey: all of its files, or those that numbers and a condition choose."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy

from .arrays import Array, Selection, index_in, numbers_in
from .errors import Error
from .files import Files
from .grid import Axes, lines_in
from .samples import ALL

_OPENED: weakref.WeakSet[ChosenTraces] = weakref.WeakSet()  # without gathers, whose traces are fixed
_OPENED_LOCK = threading.Lock()


@contextlib.contextmanager
def renewing() -> Iterator[None]:
    """Runs an edit of this process: surveys that fit their files before it read the edited files after it."""
    with _OPENED_LOCK:
        opened = list(_OPENED)
    before = [(survey, survey._files) for survey in opened if survey._files.is_unchanged()]
    try:
        yield
    finally:
        renewed: dict[Files, Files] = {}
        for survey, files in before:
            if not files.is_unchanged():
                with contextlib.suppress(Error):  # which reading then raises
                    if files not in renewed:
                        renewed[files] = files.renewed()
                    survey._read_from(renewed[files])


class ChosenTraces:
    """Files, and the numbers of the traces that are chosen, which are determined when they are first needed."""

    def __init__(self, files: Files, numbers: Array | None = None, condition: str = "") -> None:
        self._files = files
        self._base = numbers  # int64: the traces among which the condition chooses; None: all
        self._condition = condition  # of `where`, "": none
        self._lock = threading.Lock()
        self._evaluated: tuple[Array | None] | None = None if condition else ALL if numbers is None else (numbers,)
        if numbers is None:
            with _OPENED_LOCK:
                _OPENED.add(self)

    def _read_from(self, files: Files) -> None:
        with self._lock:
            self._files = files
            self._evaluated = None if self._condition else ALL
            self.__dict__.pop("_chosen_lines", None)

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._files, self._base, self._condition)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        ChosenTraces.__init__(self, *state)

    @property
    def _grid(self) -> Axes:
        grid = self._files.grid
        return grid.axes if self._chosen_numbers() is None else self._chosen_lines

    @functools.cached_property
    def _chosen_lines(self) -> Axes:
        self._files.grid.require_all()
        words, numbers, (traces, _) = zip(*self._files.grid.axes, strict=True)
        return lines_in(words, numbers, numpy.where(numpy.isin(traces, self._chosen_numbers()), traces, -1))

    def _chosen_numbers(self) -> Array | None:
        """Returns the numbers of the traces, or None for all; evaluates the condition first."""
        if self._evaluated is not None:
            return self._evaluated[0]
        with self._lock:
            if self._evaluated is None:
                opened = self._files.opened
                among = (0, opened.traces) if self._base is None else self._base
                rows = numpy.flatnonzero(opened.read_condition(among, self._condition))
                self._evaluated = (rows if self._base is None else self._base[rows],)
            return self._evaluated[0]

    def _selection(self) -> Selection:
        numbers = self._chosen_numbers()
        return (0, self._files.opened.traces) if numbers is None else numbers

    def _trace(self, number: int) -> int:
        """Returns the number, through all files, of trace `number` of this survey; negative numbers count from the end."""
        numbers = self._chosen_numbers()
        number = index_in(number, self._files.opened.traces if numbers is None else len(numbers))
        return number if numbers is None else int(numbers[number])

    def _selection_of(self, key: Any) -> tuple[Selection, int]:
        """Returns the traces that `key` chooses, and their number."""
        numbers = self._chosen_numbers()
        traces = self._files.opened.traces if numbers is None else len(numbers)
        if isinstance(key, slice):
            first, end, step = key.indices(traces)
            count = len(range(first, end, step))
            if numbers is None and step == 1:
                return (first, count), count
            chosen = numpy.arange(first, first + count * step, step, dtype=numpy.int64)
        else:
            chosen = numbers_in(key, traces)
        if numbers is not None:
            chosen = numbers[chosen]
        return numpy.ascontiguousarray(chosen), len(chosen)
