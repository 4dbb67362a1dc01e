"""New surveys from arrays."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from . import _sill
from .arrays import Array, integer, numbers_in, plain, word_values
from .commands import SillWarning
from .errors import WRONG_TYPE, argument, attempt, require_one_process, usage_error
from .files import Path, encoded, map_file
from .survey import Survey

if TYPE_CHECKING:
    Headers: TypeAlias = Mapping[str, Any]

_UNITS = {"": 0, "m": 1, "ft": 2}


class Writer:
    """A new SEG-Y or Seismic Unix file. Opened by `sill.writer`; the file gets its name in `close`.

    Use it in a ``with`` statement: after an exception within it, an existing file of that name is unchanged.
    """

    def __init__(self, output: _sill.SurveyOutput, shape: tuple[int, int], like: Survey | None, has_ranks: bool) -> None:
        self._has_ranks = has_ranks
        self._output: _sill.SurveyOutput | None = output
        self._like = like
        self._next = 0
        self.shape = shape

    def write(self, samples: Any, headers: Headers | None = None, *, at: Any = None, headers_of: Any = None) -> None:
        """Writes traces after those of the last call. Collective: each rank writes other traces, or none.

        Args:
            samples: (traces, samples) or (samples,), of floats or integers; converted to the sample format of the file,
                ties to even
            headers: values of header words: a number, or one per trace. ``true(WORD)`` sets the value in true units, with
                the scalar of the trace.
            at: the number of the first trace, or of each; counted from 0
            headers_of: the traces of ``like`` whose headers are copied, one per trace; without, those of the same number,
                if ``like`` has as many traces as the file. Headers that are not copied state the number of the trace
                (tracl, tracr), the number and interval of its samples, and trid 1.

        Raises:
            UsageError: unknown words, other shapes
            InputError: a value or a sample that the file cannot store
            IoError: the file cannot be written
        """

        def made() -> tuple[Any, ...]:
            return self._made(samples, headers, at, headers_of)

        nothing = numpy.empty(0, numpy.int64)
        given, problem = attempt(made, (nothing, numpy.empty((0, self.shape[1]), "f4"), [], nothing), self._has_ranks)
        self._opened.write(*given, problem)
        numbers = given[0]
        self._next = int(numbers[-1]) + 1 if len(numbers) else self._next

    def _made(self, samples: Any, headers: Headers | None, at: Any, headers_of: Any) -> tuple[Any, ...]:
        values = numpy.atleast_2d(plain(samples))
        if values.dtype.kind not in "fiu" or values.dtype.itemsize not in (1, 2, 4, 8) or values.dtype == "f2":
            raise usage_error(f"samples have the dtype {values.dtype}", "pass float32, float64 or integers", number=WRONG_TYPE)
        if values.ndim != 2 or values.shape[1] != self.shape[1]:
            raise usage_error(f"samples have the shape {numpy.shape(samples)}", f"pass the shape (traces, {self.shape[1]})")
        values = numpy.ascontiguousarray(values, values.dtype.newbyteorder("="))
        numbers = self._numbers(len(values), at)
        words = [(name, word_values(name, value, len(values))) for name, value in dict(headers or {}).items()]
        return numbers, values, words, self._copied(numbers, headers_of)

    def _numbers(self, count: int, at: Any) -> Array:
        if at is None and self._has_ranks:
            raise usage_error("with comm=, each rank states which traces it writes", "pass at=, the numbers of the traces")
        first = self._next if at is None else at
        if numpy.ndim(first) == 0:
            first = integer(first, "at")
            return numpy.arange(first, first + count, dtype=numpy.int64)
        numbers = numpy.ascontiguousarray(plain(first))
        with argument("at", "pass integers"):
            if numbers.dtype.kind == "b":
                raise TypeError("bools are no numbers of traces")
            numbers = numbers.astype(numpy.int64, casting="safe") if numbers.size else numpy.empty(0, numpy.int64)
        if numbers.shape != (count,):
            raise usage_error(f"{count} traces have {len(numbers)} numbers (at=)", "pass one number per trace")
        return numbers

    def _copied(self, numbers: Array, headers_of: Any) -> Array:
        if self._like is None:
            if headers_of is not None:
                raise usage_error("headers_of= needs the survey that has these headers", "pass it to sill.writer: like=")
            return numpy.empty(0, numpy.int64)
        if headers_of is None and len(self._like) != self.shape[0]:
            return numpy.empty(0, numpy.int64)
        places = numbers if headers_of is None else numpy.atleast_1d(plain(headers_of))
        if places.shape != numbers.shape or places.dtype.kind not in "iu":
            raise usage_error(f"headers_of has the shape {places.shape} and the type {places.dtype}",
                              f"give the numbers of {len(numbers)} traces of like, one per trace")  # fmt: skip
        return numpy.ascontiguousarray(self._like.numbers[numbers_in(places, len(self._like))])

    @property
    def _opened(self) -> _sill.SurveyOutput:
        if self._output is None:
            raise usage_error("the writer is closed", "open another one: sill.writer")
        return self._output

    def close(self) -> None:
        """Completes the file. Collective. Raises UsageError if a trace was not written exactly once; otherwise as `write`.

        Warns, as `SillWarning`, of samples that were clipped or set to zero.
        """
        output, self._output = self._opened, None
        for note in output.finish():
            warnings.warn(note, SillWarning, stacklevel=2)

    def __del__(self) -> None:
        if self.__dict__.get("_output") is not None:
            warnings.warn("a writer was not closed: its file is not written", ResourceWarning, source=self)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, raised: object, *_: object) -> None:
        if raised is None and self._output is not None:
            self.close()
        self._output = None


def writer(
    path: Path, *, traces: int | None = None, samples: int | None = None, interval: float | None = None,
    like: Survey | None = None, sample_format: str = "", byte_order: str = "", revision: str = "",
    text: str = "", units: str = "", map: Path = "", clip: bool = False, nonfinite: str = "refuse",
    accept_loss: bool = False, comm: Any = None,
) -> Writer:  # fmt: skip
    """Opens a new SEG-Y file, or Seismic Unix file if its name ends with .su, for traces that are written block by block.

    Collective over `comm`.

    Args:
        path: the file; it replaces an existing one when it is complete
        traces: the number of traces; without: as many as ``like``
        samples: per trace; without: as ``like``
        interval: between samples, in seconds, less than 1; in metres or feet if ``like`` is in depth
        like: a survey whose file headers, form and, for as many traces, trace headers are copied
        sample_format: "ieee" (the default), "ibm", "ieee64", "int16", ... as the option ``--sample-format``
        byte_order: "big" or "little"; without: big, for Seismic Unix little
        revision: "0", "1" (the default), "2.0" or "2.1"
        text: up to 40 lines of the text header
        units: "m" or "ft", the unit of coordinates and offsets
        map: names of header words, as in `sill.open`
        clip: samples that exceed the range of the sample format become the nearest value in that range; without, they
            are an error
        nonfinite: "zero" replaces NaN and infinite samples that the format cannot store; "refuse": they are an error
        accept_loss: writes the file even if more than a tenth of the samples become 0 or change by more than 5 %
        comm: a communicator of mpi4py, whose ranks write the file together; None for this process alone

    Raises:
        UsageError: a value that the file cannot state
        IoError: the file cannot be created
    """

    @argument("an option of writer()", "pass the types that help(sill.writer) lists")
    def given() -> tuple[dict[str, Any], Any]:
        if like is not None and not isinstance(like, Survey):
            raise usage_error(f"like is of type {type(like).__name__}", "pass a survey: sill.open(...)", number=WRONG_TYPE)
        if like is None and (traces is None or samples is None or interval is None):
            needed = {"traces=": traces, "samples=": samples, "interval=": interval}
            missing = " and ".join(name for name, value in needed.items() if value is None)
            raise usage_error("the form of the file is not known", f"give {missing}, or like=")
        if units not in _UNITS:
            raise usage_error(f"units is {units!r}", "use 'm' or 'ft'")
        if nonfinite not in ("refuse", "zero"):
            raise usage_error(f"nonfinite is {nonfinite!r}", "use 'refuse' or 'zero'")
        is_depth = like is not None and like._files.opened.is_depth
        with argument("interval", f"pass {'metres or feet' if is_depth else 'seconds, such as 0.002 for 2 ms'}"):
            if interval is not None and is_depth and not 0 < interval < math.inf:
                raise ValueError(f"{interval} m or ft is not positive and finite")
            if interval is not None and not is_depth and not 0 < interval < 1:  # a larger number is of another unit
                raise ValueError(f"{interval} s is not between 0 and 1 s")
        name = encoded(path)
        opened = like._files.opened if like is not None else None
        return {
            "path": name if b"://" in name else os.path.abspath(name),
            "traces": integer(len(like) if traces is None else traces, "traces"),  # type: ignore[arg-type]
            "samples": integer(like.shape[1] if samples is None else samples, "samples"),  # type: ignore[union-attr]
            "interval": round(float(interval or 0.0) * (1e3 if is_depth else 1e6), 6), "sample_format": sample_format,
            "byte_order": byte_order, "revision": revision, "text": str.splitlines(text), "units": _UNITS[units],
            "map": map_file(map), "clip": clip, "nonfinite": nonfinite == "zero", "accept_loss": accept_loss,
            "like": (like._files.paths, opened.traces, opened.samples) if like is not None else "",  # compared between ranks
        }, opened  # fmt: skip

    (options, opened), problem = attempt(given, ({}, None), comm is not None)
    output = _sill.SurveyOutput(comm, options, opened, problem)
    return Writer(output, (options["traces"], options["samples"]), like, comm is not None)


def create(
    path: Path, samples: Any, headers: Headers | None = None, *, interval: float | None = None,
    like: Survey | None = None, **options: Any,
) -> None:  # fmt: skip
    """Writes an array to a new SEG-Y or Seismic Unix file, which appears when it is complete.

    Local; among several processes of a launcher with ``comm=MPI.COMM_SELF``; see `writer` for files of several ranks.
    ``sill.create("cube.sgy", cube, {"iline": il[:, None], "xline": xl}, interval=0.004)``

    Args:
        path: the file
        samples: (..., samples): traces in C order
        headers: values of header words, of a shape that broadcasts to that of the traces
        interval: between samples, in seconds; needed without ``like``
        like: a survey whose headers are copied, if it has as many traces
        options: as `writer`

    Raises as `writer` and `Writer.write`.
    """
    require_one_process(options.get("comm"))
    values = plain(samples)
    if values.ndim == 0:
        raise usage_error("samples have no dimension", "pass an array of the shape (traces, samples)")
    shape = values.shape[:-1]
    count = math.prod(shape)
    spread = {}
    for name, value in dict(headers or {}).items():
        given = plain(value)
        try:
            spread[name] = numpy.broadcast_to(given, shape).reshape(count) if given.ndim else value
        except ValueError:
            raise usage_error(f"header word {name} has values of the shape {numpy.shape(value)}",
                              f"pass a number, or an array that broadcasts to the shape {shape}") from None  # fmt: skip
    with writer(path, traces=count, samples=values.shape[-1], interval=interval, like=like, **options) as file:
        file.write(values.reshape(count, values.shape[-1]), spread, at=0)
