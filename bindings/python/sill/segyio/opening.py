"""Functions that open and create files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from .. import _sill
from ..errors import InputError, require_one_process
from .line import stated
from .segy import SegyFile, spec
from .source import Source
from .tools import create_text_header
from .words import BINARY, DTYPES, BinField

_ORDERS = {None: None, "big": "big", "msb": "big", "little": "little", "lsb": "little", "pairwise": "pairwise"}
_ENCODINGS = {None: None, "ebcdic": "ebcdic", "ascii": "ascii"}


class UnknownFileError(InputError, RuntimeError):
    """A file that is damaged, unknown or not supported; a RuntimeError, as in segyio."""


def _one_of(what: str, value: Any, known: dict[Any, Any]) -> Any:
    if value not in known:
        raise ValueError(f"the {what} is one of {', '.join(filter(None, known))}, not {value!r}")
    return known[value]


def open_source(
    source: Source, iline: Any = None, xline: Any = None, strict: bool = True, ignore_geometry: bool = False,
    endian: Any = None, encoding: Any = None, layout_xml: Any = None, kind: str = "",
) -> SegyFile:  # fmt: skip
    """Opens a file from anywhere; the other arguments are those of `open`."""
    order, encoding = _one_of("byte order", endian, _ORDERS), _one_of("encoding", encoding, _ENCODINGS)
    assume = ([f"kind={kind}"] if kind else []) + ([f"byte_order={order}"] if order else [])
    try:
        file = SegyFile(source, assume, layout_xml, encoding)
    except InputError as error:
        parts: list[Any] = list(error._parts)
        parts[0] = f"unable to gather basic metadata from the file: {parts[0]}"
        raise UnknownFileError(*parts) from None
    try:
        names = set(file.tracefield[0].names())
        if file._has_layout and not {"iline", "xline", "offset"} <= names and iline is xline is None:
            raise UnknownFileError("unable to gather basic metadata from the file: its layout has no iline, xline and "
                                   "offset")  # fmt: skip
        if not ignore_geometry:
            file._find_lines(iline, xline, strict)
    except BaseException:
        file._release()
        source.drop()  # a stream of the caller stays open
        raise
    return file


def open(
    filename: Any, mode: str = "r", iline: int | None = None, xline: int | None = None, strict: bool = True,
    ignore_geometry: bool = False, endian: str | None = None, encoding: str | None = None, layout_xml: Any = None,
) -> SegyFile:  # fmt: skip
    """Opens a file for reading, or for reading and changing in place. Local.

    Args:
        filename: the path
        mode: "r" or "r+"
        iline, xline: first bytes of the line numbers in trace headers; None: those of the layout of the file, or 189, 193
        strict: whether a file without lines is an error
        ignore_geometry: whether lines are not determined: `f.iline` and other modes by lines raise ValueError
        endian: "big" (or "msb"), "little" (or "lsb"); None: detected
        encoding: "ebcdic" or "ascii", of text headers; None: detected
        layout_xml: the layout of trace headers, instead of that in the file

    Raises:
        ValueError: another mode; no lines (strict); a damaged layout; also sill.UsageError
        UnknownFileError: a RuntimeError and sill.InputError: the file is damaged or unknown
        OSError: the file cannot be opened (sill.IoError), or with r+ is open for writing elsewhere (AccessError)
        KeyError: the layout does not have a header of the traces
    """
    return open_source(Source.of_path(filename, mode), iline, xline, strict, ignore_geometry, endian, encoding, layout_xml)


def open_with(
    stream: Any, iline: int | None = None, xline: int | None = None, strict: bool = True, ignore_geometry: bool = False,
    endian: str | None = None, encoding: str | None = None, minimize_requests_number: bool = True, layout_xml: Any = None,
) -> SegyFile:  # fmt: skip
    """Opens a binary stream of Python. Local.

    The contents are copied into an anonymous file. `flush` and `close` write the changed bytes back; `close` closes the
    stream. After an error the stream stays open. A stream that is not writable is opened for reading.
    `minimize_requests_number` has no effect. Other arguments and errors: as `open`.
    """
    return open_source(Source.of_stream(stream), iline, xline, strict, ignore_geometry, endian, encoding, layout_xml)


def open_from_memory(memory_buffer: Any, *arguments: Any, **options: Any) -> SegyFile:
    """Opens the contents of a bytearray, or of another buffer. Local.

    They are copied into an anonymous file. `flush` and `close` write changes back, if the buffer can be written.
    Other arguments and errors: as `open`, after `mode`.
    """
    with memoryview(memory_buffer) as memory:
        writable = not memory.readonly
    return open_source(Source(b"", writable, buffer=memory_buffer), *arguments, **options)


def create(filename: Any, spec: spec, layout_xml: Any = None, *, comm: Any = None) -> SegyFile:
    """Creates a file for writing, with file headers and traces of zeros. Local.

    An existing file is replaced when all arguments were checked and the new one has its full size. `layout_xml`: the
    layout of additional trace headers, which is not written into the file. `comm`: MPI.COMM_SELF of mpi4py, in a process
    that a launcher started as one of several, each of which would create the file (UsageError).

    Raises AttributeError: `spec` has neither all of ilines, xlines and offsets, nor tracecount; ValueError: no samples,
    repeated lines, a format or byte order that cannot be written, or the existing file has the journal of an edit
    (UsageError); OSError: the file cannot be written, or is open for writing elsewhere (IoError).
    """
    require_one_process(comm)
    source = Source.of_path(filename, "r+")
    new, opened = _create(source, spec, layout_xml)
    try:
        opened(new.path).close()  # checks everything before a file is replaced
        new.commit()
    except BaseException:
        del new  # which the exception would keep
        raise
    return opened(b"")


def create_with(stream: Any, spec: spec, minimize_requests_number: bool = True, layout_xml: Any = None) -> SegyFile:
    """Creates a file in a binary stream of Python. Local. As `create` and `open_with`."""
    _, opened = _create(Source.of_stream(stream), spec, layout_xml)
    return opened(b"")


def _create(source: Source, spec: spec, layout_xml: Any) -> tuple[Any, Callable[[bytes], SegyFile]]:
    """Makes a new file, which replaces an existing one at its `commit`, or the contents of a stream. Also returns a
    function that opens it by the name it then has."""
    samples, code = len(spec.samples), int(spec.format)
    lines: list[Any] = [getattr(spec, name, None) for name in ("ilines", "xlines", "offsets")]
    is_structured = all(axis is not None for axis in lines)
    traces = len(lines[0]) * len(lines[1]) * len(lines[2]) if is_structured else spec.tracecount
    if traces is None:
        raise AttributeError("spec has neither all of ilines, xlines and offsets, nor tracecount")
    if samples == 0 or traces < 0:
        raise ValueError("a file has 0 or more traces, and a trace at least one sample")
    geometry = stated(lines, int(getattr(spec, "sorting", None) or 2), traces) if is_structured else None
    if code not in DTYPES or code == 4:
        raise ValueError(f"samples cannot be written in format {code}")
    order = _one_of("byte order", getattr(spec, "endian", None) or "big", _ORDERS)
    encoding = _one_of("encoding", getattr(spec, "encoding", None) or "ebcdic", _ENCODINGS)
    layout_xml = None if layout_xml is None else bytes(layout_xml)
    texts, headers = int(getattr(spec, "ext_headers", 0) or 0), int(getattr(spec, "traceheader_count", 1) or 1)
    interval = round(float(spec.samples[1] - spec.samples[0]) * 1000) if samples > 1 else 4000
    if not 0 < interval < 65536:
        raise ValueError(f"a sample interval of {interval} microseconds does not fit the header: it holds 1 to 65535")
    if texts < 0 or headers < 1:
        raise ValueError(f"a file has 0 or more extended text headers, not {texts}, and 1 or more headers per trace")
    is_long = samples > 65535
    revision = 2 if is_long or headers > 1 else 0
    short, long = (0, samples) if is_long else (samples, 0)
    binary = bytearray(400)
    for byte, value in {
        BinField.Samples: short, BinField.SamplesOriginal: short, BinField.ExtSamples: long, BinField.ExtSamplesOriginal: long,
        BinField.Interval: interval, BinField.Format: code, BinField.ExtendedHeaders: texts,
        BinField.EnsembleTraces: min(traces, 32767), BinField.SEGYRevision: revision,
        BinField.SEGYRevisionMinor: int(headers > 1), BinField.MaxAdditionalTraceHeaders: headers - 1,
        BinField.TraceFlag: int(revision > 0), BinField.IntConstant: 16909060 if revision else 0,
    }.items():  # fmt: skip
        _sill.set_word(binary, byte - 3200, BINARY[byte], order, value)
    text = create_text_header({1: f"INLINE {spec.iline}, CROSSLINE {spec.xline}, OFFSET 37", 40: "END TEXTUAL HEADER"})
    first = 3600 + 3200 * texts
    width = 3 if code in (7, 15) else numpy.dtype(DTYPES[code]).itemsize
    start = text.encode("cp037" if encoding == "ebcdic" else "ascii") + bytes(binary)
    blanks = (b"\x40" if encoding == "ebcdic" else b" ") * (3200 * texts)
    new = source.create(start + blanks, first + traces * (240 * headers + samples * width))
    assume = (f"kind=segy,byte_order={order},revision={revision},samples={samples},sample_format={code},lengths=fixed,"
              f"first_trace_byte={first},extended_text_headers={texts},text={encoding}").split(",")  # fmt: skip

    def opened(path: bytes) -> SegyFile:
        file = SegyFile(source, assume, layout_xml, encoding, path)
        file.samples, file._iline, file._xline = numpy.array(spec.samples), int(spec.iline), int(spec.xline)
        file._set_lines(geometry)
        return file

    return new, opened
