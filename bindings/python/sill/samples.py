"""The samples of a survey: its traces, lines and slices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy

from . import _sill
from .arrays import BLOCK_BYTES, Array, number_in, numbers_in_slice
from .errors import WRONG_INDEX, WRONG_NAME, WRONG_TYPE, usage_error

if TYPE_CHECKING:
    from .survey import Survey

_DTYPES = [numpy.dtype(name).str for name in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
_OUT = "pass a writable array of the shape {}, in C order and native byte order"


_FLOAT32 = numpy.dtype(numpy.float32)
ALL = (None,)  # `Survey._evaluated` of all traces


class Traces:
    """The samples of a survey, read when they are indexed. Has the shape and the dtype of an array."""

    dtype = _FLOAT32
    ndim = 2

    def __init__(self, survey: Survey) -> None:
        self._survey = survey

    def __len__(self) -> int:
        return len(self._survey)

    @property
    def shape(self) -> tuple[int, int]:
        """(traces, samples per trace)."""
        return self._survey.shape

    @property
    def size(self) -> int:
        """The number of samples."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all samples as float32."""
        return self.dtype.itemsize * self.size

    def __repr__(self) -> str:
        return f"<sill.Traces of {self._survey!r}>"

    def __getitem__(self, key: Any) -> Array:
        """Returns samples as float32: (traces, samples) for a slice, list or mask, (samples,) for one trace number.

        Samples of formats with more digits are rounded to the nearest float. Trace numbers count from 0, negative ones
        from the end. ``traces[10:20, ::2]`` reads complete traces and returns every second sample.

        Raises:
            IndexError: there is no such trace
            IoError: a MemoryError, if the array does not fit the free memory
            UsageError: traces differ in length: choose one by its number
            InputError: the samples contradict the sample format that the file states, or exceed float32
        """
        if type(key) is int:  # most often in loops
            survey = self._survey
            opened = survey._files.opened
            if survey._evaluated is not ALL or not 0 <= key < opened.traces:
                key = survey._trace(key)
            return numpy.frombuffer(opened.read_trace(key, "f4"), _FLOAT32)
        if isinstance(key, tuple) and len(key) != 1:
            if len(key) > 2 or (len(key) == 2 and numpy.ndim(key[0]) > 0 and numpy.ndim(key[1]) > 0):
                raise usage_error(f"{len(key)} indices", "use traces[10:20, ::2]: traces, samples", number=WRONG_INDEX)
            if not key:
                return self[:]
            before = (...,) if key[0] is Ellipsis else () if number_in(key[0]) is not None else (slice(None),)
            return self[key[0]][(*before, key[1])]
        return self.read(key[0] if isinstance(key, tuple) else key)

    def read(self, key: Any = slice(None), out: Array | None = None, dtype: Any = None) -> Array:
        """Returns ``traces[key]``.

        Args:
            key: a trace number, slice, list or mask
            out: an array of the right shape in C order, which is filled and returned
            dtype: float32 (default), float64, or integers of 1, 2, 4 or 8 bytes: samples are converted without a copy,
                rounded to the nearest value, ties to even

        Raises as ``traces[key]``, and InputError for a sample that `dtype` cannot hold.
        """
        opened = self._survey._files.opened
        if key is Ellipsis:
            key = slice(None)
        if dtype is not None and numpy.dtype(dtype).str not in _DTYPES:
            raise usage_error(f"samples are not read as {numpy.dtype(dtype)}", "use f4, f8, or integers", number=WRONG_TYPE)
        shape: tuple[int, ...]
        number = number_in(key)
        if number is None:
            selection, count = self._survey._selection_of(key)
            shape = (count, opened.samples)
        else:
            trace = self._survey._trace(number)
            selection, shape = (trace, 1), (opened.samples_of(trace),)
        if out is None:
            kind = numpy.dtype(dtype or numpy.float32)
            _sill.require_memory(math.prod(shape) * kind.itemsize)
            out = numpy.empty(shape, kind)
        elif not isinstance(out, numpy.ndarray):
            raise usage_error(f"out is of type {type(out).__name__}", _OUT.format(shape), number=WRONG_TYPE)
        elif out.shape != shape:
            raise usage_error(f"out has the shape {out.shape}", _OUT.format(shape))
        elif out.dtype.newbyteorder("=").str not in _DTYPES:
            raise usage_error(f"samples are not read as {out.dtype}", "use f4, f8, or integers", number=WRONG_TYPE)
        elif not out.flags.c_contiguous or not out.flags.writeable or not out.dtype.isnative:
            raise usage_error("out is not writable, or not in C order and native byte order", _OUT.format(shape))
        elif dtype is not None and numpy.dtype(dtype) != out.dtype:
            raise usage_error(f"out has the dtype {out.dtype}, not {numpy.dtype(dtype)}", "omit dtype=, or pass another array")
        opened.read_samples(selection, out)
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise usage_error("the samples are in a file: an array of them is a copy", "omit copy=False")
        if dtype is None:
            return self.read()
        wanted = numpy.dtype(dtype).newbyteorder("=")
        code = self._survey._files.opened.layout["format"]
        whole = {9: "i8", 12: "u8"}.get(code, "f8")  # which has all values of the other formats
        return self.read(dtype=wanted if wanted.str in _DTYPES else whole).astype(dtype, copy=False)

    def __iter__(self) -> Iterator[Array]:
        """Iterates over the traces, one array of float32 each; reads them in blocks."""
        if not self._survey._files.opened.is_uniform:
            for number in range(len(self)):
                yield self[number]
            return
        at_once = max(1, BLOCK_BYTES // max(4, 4 * self.shape[1]))
        for first in range(0, len(self), at_once):
            for trace in self.read(slice(first, first + at_once)):
                yield trace.copy()  # so that one trace does not keep its block


class Lines:
    """The inlines or crosslines of a post-stack grid, by their numbers."""

    def __init__(self, survey: Survey, axis: int) -> None:
        self._survey, self._axis = survey, axis
        self.word = survey._grid[axis][0]

    @property
    def numbers(self) -> Array:
        """The line numbers, ascending.

        Those of a remote cube come from its first, middle and last line until a line differs or all are compared.
        """
        return self._survey._grid[self._axis][1]

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        numbers = f", {self.word} {self.numbers[0]} to {self.numbers[-1]}" if len(self) else ""
        return f"<sill.Lines of {self._survey!r}: {len(self)} lines{numbers}>"

    def __getitem__(self, key: Any) -> Array:
        """Returns the samples of lines as float32: (places, samples) for one line number, otherwise (lines, places,
        samples).

        ``lines[1200:1210]`` are the lines numbered 1200 to 1209, ``lines[...]`` and ``lines[:]`` all lines,
        ``lines[..., ::2]`` every second sample of all lines. Places without a trace are NaN.

        Raises:
            KeyError: there is no such line
            IoError: a MemoryError, if the array does not fit the free memory
        """
        samples: Any = slice(None)
        if isinstance(key, tuple):
            if len(key) != 2:
                raise usage_error(f"{len(key)} indices for lines and samples", "use lines[1200, ::2]", number=WRONG_INDEX)
            key, samples = key
        grid = self._survey._files.grid
        while True:  # again if the cube is not as regular as it seemed
            axes = self._survey._grid
            try:
                numbers = self._chosen(key, *axes[self._axis][1:])
            except KeyError:
                if grid.require_all():
                    continue
                raise
            traces = grid.read(numbers)
            if traces is not None and axes is self._survey._grid:
                return traces[..., samples]

    def _chosen(self, key: Any, lines: Array, traces: Array) -> Array:
        """Returns the trace numbers of a line, or of several."""
        number = number_in(key)
        if number is not None:
            return traces[self._row(number, lines)]
        if key is Ellipsis or isinstance(key, slice):
            key = numbers_in_slice(slice(None) if key is Ellipsis else key, lines)
        numbers = numpy.asarray(key)
        if numbers.ndim != 1 or (numbers.size > 0 and numbers.dtype.kind not in "iu"):
            raise usage_error(f"lines are not chosen by {type(key).__name__}", "use line numbers", number=WRONG_TYPE)
        return traces[numpy.array([self._row(int(number), lines) for number in numbers], numpy.int64)]

    def __contains__(self, number: object) -> bool:
        if (self.numbers == number).any():
            return True
        return self._survey._files.grid.require_all() and bool((self.numbers == number).any())

    def __iter__(self) -> Iterator[Array]:
        """Iterates over the lines, in the order of their numbers."""
        self._survey._files.grid.require_all()
        for number in self.numbers:
            yield self[number]

    def _row(self, number: int, lines: Array) -> int:
        row = int(numpy.searchsorted(lines, number))
        if row == len(lines) or lines[row] != number:
            step = f", every {lines[1] - lines[0]}" if len(lines) > 1 else ""
            are = f"they are {lines[0]} to {lines[-1]}{step}" if len(lines) > 0 else "there are none"
            raise usage_error(f"no line has {self.word} {number}", are, number=WRONG_NAME)
        return row


class Slices:
    """The time or depth slices of a post-stack grid."""

    def __init__(self, survey: Survey) -> None:
        self._survey, self._files = survey, survey._files
        self._files.grid.require_all()
        (_, self.inlines, self._traces), (_, self.crosslines, _) = survey._grid

    def __repr__(self) -> str:
        return f"<sill.Slices of {self._survey!r}: {len(self.inlines)} inlines, {len(self.crosslines)} crosslines>"

    __iter__ = None
    __contains__ = None  # type: ignore[assignment]

    def __getitem__(self, at: float) -> Array:
        """Returns the samples nearest to `at`, in seconds, or in metres or feet of depth: float32 (inlines, crosslines).

        Places without a trace, or without a sample there, are NaN. Raises UsageError if no trace has a sample there.
        """
        if isinstance(at, bool) or not isinstance(at, (int, float, numpy.number)):
            raise usage_error(f"a slice is not chosen by {type(at).__name__}", "use a time or depth", number=WRONG_TYPE)
        opened = self._files.opened
        at_us = float(at) * (1e3 if opened.is_depth else 1e6)
        return opened.read_slice(numpy.ascontiguousarray(self._traces).ravel(), at_us).reshape(self._traces.shape)
