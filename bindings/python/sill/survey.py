"""A survey: SEG-Y or Seismic Unix files, read as one sequence of traces."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy

from . import _sill
from .errors import InputError, UnknownWordError, UsageError

if TYPE_CHECKING:
    import pandas

Path = str | os.PathLike[str]
Index = slice | Sequence[int] | numpy.ndarray

BLOCK_BYTES = 4 << 20  # that iteration reads at once


def open(paths: Path | Sequence[Path], *, map: Path = "", assume: str | dict[str, object] = "") -> Survey:
    """Opens files as one survey: their traces are numbered from 0, in the order of the paths.

    Local. The format of each file is detected; `Survey.findings` has what differs from the standard.

    Args:
        paths: a SEG-Y or Seismic Unix file, or several that make one survey
        map: the preset or the file that gives names to header words, as the option --map
        assume: what is assumed of every file, as the option --assume: ``{"sample_format": 5}`` or
            ``"sample_format=5"``

    Raises:
        UsageError: no path, a file named twice, or assumptions and maps that do not fit
        InputError: a file is damaged, unknown, or does not fit the others
        IoError: a file cannot be read
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if isinstance(assume, dict):
        assume = ",".join(f"{name}={value}" for name, value in assume.items())
    return Survey(_sill.open([os.fspath(path) for path in several], os.fspath(map), assume))


