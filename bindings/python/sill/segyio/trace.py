"""Traces and their headers, by number."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy

from ..arrays import index_in, numbers_in
from .field import Field, Items, Mode, blocks
from .line import HeaderLine
from .utils import FieldLayoutEntry, LayoutEntries

HeaderLayoutEntries = RowLayoutEntries = LayoutEntries
__all__ = ["Attributes", "Field", "FieldLayoutEntry", "FileFieldAccessor", "Header", "HeaderLayoutEntries", "RawTrace",
           "RefTrace", "RowFieldAccessor", "RowLayoutEntries", "Trace"]  # fmt: skip


class Trace(Items):
    """The samples of traces: ``f.trace[7]`` is an array, ``f.trace[:10]`` iterates, ``f.trace.raw[:10]`` is an array."""

    __slots__ = ()

    shape = property(lambda self: self._of._sample_count, doc="The number of samples of a trace, as in segyio.")
    dtype = property(lambda self: self._of.dtype, doc="The type of the samples.")
    raw = property(lambda self: RawTrace(self._of), doc="Traces as one array: ``f.trace.raw[:]``.")
    ref = property(lambda self: RefTrace(self._of), doc="Traces that are written: ``with f.trace.ref as ref: ref[7] *= 2``.")

    def __getitem__(self, key: Any) -> Any:
        file = self._of
        if type(key) is int and 0 <= key < file.tracecount:  # most often in loops
            return numpy.frombuffer(file._survey.read_trace(key, file._type), file.dtype)
        key, samples = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(key, slice):
            return (trace[samples] for trace in self._iterate(range(*key.indices(len(self)))))
        return self._of._trace(index_in(key, len(self)))[samples]

    def _iterate(self, numbers: range) -> Iterator[numpy.ndarray]:
        # Of a file that is changed, each trace is read when it is needed.
        if self._of._source.writable or not self._of._survey.is_uniform:
            yield from map(self._of._trace, numbers)
            return
        for block in blocks(numbers, self._of._sample_count * self._of.dtype.itemsize):
            yield from self._of.read_traces(block)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Writes traces. Longer traces are cut. Raises ValueError: shorter ones; InputError: the format cannot hold them.

        ``f.trace[a:b] = value`` takes an array or an iterable of traces, or one sample for all. Traces are
        written in blocks: after an error, those before the block or the trace with the error are written.
        """
        file, count = self._of, self._of._sample_count
        if not isinstance(key, slice):
            file._write_traces(index_in(key, len(self)), file._as_samples(value, (count,)))
            return
        numbers = range(*key.indices(len(self)))
        source: Any = value.raw if isinstance(value, Trace) else value
        if isinstance(source, RawTrace) and file._source.is_of(source._of._source):
            source = iter(source)  # each trace is read after the one before was written, as in segyio
        if not isinstance(source, (RawTrace, numpy.ndarray)) and (isinstance(source, Iterable) or numpy.ndim(source)):
            for number, trace in zip(numbers, source, strict=False):
                file._write_traces(number, file._as_samples(trace, (count,), is_one=False))
            return
        is_many = isinstance(source, RawTrace) or numpy.ndim(source) > 0
        numbers = numbers[: len(source)] if is_many else numbers
        for block in blocks(range(len(numbers)), count * file.dtype.itemsize):
            first, end = int(block[0]), int(block[-1]) + 1
            samples = file._as_samples(source[first:end] if is_many else source, (len(block), count))
            file._write_traces(numbers[first:end], samples)

    def __iter__(self) -> Iterator[numpy.ndarray]:
        return self._iterate(range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return numpy.asarray(self.raw[:], dtype)


class RawTrace(Trace):
    """Traces as arrays: (samples) for one, (traces, samples) for a slice or a list."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> numpy.ndarray:
        if isinstance(key, slice):
            return self._of.read_traces(numpy.arange(*key.indices(len(self)), dtype=numpy.int64))
        if isinstance(key, (list, numpy.ndarray)) and numpy.ndim(key) == 1:
            return self._of.read_traces(numbers_in(key, len(self)))
        return self._of._trace(index_in(key, len(self)))


class RefTrace(Items):
    """Traces in memory, for a ``with`` statement: changed ones are written by `flush`, or at the end of the statement,
    unless it ends by an exception. An assigned trace is written at once, as by `Trace`."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.refs: dict[int, numpy.ndarray] = {}
        self._stored: dict[int, bytes] = {}
        self._is_open = False

    def __getitem__(self, key: Any) -> Any:
        return self._iterate(range(*key.indices(len(self)))) if isinstance(key, slice) else super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        is_one = isinstance(key, slice) and numpy.isscalar(value)
        super().__setitem__(key, itertools.repeat(value) if is_one else value)

    def _get(self, i: int) -> numpy.ndarray:
        if not self._is_open:
            raise TypeError("changes are written by a with statement: with f.trace.ref as ref: ...")
        if i not in self.refs:
            self.refs[i] = self._of._trace(i)
            self._stored[i] = self.refs[i].tobytes()
        return self.refs[i]

    def _set(self, i: int, value: Any) -> None:
        trace = self._get(i)
        self._of._write_traces(i, self._of._as_samples(value, trace.shape))
        trace[:] = self._of._trace(i)
        self._stored[i] = trace.tobytes()
        self._write(i)

    def _iterate(self, numbers: range) -> Iterator[numpy.ndarray]:
        for i, number in enumerate(numbers):
            yield self._get(number)
            if i > 0:
                self._write(numbers[i - 1])  # no longer the variable of a loop

    def _write(self, number: int) -> None:
        """Writes a trace if it was changed, and forgets it if nothing else refers to it."""
        if number not in self.refs:
            return
        stored = self.refs[number].tobytes()
        if stored != self._stored[number]:
            self._of._write_traces(number, self.refs[number])
            self._stored[number] = stored
        if sys.getrefcount(self.refs[number]) <= 2:  # the dictionary and the argument
            del self.refs[number], self._stored[number]

    def flush(self) -> None:
        """Writes the changed traces."""
        for number in list(self.refs):
            self._write(number)

    def __enter__(self) -> RefTrace:
        self._is_open = True
        return self

    def __exit__(self, raised: object, *_: object) -> None:
        if raised is None:
            self.flush()
        self._is_open = False


class Header(Items):
    """The headers of traces: ``f.header[7]`` is a `Field`, ``f.header[:10]`` iterates."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if type(key) is int and 0 <= key < self._of.tracecount:  # most often in loops
            return Field(self._of, key)
        return super().__getitem__(key)

    def _get(self, i: int) -> Field:
        return Field(self._of, i)

    def _set(self, i: int, value: Any) -> None:
        self[i].update(value)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Sets words of headers from a dictionary or a `Field`; of a slice, also from an iterable of these.

        Raises KeyError: no word begins at a byte; ValueError: a word cannot hold its value.
        """
        numbers = range(*key.indices(len(self))) if isinstance(key, slice) else range(0)
        if isinstance(key, slice) and isinstance(value, Mapping):
            self._of._survey.traces  # noqa: B018: raises if the file is closed
            self.update(numpy.asarray(numbers, numpy.int64), value)
        elif (isinstance(value, Header) and len(value) and len(numbers) and value[0]._is_like(self[0])
              and not self._of._source.is_of(value._of._source)):  # fmt: skip
            here = numpy.asarray(numbers[: len(value)])
            for block in blocks(range(len(here)), 240):
                self._of._write(self._of._header_at(here[block]), value._of._raw_headers(block))
        else:
            super().__setitem__(key, value)

    def update(self, numbers: numpy.ndarray, value: Any) -> None:
        """Sets the same words of several headers."""
        if len(numbers) == 0:
            return
        data, places = self[int(numbers[0])]._changed(value, {})
        template = numpy.frombuffer(data, numpy.uint8)
        for block in blocks(numbers, 240):
            raw = self._of._raw_headers(block)
            for begin, end in places:
                raw[:, begin:end] = template[begin:end]
            self._of._write(self._of._header_at(block), raw)

    iline = Mode(lambda header: HeaderLine(header._of, 0), "The headers of inlines, by number.")
    xline = Mode(lambda header: HeaderLine(header._of, 1), "The headers of crosslines, by number.")


class Attributes(Items):
    """A header word of traces. An index, a slice or a list gives an array."""

    def __init__(self, file: Any, field: int, header: int = 0) -> None:
        super().__init__(file)
        types = file._forms[header][1]
        if field not in types:
            raise KeyError(f"no word begins at byte {field}")
        self._word = f"@{240 * header + field}:{types[field]}"  # as in expressions
        is_small = types[field] in ("i1", "i2", "i4", "u1", "u2")
        self._dtype = None if types[field][0] in "fa" or types[field] == "ibm4" else numpy.intc if is_small else numpy.int64

    def __getitem__(self, key: Any) -> numpy.ndarray:
        at: Any = range(*key.indices(len(self))) if isinstance(key, slice) else numpy.asarray(key).reshape(-1)
        if isinstance(at, range) and at.step == 1:
            selection: Any = (at.start, len(at))
        else:
            selection = numpy.ascontiguousarray(at if isinstance(at, range) else numbers_in(at, len(self)), numpy.int64)
        return self._typed(self._of._survey.read_columns(selection, [self._word])[0])

    def _typed(self, column: Any) -> numpy.ndarray:
        if isinstance(column, list):
            return numpy.array([text.ljust(8).encode("latin-1", "replace") for text in column])
        return numpy.asarray(column, self._dtype)

    def __iter__(self) -> Iterator[Any]:
        for block in blocks(range(len(self)), 240):
            yield from self[block[0] : block[-1] + 1]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        return numpy.asarray(self[:], dtype)


class RowFieldAccessor(Items):
    """All headers of a trace, by number or as attributes by name. Assigning copies a `Field`, or raises TypeError."""

    _name = "header"

    def __init__(self, file: Any, number: int) -> None:
        super().__init__(file)
        self._number = number

    def __len__(self) -> int:
        return self._of.traceheader_count

    def _get(self, i: int) -> Field:
        return Field(self._of, self._number, i)

    def _set(self, i: int, value: Any) -> None:
        if not isinstance(value, Field):
            raise TypeError("a trace header is assigned from another; set its words with update")
        self[i].update(value)

    def __getattr__(self, name: str) -> Field:
        names = [] if name.startswith("_") else self._of.tracefield.names()
        if name not in names:
            raise AttributeError(f"traces have no header {name!r}: they are {', '.join(names)}")
        return self[names.index(name)]


class FileFieldAccessor(Items):
    """The headers of all traces: a `RowFieldAccessor` for each. Assigning copies one, or raises TypeError."""

    def _get(self, i: int) -> RowFieldAccessor:
        return RowFieldAccessor(self._of, i)

    def _set(self, i: int, value: Any) -> None:
        if not isinstance(value, RowFieldAccessor):
            raise TypeError("the headers of a trace are assigned from those of another")
        self[i][:] = value
