"""An open file, as `sill.segyio.open` returns it."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from .. import _sill
from ..arrays import plain
from ..errors import UsageError
from ..grid import Cube, cube_of
from . import tools
from .field import Field, Items, Mode
from .line import Depth, Gather, Geometry, Groups, Line, find, stated
from .source import AccessError, Source
from .trace import Attributes, FileFieldAccessor, Header, Trace
from .utils import stanzas, trace_fields, types_of
from .words import BINARY, DTYPES, BinField, FileFormat, TraceField


class _Closed:
    def __getattr__(self, name: str) -> Any:
        raise AccessError("the file is closed")


_CLOSED = _Closed()


class SegyFile:
    """A SEG-Y or Seismic Unix file with the modes of segyio: `trace`, `header`, `iline`, `depth_slice`, ... Local.

    Attributes:
        tracecount: the number of traces
        samples: the times of the samples in ms, or their depths: float64 (samples)
        dtype, format: the type of samples in arrays, and in the file (a `SegySampleFormat`; as str "4-byte IBM float")
        endian, encoding: the byte order (big, little or pairwise), and that of text headers (ebcdic or ascii)
        ext_text_headers_count (ext_headers in segyio 1), traceheader_count: the numbers of extended text headers, and
            of headers of each trace
        ilines, xlines, offsets, sorting: line numbers, offsets and `TraceSortingFormat`; None without lines
        unstructured: true if the file has no lines, or they were not determined
        stanza, tracefield: the stanzas of extended text headers, and the words of trace headers
    """

    _has_layout: bool  # by `trace_fields`
    trace = Mode(Trace, "The traces, by number.")
    header = Mode(Header, "The trace headers, by number of the trace.")
    traceheader = Mode(FileFieldAccessor, "The headers of each trace, also additional ones: f.traceheader[0].SEG00001")
    iline = Mode(lambda file: Line(file, 0), "The inlines, by number: (crosslines, samples). ValueError without lines.")
    xline = Mode(lambda file: Line(file, 1), "The crosslines, by number: (inlines, samples). ValueError without lines.")
    depth_slice = Mode(Depth, "The slices, by number of the sample: (fast lines, slow lines); (traces) without lines.")
    gather = Mode(Gather, "The traces of places: f.gather[iline, xline], f.gather[iline, xline, offset].")
    text = Mode(lambda file: Text(file), "The text headers, 3200 bytes of Latin-1 each. NotImplementedError for SU files.")
    fast = property(lambda self: Line(self, 2 - self._lines().sorting), doc="The lines whose traces follow each other.")
    slow = property(lambda self: Line(self, self._lines().sorting - 1), doc="The lines across `fast`.")
    readonly = property(lambda self: not self._source.writable, doc="Whether the file is open for reading only.")

    def __init__(self, source: Source, assume: list[str], layout_xml: Any = None, encoding: str | None = None,
                 path: bytes = b"") -> None:  # fmt: skip
        self._source = source
        self._release()
        try:
            self._open(path, assume, layout_xml, encoding)
        except BaseException:
            self._release()  # the exception may live longer
            raise

    def _open(self, path: bytes, assume: list[str], layout_xml: Any, encoding: str | None) -> None:
        source = self._source
        before = source.identity()
        if source.writable:  # locked before anything is read
            self._file = source.opened(path)
        self._survey = survey = _sill.Survey([path or source.path], b"", assume)
        self._layout = layout = survey.layout
        if source.writable and not layout["is_contiguous"]:
            raise UsageError(f"{source.shown}: traces that differ in length or are wrapped cannot be changed in place; "
                             "open the file with mode r, or use sill.edit")  # fmt: skip
        if not source.writable:
            self._file = source.opened(path)
        if source.identity() != before or not self._file.is_at(source.path):
            raise AccessError(f"{source.shown}: another file took this name while it was opened: open it again")
        self.revision, self.endian, self.tracecount = layout["revision"], layout["order"], survey.traces
        self.ext_text_headers_count = self.ext_headers = layout["ext_headers"]
        self.traceheader_count = layout["header_bytes"] // 240
        self.encoding = encoding or ("ascii" if layout["text"] == "ASCII" else "ebcdic")
        self.format, self._type = FileFormat(layout["format"]), DTYPES[layout["format"]]
        self.dtype = numpy.dtype(self._type)
        self._sample_count = survey.samples_of(0) if survey.traces and not survey.is_uniform else survey.samples
        self._set_lines(None)
        self._iline, self._xline = 189, 193
        self.stanza = stanzas([self._file_header(self._text_at(i), 3200) for i in range(1, 1 + self.ext_headers)])
        self.tracefield = trace_fields(self, layout_xml, self._header_names())
        self._forms: list[tuple[type, dict[int, str], dict[str, Any]]] = [  # of each header, and of the binary header
            (int if k else TraceField, types_of(header), header._items) for k, header in enumerate(self.tracefield)
        ] + [(BinField, BINARY, {})]
        delay = 0.0
        with contextlib.suppress(ValueError):  # no trace, or a layout without this word
            delay = float(survey.read_columns((0, 1), ["true(delrt)"])[0][0])
        interval = tools.dt(self, survey.interval_us or 4000.0) / 1000
        self.samples = numpy.arange(self._sample_count) * interval + delay

    def _header_names(self) -> list[str]:
        names = [""] * self.traceheader_count
        for k in range(1, len(names) if self.tracecount and self._layout["is_contiguous"] else 0):
            stored = bytes(self._raw_headers(numpy.zeros(1, numpy.int64), k)[0, 232:])
            text = stored.decode("cp037" if self.encoding == "ebcdic" and stored[:1] > b"\x80" else "latin-1")
            names[k] = text.rstrip("\0 ") if stored != b"\0" * 8 else ""
        return names

    def _write(self, positions: Any, data: bytes | numpy.ndarray) -> None:
        self._require_writable()
        array = numpy.frombuffer(data, numpy.uint8) if isinstance(data, bytes) else data.reshape(-1)
        at = numpy.atleast_1d(numpy.asarray(positions, numpy.int64))
        self._source.changed(at, array.size // max(1, len(at)))
        self._file.write(at, array)

    def _require_writable(self) -> None:
        self._survey.traces  # noqa: B018: raises if the file is closed
        if not self._source.writable:
            raise AccessError("the file is open for reading only: open it with mode r+")

    def _header_at(self, numbers: Any, header: int = 0) -> Any:
        """Returns the position in the file of a header of traces `numbers`; of the binary header if `header` is -1."""
        if header < 0:
            return self._layout["label_bytes"] + 3200
        if not self._layout["is_contiguous"]:
            raise UsageError("sill.segyio does not support this for traces that differ in length")
        return self._layout["first_trace_byte"] + numbers * self._layout["trace_bytes"] + 240 * header

    def _header_bytes(self, number: int, header: int) -> bytearray:
        if header == 0:
            return self._survey.read_header(number)
        if header < 0:
            return bytearray(self._file_header(self._header_at(0, -1), 400))
        return bytearray(self._raw_headers(numpy.array([number]), header).tobytes())

    def _raw_headers(self, numbers: numpy.ndarray, header: int = 0) -> numpy.ndarray:
        """Returns header `header` of traces: uint8 (traces, 240)."""
        if header == 0:
            return self._survey.read_headers(numbers)
        return self._file.read_parts(self._header_at(numbers, header), 240).reshape(-1, 240)

    def _trace(self, number: int) -> numpy.ndarray:
        return numpy.frombuffer(self._survey.read_trace(number, self._type), self.dtype)

    def read_traces(self, numbers: Any) -> numpy.ndarray:
        """Returns the samples of traces by their numbers: an array of `dtype` with one more dimension than `numbers`.

        Samples of number -1, no trace, are NaN, or 0 in integer formats.
        """
        numbers = numpy.asarray(numbers, numpy.int64)
        _sill.require_memory(numbers.size * self._sample_count * self.dtype.itemsize)
        into = numpy.empty((*numbers.shape, self._sample_count), self.dtype)
        self._survey.read_samples(numpy.ascontiguousarray(numbers).reshape(-1), into)
        return into

    def _write_traces(self, numbers: Any, samples: numpy.ndarray, first_sample: int = 0) -> None:
        """Writes samples, rounded to the nearest values of the format. Raises InputError: it cannot represent a sample;
        ValueError: there is no trace at one of the places, or there are too many samples."""
        self._require_writable()
        flat = numpy.asarray(numbers, numpy.int64).reshape(-1)
        if flat.size == 0:
            return
        if flat.min() < 0 or flat.max() >= self.tracecount:
            raise ValueError("there is no trace at one of the places; nothing was written")
        samples = numpy.ascontiguousarray(samples).reshape(len(flat), -1)
        if samples.shape[1] > self._sample_count - first_sample:
            raise ValueError(f"traces have {self._sample_count} samples")
        layout = self._layout
        at = self._header_at(flat) + layout["header_bytes"] + first_sample * layout["sample_bytes"]
        self._source.changed(at, samples.shape[1] * layout["sample_bytes"])
        self._file.write_samples(at, samples, layout["format"], layout["revision"], layout["order"])

    def _as_samples(self, value: Any, shape: tuple[int, ...], is_one: bool = True) -> numpy.ndarray:
        """Returns a value as an array of `shape`; what is longer is cut. `is_one`: a number stands for all samples.

        Warns, as segyio does, if the value is not a contiguous array of `dtype`. Raises ValueError: the value has another
        number of dimensions, or is shorter; TypeError: it does not consist of real numbers.
        """
        if isinstance(value, Iterator):
            value = list(value)
        array = plain(value)
        if array.ndim and not (isinstance(value, numpy.ndarray) and array.dtype == self.dtype and array.flags.c_contiguous):
            warnings.warn("Implicit conversion to contiguous array of " + self.dtype.name, RuntimeWarning, stacklevel=4)
        array = array.astype(written_as(array.dtype), copy=False)
        if array.ndim == 0 and is_one:
            return numpy.full(shape, array)
        if array.ndim != len(shape) or any(map(operator.lt, array.shape, shape)):
            raise ValueError(f"an array of shape {shape} is needed, not {array.shape}; only a number is broadcast")
        return numpy.ascontiguousarray(array[tuple(map(slice, shape))])

    def _set_lines(self, lines: Geometry | None, cube: Cube | None = None) -> None:
        self._geometry, self.unstructured = lines, lines is None
        self._cube, self._seen = cube, set()
        axes: Any = lines.axes if lines else (None, None, None)
        self.ilines, self.xlines, self.offsets = axes
        self.sorting = lines.sorting if lines else None

    def _lines(self) -> Geometry:
        if self._geometry is None:
            raise ValueError("the file has no lines: it is unstructured, or was opened with ignore_geometry")
        return self._geometry

    def _all_lines(self) -> Geometry:
        """Compares the geometry with all headers, and returns it; warns if it changed."""
        lines = self._lines()
        if self._cube:
            self._set_lines(find(*self._survey.read_columns((0, self.tracecount), self._number_words)))
            if not all(map(numpy.array_equal, lines.axes, self._lines().axes)):
                warnings.warn("the cube is not regular: ilines, xlines and offsets are now those of all traces, which were "
                              "not read when the file was opened", RuntimeWarning, stacklevel=4)  # fmt: skip
        return self._lines()

    def _numbers(self, key: Any, chosen: Callable[[Geometry], numpy.ndarray]) -> numpy.ndarray:
        """Returns the trace numbers that `chosen` selects from the geometry, after comparing the geometry with their
        headers. `key` identifies the selection."""
        if not self._cube or key in self._seen:
            return chosen(self._lines())
        with contextlib.suppress(KeyError):  # a line that the probe missed
            numbers = chosen(self._lines())
            flat = numpy.ascontiguousarray(numbers).reshape(-1)
            if self._cube.agrees(flat, self._survey.read_columns(flat, self._number_words)):
                self._seen.add(key)
                return numbers
        return chosen(self._all_lines())

    def interpret(self, ilines: Any, xlines: Any, offsets: Any = None, sorting: Any = 2) -> SegyFile:
        """Sets the line numbers, and offsets (one if None), of a file without lines, with a `TraceSortingFormat`.

        Raises ValueError: numbers repeat, or the traces are not their product.
        """
        self._set_lines(stated((ilines, xlines, [1] if offsets is None else offsets), int(sorting), self.tracecount))
        return self

    def _find_lines(self, iline: int | None, xline: int | None, strict: bool) -> None:
        _, types, words = self._forms[0]
        own = {"iline": 189, "xline": 193, "offset": 37} | {name: word.offset() for name, word in words.items()}
        self._iline = own["iline"] if iline is None else int(iline)
        self._xline = own["xline"] if xline is None else int(xline)
        try:
            bytes_of_numbers = (self._iline, self._xline, own["offset"])
            if wrong := [byte for byte in bytes_of_numbers if byte not in types]:
                raise IndexError(f"no word begins at byte {wrong[0]}")
            names = [f"@{byte}:{types[byte]}" for byte in bytes_of_numbers]
            self._number_words = names
            # A file that can be written may get other numbers before its lines are used.
            read = self._survey.read_columns
            cube = None if self._source.writable else cube_of(lambda numbers: read(numbers, names), self.tracecount)
            if cube:
                axes = [cube.numbers[cube.slow], cube.numbers[1 - cube.slow], cube.numbers[2]]
                self._set_lines(Geometry(axes, 2 - cube.slow, cube.table), cube)
            else:
                self._set_lines(find(*read((0, self.tracecount), names)))
        except (ValueError, IndexError):
            if strict:
                raise

    def attributes(self, field: int, header: int = 0) -> Attributes:
        """Returns a header word of all traces, read when indexed. Raises KeyError: no word begins at this byte."""
        return Attributes(self, operator.index(field), header)

    def group(self, word: Any) -> Groups:
        """Returns the groups of traces with equal values of a header word, or of several."""
        return Groups(self, word)

    def _require_segy(self) -> None:
        if not self._layout["is_segy"]:
            raise NotImplementedError("a Seismic Unix file has no file headers")

    @property
    def bin(self) -> Field:
        """The binary header. Raises NotImplementedError for Seismic Unix files."""
        self._require_segy()
        return Field(self, 0, -1)

    @bin.setter
    def bin(self, value: Any) -> None:
        self.bin.update(value)

    def _text_at(self, i: int) -> int:
        return self._layout["label_bytes"] + (0 if i == 0 else 400 + 3200 * i)

    def _file_header(self, at: int, count: int) -> bytes:
        if self._layout["is_contiguous"]:
            return self._file.read(at, count).tobytes()
        return self._survey.file_header()[at : at + count]  # without the marks of records

    def mmap(self) -> bool:
        """Returns true: Sill decides itself how it reads."""
        return True

    def flush(self) -> None:
        """Writes changes to the disk, or back into the stream or buffer that was opened. Raises IoError."""
        self._file.has_lock  # noqa: B018: raises if the file is closed
        if self._source.writable:
            self._file.sync()
            self._require_name()
            self._source.store()

    def _require_name(self) -> None:
        if self._source.is_changed and not self._file.is_at(self._source.absolute):
            raise AccessError(f"{self._source.shown}: another file took this name, or none has it, so that the changes are "
                              "not in the file: open it again and repeat them")  # fmt: skip

    def close(self) -> None:
        """Closes the file; later accesses raise an OSError. After an error in storing, `close` can be called again.

        Raises AccessError: the file was changed, but its name meanwhile belongs to another file, or to none.
        """
        try:
            if self._file is not _CLOSED:
                self._require_name()
        finally:
            self._release()
            self._source.close()

    def _release(self) -> None:
        self._survey: Any = _CLOSED
        self._file: Any = _CLOSED

    def __enter__(self) -> SegyFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sill.segyio.SegyFile {self._source.shown}: {self.tracecount:,} traces, {self._sample_count:,} samples>"

    def __str__(self) -> str:
        lines = "no lines" if self._geometry is None else (
            f"{len(self.ilines)} inlines, {len(self.xlines)} crosslines, {len(self.offsets)} offsets")  # fmt: skip
        return f"{self!r}\n{self.format!s}, {self.endian}-endian, {lines}"


def written_as(dtype: numpy.dtype) -> numpy.dtype:
    """Returns the type, of those that Sill converts, that has all values of `dtype`. Raises TypeError: there is none."""
    if dtype.kind not in "iufb":
        raise TypeError(f"samples are integers or floating-point numbers, not {dtype}")
    others = {("b", 1): "u1", ("f", 2): "f4", ("f", numpy.longdouble().itemsize): "f8"}
    return numpy.dtype(others.get((dtype.kind, dtype.itemsize), dtype.newbyteorder("=")))


class Text(Items):
    """The text headers of a file. Assigned text is cut or padded with blanks to 3200 bytes of Latin-1."""

    _name = "text header"

    def __init__(self, file: SegyFile) -> None:
        super().__init__(file)
        file._require_segy()

    def __len__(self) -> int:
        return 1 + self._of.ext_headers

    def _get(self, i: int) -> bytearray:
        data = self._of._file_header(self._of._text_at(i), 3200)
        return bytearray(data.decode("cp037").encode("latin-1") if self._of.encoding == "ebcdic" else data)

    def _set(self, i: int, value: Any) -> None:
        if isinstance(value, Text):
            value = value[0]
        text = value if isinstance(value, str) else bytes(memoryview(value)).decode("latin-1")
        data = text[:3200].encode("latin-1").ljust(3200)
        self._of._write(self._of._text_at(i), data.decode("latin-1").encode("cp037") if self._of.encoding == "ebcdic" else data)

    def __setitem__(self, key: Any, value: Any) -> None:
        is_one = isinstance(key, slice) and isinstance(value, (str, bytes, bytearray))
        super().__setitem__(key, [value] if is_one else value)

    def __str__(self) -> str:
        return "\n".join(text.decode("latin-1") for text in self)


class spec:
    """The structure of a file for `create`.

    Attributes:
        samples: times in ms; their number is that of the samples per trace
        format: a `SegySampleFormat`
        ilines, xlines, offsets, sorting: the lines; or tracecount for a file without lines
        iline, xline: bytes of the line numbers in trace headers
        endian, encoding: big or little; ebcdic or ascii
        ext_headers, traceheader_count: the numbers of extended text headers, and of headers per trace
    """

    ilines: Any = None
    xlines: Any = None
    samples: Any = None
    tracecount: Any = None
    format: Any = None
    sorting: Any = None

    def __init__(self) -> None:
        self.iline, self.xline, self.t0, self.endian, self.encoding = 189, 193, 0.0, "big", "ebcdic"
        self.offsets: Any = numpy.array([1], numpy.intc)
        self.ext_headers, self.traceheader_count = 0, 1