class Survey:
    """Traces of one or more files, or a selection of them (`where`). Opened by `sill.open`.

    Several threads may read from one survey. A survey can be pickled: it is opened again from its paths, which must
    lead to files of the same sizes.
    """

    def __init__(self, opened: _sill.Survey, numbers: numpy.ndarray | None = None) -> None:
        self._opened = opened
        self._numbers = numbers  # int64, the traces of a selection; None: all

    def __len__(self) -> int:
        """Returns the number of traces."""
        return self._opened.traces if self._numbers is None else len(self._numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """(traces, samples per trace). Raises UsageError if traces differ in length."""
        return (len(self), self._opened.samples)

    @property
    def paths(self) -> list[str]:
        """The paths of the files, as given."""
        return self._opened.paths

    @property
    def forms(self) -> list[dict[str, Any]]:
        """What each file is: kind, byte order, revision, sample format, interval (microseconds), bytes."""
        return self._opened.forms()

    @property
    def interval(self) -> float:
        """The sample interval in seconds; in metres or feet if the samples are along depth."""
        form = self.forms[0]
        return form["interval_us"] * (1e-3 if form["domain"] == "depth" else 1e-6)

    @property
    def text(self) -> str:
        """The text header of the first file: 40 lines, without the blanks at their ends; "" without one."""
        return self._opened.text(0)

    @property
    def binary(self) -> bytes:
        """The 400 bytes of the binary header of the first file, as stored; b"" for Seismic Unix data."""
        return self._opened.binary_header(0)

    @property
    def findings(self) -> list[dict[str, str]]:
        """What differs from the standard: file, grade (info, minor, major, critical), problem, clause, action."""
        return [finding for of_file in self._opened.findings() for finding in of_file]

    @property
    def numbers(self) -> numpy.ndarray:
        """The numbers of the traces, counted from 0 through all files: int64."""
        return numpy.arange(len(self)) if self._numbers is None else self._numbers.copy()

    def __repr__(self) -> str:
        form = self.forms[0]
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        samples = f"{self._opened.samples:,} samples" if self._opened.is_uniform else "different numbers of samples"
        unit = "s" if form["domain"] == "time" else "m or ft"
        return (
            f"<sill.Survey {os.path.basename(self.paths[0])}{more}: {len(self):,} traces, {samples}, "
            f"interval {self.interval:g} {unit}, {form['sample_format']}, {form['kind']}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        sizes = [form["bytes"] for form in self.forms]
        return (_reopened, (self.paths, self._opened.map, self._opened.assume, sizes, self._numbers))

    @property
    def traces(self) -> Traces:
        """Samples: ``survey.traces[100:200]`` is an array of float32 of shape (100, samples)."""
        return Traces(self)

    def __getitem__(self, names: str | tuple[str, ...]) -> Any:
        """Returns values of header words and expressions (docs/expressions.md) of all traces.

        One name gives an array of int64, float64 or bool, or a list of texts. Several names give `Columns`. Headers are
        read once, on all cores.

        Raises:
            UnknownWordError: a KeyError, with the nearest names
        """
        if isinstance(names, str):
            return self.headers(names)[names]
        if isinstance(names, tuple) and all(isinstance(name, str) for name in names):
            return self.headers(*names)
        raise TypeError("index a survey with names of header words: survey['cdp', 'offset']; traces with survey.traces")

    def headers(self, *names: str) -> Columns:
        """Returns values of the named header words or expressions of all traces. Raises as ``survey[names]``."""
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"a header word is named by a string, not by {type(name).__name__}")
        try:
            columns = self._opened.read_columns(*self._all(), list(names))
        except UsageError as error:
            raise UnknownWordError(*error._parts) from None
        return Columns(zip(names, columns, strict=True))

    def raw_headers(self) -> numpy.ndarray:
        """Returns the first 240 bytes of the header of each trace, as stored: uint8 of shape (traces, 240)."""
        return self._opened.read_headers(*self._all())

    def where(self, condition: str) -> Survey:
        """Returns the traces for which a condition holds, such as "abs(offset) < 500 and trid == 1", as a survey.

        Headers are read at once, samples when they are asked for. Selections can be chained.

        Raises:
            UnknownWordError: the condition cannot be read
        """
        try:
            if self._numbers is None:
                return Survey(self._opened, self._opened.where(condition))
            (holds,) = self._opened.read_columns(self._numbers, [condition])
        except UsageError as error:
            raise UnknownWordError(*error._parts) from None
        if not isinstance(holds, numpy.ndarray) or holds.dtype != bool:
            raise UnknownWordError(f"{condition!r} is not a condition")
        return Survey(self._opened, self._numbers[holds])

    def _all(self) -> tuple[Any, ...]:
        return (0, len(self)) if self._numbers is None else (self._numbers,)

    def _chosen(self, key: Index) -> tuple[tuple[Any, ...], int]:
        """Returns the arguments that name the traces `key` to _sill, and the number of these traces."""
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            count = len(range(first, end, step))
            if self._numbers is None and step == 1:
                return ((first, count), count)
            chosen = numpy.arange(first, first + count * step, step, dtype=numpy.int64)
        else:
            chosen = numpy.asarray(key)
            if chosen.size == 0:
                chosen = chosen.astype(numpy.int64)
            if chosen.ndim != 1:
                raise IndexError("choose traces with a slice, a list of numbers or a mask of one dimension")
            if chosen.dtype == bool:
                if len(chosen) != len(self):
                    raise IndexError(f"a mask of {len(chosen)} values for {len(self)} traces")
                chosen = numpy.flatnonzero(chosen)
            elif not numpy.issubdtype(chosen.dtype, numpy.integer):
                raise TypeError(f"trace numbers are integers, not {chosen.dtype}")
            outside = (chosen < -len(self)) | (chosen >= len(self))
            if outside.any():
                raise IndexError(f"there is no trace {chosen[outside][0]} of {len(self)}")
            chosen = chosen.astype(numpy.int64)
            chosen = numpy.where(chosen < 0, chosen + len(self), chosen)
        if self._numbers is not None:
            chosen = self._numbers[chosen]
        return ((numpy.ascontiguousarray(chosen),), len(chosen))


class Traces:
    """The samples of a survey, read when they are asked for."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey

    def __len__(self) -> int:
        return len(self._survey)

    def __getitem__(self, key: SupportsIndex | Index) -> numpy.ndarray:
        """Returns samples as float32: (traces, samples) for a slice, list or mask, (samples,) for one trace number.

        Samples of formats with more digits are rounded to the nearest float. Trace numbers count from 0, negative ones
        from the end.

        Raises:
            IndexError: there is no such trace
            MemoryError: the array does not fit the free memory
            UsageError: traces differ in length: choose one by its number
            InputError: the samples contradict the sample format that the file states, or exceed float32
        """
        if hasattr(key, "__index__") and not isinstance(key, numpy.ndarray):
            (number,), _ = self._survey._chosen([key.__index__()])
            one = numpy.empty(self._survey._opened.samples_of(int(number[0])), numpy.float32)
            self._survey._opened.read_samples(number, one)
            return one
        return self.read(key)

    def read(self, key: Index = slice(None), out: numpy.ndarray | None = None) -> numpy.ndarray:
        """Returns ``traces[key]``. `out`, an array of float32 of the right shape in C order, is filled and returned."""
        if isinstance(key, (str, bytes)) or not isinstance(key, (slice, Sequence, numpy.ndarray)):
            raise TypeError(f"choose traces with a number, slice, list or mask, not with {type(key).__name__}")
        chosen, count = self._survey._chosen(key)
        shape = (count, self._survey._opened.samples)
        if out is None:
            wanted = 4 * shape[0] * shape[1]
            if wanted > (free := _sill.free_memory()):
                raise MemoryError(f"the samples take {wanted:,} bytes, of {free:,} that are free: read fewer traces")
            out = numpy.empty(shape, numpy.float32)
        elif not isinstance(out, numpy.ndarray) or out.dtype != numpy.float32 or out.shape != shape:
            raise UsageError(f"out must be an array of float32 of shape {shape}")
        elif not out.flags.c_contiguous or not out.flags.writeable:
            raise UsageError("out must be writable and in C order")
        self._survey._opened.read_samples(*chosen, out)
        return out

    def __iter__(self) -> Iterator[numpy.ndarray]:
        """Iterates over the traces, one array of float32 each; reads them in blocks."""
        if not self._survey._opened.is_uniform:
            for number in range(len(self)):
                yield self[number]
            return
        at_once = max(1, BLOCK_BYTES // max(4, 4 * self._survey._opened.samples))
        for first in range(0, len(self), at_once):
            yield from self.read(slice(first, first + at_once))


class Columns(dict[str, Any]):
    """Values of header words, an array for each name."""

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a table with one row per trace. Needs pandas."""
        import pandas

        return pandas.DataFrame(dict(self))


def _reopened(paths: list[str], map: str, assume: str, sizes: list[int], numbers: numpy.ndarray | None) -> Survey:
    opened = _sill.open(paths, map, assume)
    for form, size in zip(opened.forms(), sizes, strict=True):
        if form["bytes"] != size:
            raise InputError(
                f"{form['path']} has {form['bytes']} bytes, and had {size} when the survey was pickled",
                "the file has changed since the survey was pickled", {"file": form["path"]}, "", "open it anew",
            )  # fmt: skip
    return Survey(opened, numbers)
