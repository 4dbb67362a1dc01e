"""Functions on whole files, as in segyio.tools."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

import numpy

from .. import _sill
from ..arrays import plain
from ..errors import require_one_process
from .field import Field, blocks
from .words import DTYPES, BinField, SegySampleFormat, TraceField


def dt(f: Any, fallback_dt: float = 4000.0) -> float:
    """Returns the sample interval in µs: that of the binary header and of the first trace.

    `fallback_dt` if neither states one, or they state different ones. Local.
    """
    stated = []
    if f._layout["is_segy"]:
        binary = f.bin
        is_extended = f.revision >= 2 and binary[BinField.ExtInterval] > 0
        stated.append(float(binary[BinField.ExtInterval if is_extended else BinField.Interval]))
    if f.tracecount > 0 and TraceField.TRACE_SAMPLE_INTERVAL in f._forms[0][1]:
        stated.append(float(f.header[0][TraceField.TRACE_SAMPLE_INTERVAL]))
    intervals = {interval for interval in stated if interval > 0}
    return intervals.pop() if len(intervals) == 1 else fallback_dt


def sample_indexes(segyfile: Any, t0: float = 0.0, dt_override: float | None = None) -> list[float]:
    """Returns ``t0 + i * dt`` for each sample, with `dt` of the file or `dt_override`. Local."""
    interval = dt(segyfile) if dt_override is None else dt_override
    return [t0 + i * interval for i in range(len(segyfile.samples))]


def create_text_header(lines: dict[int, str]) -> str:
    """Returns a text header of 40 lines "C 1 ..." of 80 characters. `lines`: texts of 76 characters by number from 1."""
    return "".join(f"C{number:>2} {lines.get(number, ''):76.76}" for number in range(1, 41))


def wrap(s: Any, width: int = 80) -> str:
    """Returns text with line breaks after `width` characters. Bytes are read as ASCII; other bytes are omitted."""
    text = bytes(s).decode("ascii", "ignore") if isinstance(s, (bytes, bytearray)) else str(s)
    return "\n".join(textwrap.wrap(text, width=width))


def native(data: Any, format: int = SegySampleFormat.IBM_FLOAT_4_BYTE, copy: bool = True) -> numpy.ndarray:
    """Converts samples of a big-endian file, which are in the memory of `data`, to native order. Returns an array of its shape.

    Local. `format`: a `SegySampleFormat`; `copy`: if false, the result is also written into `data`. Raises InputError: a
    sample does not fit its type.
    """
    stored = numpy.ascontiguousarray(data)
    result = numpy.empty(stored.shape, DTYPES[int(format)])
    _sill.decode_samples(stored.reshape(-1).view(numpy.uint8), int(format), 1, "big", result)
    if copy:
        return result
    data[...] = result
    return data


def collect(itr: Any) -> numpy.ndarray:
    """Returns arrays of one shape, such as traces or lines, as one array with one more dimension."""
    return numpy.stack([numpy.copy(each) for each in itr])


def _opened(f: Any) -> Any:
    from .opening import open

    return f if hasattr(f, "tracecount") else open(f)


def cube(f: Any) -> numpy.ndarray:
    """Returns all samples of an open file or a path: (fast, slow, samples), or (fast, slow, offsets, samples). Local.

    Raises ValueError: the file has no lines; MemoryError: the result does not fit the free memory.
    """
    file = _opened(f)
    numbers = file._all_lines().by_lines
    return file.read_traces(numbers[..., 0] if numbers.shape[2] == 1 else numbers)


def rotation(f: Any, line: str = "fast") -> tuple[float, Any, Any]:
    """Returns the clockwise angle, in radians, between a line and the axis of increasing CDP-Y, and the CDP-X and
    CDP-Y, as stored, of its first trace. Local.

    `f`: an open file, or a path; `line`: "fast", "slow", "iline" or "xline", the first of this kind. Raises ValueError: the
    file has no lines.
    """
    file = _opened(f)
    table = file._all_lines().table
    if line not in ("fast", "slow", "iline", "xline"):
        raise ValueError(f"the line is fast, slow, iline or xline, not {line!r}")
    is_iline = line == "iline" or line == ("fast" if file.sorting == 2 else "slow")
    last = table[0, -1, 0] if is_iline else table[-1, 0, 0]
    (x0, y0), (x1, y1) = (_cdp(file, int(number)) for number in (table[0, 0, 0], last))
    return float(numpy.arctan2(x1 - x0, y1 - y0)) % (2 * numpy.pi), x0, y0


def _cdp(file: Any, number: int) -> list[Any]:
    """Returns CDP-X and CDP-Y of a trace; those of additional headers are used if they are not 0."""
    found: list[Any] = [0, 0]
    for k in range(file.traceheader_count):
        field = Field(file, number, k)
        for i, (name, byte) in enumerate((("cdp_x", 181), ("cdp_y", 185))):
            word = field._names.get(name)
            at = word.offset() if word else byte if k == 0 else 0
            if at in field and (field[at] != 0 or not (word and word.use_only_if_non_zero())):
                found[i] = field[at]
    return found


def metadata(f: Any) -> Any:
    """Returns the `spec` of an open file or a path: `create` with it makes a file of the same structure. Local.

    It states lines if all traces are in the order of lines, with the offsets fastest: otherwise traces that are copied by
    number would come to other lines.
    """
    from .segy import spec

    file, result = _opened(f), spec()
    result.iline, result.xline = file._iline, file._xline
    names = ["samples", "format", "endian", "encoding", "ext_headers", "traceheader_count", "tracecount"]
    if not file.unstructured and numpy.array_equal(file._all_lines().by_lines.reshape(-1), numpy.arange(file.tracecount)):
        names += ["ilines", "xlines", "offsets", "sorting"]
    for name in names:
        setattr(result, name, getattr(file, name))
    return result


def resample(
    f: Any, rate: float | None = None, delay: float | None = None, micro: bool = False, trace: bool = True,
    binary: bool = True,
) -> None:  # fmt: skip
    """Changes the stated sample interval and delay of a file in place; the samples are not changed. Local.

    `f`: a file opened with mode r+; `rate`: the interval in ms, or in µs if `micro`; `delay`: that of the first sample, in
    ms; `trace`, `binary`: whether the trace headers, and the binary header, are changed. Raises ValueError: a word cannot
    hold its value.
    """
    words: dict[int, int] = {}
    interval = None if rate is None else round(rate if micro else rate * 1000)
    if delay is not None and int(delay) != delay:
        raise ValueError(f"trace headers hold whole milliseconds, not a delay of {delay}")
    if interval is not None and trace:
        words[TraceField.TRACE_SAMPLE_INTERVAL] = interval
    if delay is not None:
        words[TraceField.DelayRecordingTime] = int(delay)
    if words:
        f.header[:] = words
    if interval is not None and binary:
        has_more = f.revision >= 2 and f.bin[BinField.ExtInterval] > 0
        f.bin = {BinField.Interval: interval, **({BinField.ExtInterval: float(interval)} if has_more else {})}
    first = float(f.samples[0]) if delay is None else delay
    step = dt(f) / 1000 if interval is None else interval / 1000
    f.samples = first + numpy.arange(len(f.samples)) * step


def from_array(
    filename: Any, data: Any, iline: int = 189, xline: int = 193, format: int = SegySampleFormat.IBM_FLOAT_4_BYTE,
    dt: float = 4000, delrt: float = 0, *, comm: Any = None, _dimensions: Any = (2, 3, 4),
) -> None:  # fmt: skip
    """Creates a file from an array (traces, samples), (inlines, crosslines, samples) or (inlines, crosslines, offsets,
    samples). Lines and offsets are numbered from 1. An existing file is replaced when the new one is complete. Local.

    `iline`, `xline`: bytes of the line numbers in trace headers; `format`: a `SegySampleFormat`; `dt`: the sample interval
    in µs; `delrt`: the time of the first sample in ms; `comm`: as in `create`. Raises ValueError: an array of other
    dimensions, or an interval or delay that trace headers cannot hold; InputError: the format cannot represent a sample.
    """
    from .opening import _create
    from .segy import spec, written_as
    from .source import Source

    require_one_process(comm)
    array = plain(data)
    if array.ndim not in _dimensions or array.dtype.kind not in "iufb":
        needed = " or ".join(map(str, _dimensions))
        raise ValueError(f"an array of {needed} dimensions is needed, not {array.ndim} of {array.dtype}")
    *lines, samples = (1,) * (3 - array.ndim) + array.shape
    shape = (*lines, 1)[:3]
    made = spec()
    made.iline, made.xline, made.format, made.sorting = int(iline), int(xline), int(format), 2
    made.samples = numpy.arange(samples) * dt / 1000 + delrt
    made.ilines, made.xlines, made.offsets = (numpy.arange(1, 1 + size) for size in shape)
    if int(delrt) != delrt or int(dt) != dt or not -32768 <= delrt < 32768:
        raise ValueError(f"trace headers hold whole intervals of 1 to 65535 microseconds, not {dt}, and whole delays of "
                         f"-32768 to 32767 ms, not {delrt}")  # fmt: skip
    new, opened = _create(Source.of_path(filename, "r+"), made, None)
    try:
        with opened(new.path) as f:
            f.attributes(made.iline), f.attributes(made.xline)  # raise KeyError
            traces = array.reshape(-1, samples)
            for block in blocks(range(len(traces)), samples * 8):
                f._write_traces(block, traces[block].astype(written_as(array.dtype), copy=False))
            f.bin = {BinField.Interval: int(dt), BinField.SortingCode: 4}
            numbers = numpy.arange(f.tracecount)
            i, j, k = (place + 1 for place in numpy.unravel_index(numbers, shape))
            raw = numpy.zeros((f.tracecount, 240), numpy.uint8)
            for byte, column in {made.iline: i, made.xline: j, 37: k, 13: numbers, 25: numbers}.items():
                raw[:, byte - 1 : byte + 3] = column.astype(">i4").reshape(-1, 1).view(numpy.uint8)
            f._write(f._header_at(numbers), raw)
            f.header[:] = {109: int(delrt), 115: min(samples, 65535), 117: int(dt)}
        new.commit()
    except BaseException:
        del new  # which the exception would keep
        raise


from_array2D, from_array3D, from_array4D = (functools.partial(from_array, _dimensions=[n]) for n in (2, 3, 4))
