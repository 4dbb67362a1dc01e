"""A survey: SEG-Y or Seismic Unix files, read as one sequence of traces."""

from __future__ import annotations

import base64
import functools
import html
import math
import operator
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy

from . import _sill, commands, flows, pictures, remote
from .errors import InputError, IoError, UsageError

if TYPE_CHECKING:
    import pandas
    import polars

Array: TypeAlias = "numpy.ndarray[Any, Any]"
Selection: TypeAlias = "tuple[int, int] | Array"  # (first, count), or trace numbers
Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"
Assumptions: TypeAlias = "str | Sequence[str] | Mapping[str, object]"

_DTYPES = [numpy.dtype(name).str for name in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
_MAX_CHAINED = 60  # of conditions, whose nesting is limited
BLOCK_BYTES = 8 << 20  # that iteration over traces reads at once


def open(
    paths: Path | Sequence[Path], *, map: Path = "", assume: Assumptions = (), storage_options: Mapping[str, Any] | None = None,
    cache_bytes: int = remote.CACHE_BYTES,
) -> Survey:  # fmt: skip
    """Opens files as one survey: traces are numbered from 0, through the files in the given order.

    Local. The format of each file is detected.

    Args:
        paths: a SEG-Y or Seismic Unix file, or several that make one survey. As in the program, a pattern such as
            "line*.sgy" stands for the files that match, and "@LIST" for the lines of the file LIST. A URL, such as
            "s3://bucket/line1.sgy" or "https://host/line1.sgy", is read by fsspec (docs/python.md, Remote files).
        map: the preset or the file that gives names to header words, as the option ``--map``
        assume: what is assumed about every file, as the option ``--assume``: ``{"sample_format": 5}`` or
            ``"sample_format=5"``
        storage_options: for URLs, the arguments of the file system of fsspec: ``{"anon": True}``
        cache_bytes: for URLs, the memory for bytes that were read, of all files of the survey together

    Raises:
        UsageError: no file, a file named twice, or assumptions or maps that do not fit
        InputError: a file is damaged, unknown, or does not fit the others
        IoError: a file cannot be read; also a FileNotFoundError or PermissionError; for URLs also if a server does not
            answer, or if a file is changed after it was opened
    """
    given = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    if isinstance(assume, Mapping):
        assume = [f"{name}={value}" for name, value in assume.items()]
    elif isinstance(assume, str):
        assume = [assume] if assume else []
    files = [path if b"://" in path else os.path.abspath(path) for path in _sill.expanded([encoded(path) for path in given])]
    if storage_options and not any(b"://" in path for path in files):
        raise UsageError("storage_options are for URLs, and no path is a URL")
    return Survey(_Files(files, map_file(map), list(assume), (), storage_options, cache_bytes))


def encoded(path: Path) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise UsageError("a path contains a byte of value 0")
    return encoded


def _shown(path: bytes) -> bytes:
    """Returns a path as texts show it: relative if the file is in the working directory."""
    folder = os.getcwdb()
    return os.path.relpath(path, folder) if path.startswith(folder.rstrip(b"/") + b"/") else path


def map_file(map: Path) -> bytes:
    """Returns a preset as it is, and the absolute path of a file."""
    name = encoded(map)
    return name if not name or name.decode(errors="replace").lower() in _sill.presets() else os.path.abspath(name)


def plain(values: Any) -> Array:
    """Returns an array. Errors: TypeError for a masked array, whose hidden values would become visible."""
    if isinstance(values, numpy.ma.MaskedArray):
        raise TypeError("the array is masked, and files have no masks: pass array.filled(value)")
    return numpy.asarray(values)


def word_values(name: str, values: Any, count: int) -> Array:
    """Returns `count` values of a header word, int64 or float64, from a number or one per trace."""
    numbers = plain(values)
    if numbers.dtype.kind not in "biuf":
        raise TypeError(f"{name} is set to numbers, not to {numbers.dtype}")
    whole = numpy.array(numpy.broadcast_to(numbers, count), "f8" if numbers.dtype.kind == "f" else "i8")
    if numbers.dtype.kind == "u" and (whole < 0).any():
        raise OverflowError(f"{name} is set to a value beyond 64-bit integers")
    return whole


class _Files:
    """Open files, which all views of a survey share. Pickled by paths, sizes and times of the last change, map and
    assumptions; URLs by their states."""

    def __init__(
        self, paths: list[bytes], map: bytes, assume: list[str], stamps: Sequence[Sequence[int]] = (),
        storage_options: Mapping[str, Any] | None = None, cache_bytes: int = remote.CACHE_BYTES,
        states: remote.States | None = None,
    ) -> None:  # fmt: skip
        storage_options, states = dict(storage_options or {}), {} if states is None else states
        is_remote = any(b"://" in path for path in paths)
        self.remote = remote.opened(storage_options, cache_bytes, states) if is_remote else None
        self._opened: _sill.Survey | None = _sill.Survey(paths, map, assume, self.remote)
        self.paths = paths  # absolute
        self.map = map
        self.assume = assume
        self._of_urls = (storage_options, cache_bytes, states)
        self.stamps = [tuple(stamp) for stamp in stamps] or self._stamps_now()
        self._require_stamps(slice(2))

    def _stamps_now(self) -> list[tuple[int, ...]]:
        """Returns size, time of the last change in ns, and inode of each file; 0 for URLs, whose states are checked."""
        found = [None if b"://" in path else os.stat(path) for path in self.paths]
        return [(each.st_size, each.st_mtime_ns, each.st_ino) if each else (0, 0, 0) for each in found]

    def require_same_files(self) -> None:
        """Raises InputError if a path leads to another file than the one that is open. An edit in place is allowed."""
        self._require_stamps(slice(0, None, 2))

    def _require_stamps(self, parts: slice) -> None:
        for path, was, now in zip(self.paths, self.stamps, self._stamps_now(), strict=True):
            if was[parts] != now[parts]:
                name, problem = os.fsdecode(path), "the file was changed after it was first opened"
                raise InputError(f"{problem}\n  file:   {name}\n  to do:  open it anew", problem, {"file": name}, "", "open it anew")

    @property
    def opened(self) -> _sill.Survey:
        if self._opened is None:
            raise UsageError("the survey is closed")
        return self._opened

    def close(self) -> None:
        self._opened = None

    @functools.cached_property
    def grid(self) -> tuple[Any, ...]:
        return self.opened.grid()

    def traces_of(self, numbers: Array) -> Array:
        """Returns samples with one more dimension than `numbers`; number -1, no trace, gives NaN."""
        _sill.require_memory(4 * numbers.size * self.opened.samples)
        into = numpy.empty((*numbers.shape, self.opened.samples), numpy.float32)
        self.opened.read_samples(numpy.ascontiguousarray(numbers).reshape(-1), into)
        return into

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Files, (self.paths, self.map, self.assume, self.stamps, *self._of_urls))


class Survey:
    """Traces of one or more files, or some of them (`where`). Opened by `sill.open`.

    Several threads may read from one survey. A survey can be pickled: it is opened again from its paths, which must
    lead to files of the same sizes. Use it in a ``with`` statement, or call `close`, to close the files early.
    """

    __iter__ = None  # traces, headers and gathers are different sequences

    if TYPE_CHECKING:

        def __getattr__(self, operation: str) -> Callable[..., flows.Flow]:
            """The operations of flows, added by `flows.add_methods`."""

    def __init__(self, files: _Files, numbers: Array | None = None, condition: str = "") -> None:
        self._files = files
        self._base = numbers  # int64: the traces among which the condition chooses; None: all
        self._condition = condition  # of `where`, "": none
        self._lock = threading.Lock()
        self._evaluated: tuple[Array | None] | None = None if condition else (numbers,)  # traces; None: all

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._files, self._base, self._condition)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        Survey.__init__(self, *state)

    def __len__(self) -> int:
        """Returns the number of traces."""
        numbers = self._chosen_numbers()
        return self._files.opened.traces if numbers is None else len(numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """(traces, samples per trace). Raises UsageError if traces differ in length."""
        return (len(self), self._files.opened.samples)

    @property
    def paths(self) -> list[str]:
        """The paths of the files."""
        return [os.fsdecode(path) for path in self._files.paths]

    @property
    def interval(self) -> float:
        """The sample interval in seconds; in metres or feet if the samples are a function of depth."""
        return self._files.opened.interval_us * (1e-3 if self._files.opened.is_depth else 1e-6)

    @property
    def words(self) -> list[str]:
        """The names of the words of trace headers in these files."""
        return self._files.opened.words

    @property
    def text(self) -> str:
        """The text header of the first file: 40 lines, without the blanks at their ends; "" without one."""
        return self._files.opened.text(0)

    @property
    def binary(self) -> bytes:
        """The 400 bytes of the binary header of the first file, as stored; b"" for Seismic Unix data."""
        return self._files.opened.binary_header(0)

    @property
    def info(self) -> commands.Result | list[commands.Result]:
        """What the files are, as ``sill info --json``: one object, or a list of them for several files."""
        return self._run("info")

    @property
    def findings(self) -> list[commands.Result]:
        """What differs from the standard in each file: grade, problem, where, clause and action."""
        info = self.info
        return [found for file in (info if isinstance(info, list) else [info]) for found in file.diagnostics]

    @property
    def geometry(self) -> commands.Result:
        """Kind, order, lines, fold and positions, inferred from all headers, as ``sill info --geometry``.

        Raises UsageError for a survey of several files.
        """
        if len(self._files.paths) > 1:
            raise UsageError("the geometry of several files is not one: open them one by one, or merge them")
        return self._run("info", geometry=True, **self._map())["geometry"]

    def check(self) -> commands.Result:
        """Returns everything that is odd about the files, as `sill.check`: reads all traces."""
        return self._run("check", **self._map())

    def view(self, **options: Any) -> pictures.Picture:
        """Returns a picture of the traces as `sill.view` draws it, which notebooks show.

        Args:
            options: the options of ``sill view``: ``kind="wiggle"``, ``gather="cdp=100"``, ``time="1s:3s"``, ...

        Raises UsageError for a survey of several files; otherwise as the program.
        """
        condition = self._condition_of_all()
        if condition:
            options["where"] = condition
        return pictures.drawn(lambda path: self._run("view", output=path, **self._map(), **options))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the traces, gathers included, on axes of matplotlib, with the axes, clip and polarity of `view`.

        Local. Time increases downwards; positive samples have the upper colors, and are filled to the right in wiggles. Of
        more than 4,000 traces (400 in wiggles), every n-th is drawn; of several samples that fall together, the largest.

        Args:
            ax: the axes; without: new ones
            options: ``kind="density"`` or "wiggle"; ``time="1s:3s"``, ``clip="98%"``, ``gain="agc=500ms"``, ``top="cdp"``,
                ``colors="grey"`` as the options of ``sill view``; ``colorbar=False``

        Returns:
            the axes

        Raises as `view`; UsageError for a survey without traces.
        """
        name = os.fsdecode(_shown(self._files.paths[0]))
        return pictures.plotted(self._files.opened, self.numbers, self._text(), name, ax, **options)

    def _text(self) -> str:
        """Returns the condition that the traces fulfil, "" for none."""
        return self._condition

    def _repr_html_(self) -> str:
        picture = ""
        if len(self._files.paths) == 1 and self._base is None:
            try:
                png = base64.b64encode(self.view(traces=f"1:{min(len(self), 400)}", size="900x450").png).decode()
                picture = f'<img src="data:image/png;base64,{png}">'
            except (UsageError, InputError, IoError) as error:  # such as Cairo that is not installed, or no traces
                picture = f"<pre>{html.escape(str(error))}</pre>"
        return f"<pre>{html.escape(self._run('info', json=False).text)}</pre>{picture}"

    def _condition_of_all(self) -> str:
        """Returns the condition that chooses the traces of this view among all, "" for all."""
        if self._base is not None:
            raise UsageError("this works on all traces of files, or those of where(), not on a gather")
        return self._condition

    def _flow(self) -> flows.Flow:
        condition = self._condition_of_all()
        return flows.Flow(self, [_sill.step_text("select", [("where", condition)])] if condition else [])

    def _map(self) -> dict[str, bytes]:
        return {"map": self._files.map} if self._files.map else {}

    def _run(self, command: str, functions: Mapping[str, Any] | None = None, /, **options: Any) -> Any:
        _ = self._files.opened  # not closed
        self._files.require_same_files()
        if self._files.assume:
            options["assume"] = self._files.assume
        own = {name: options.pop(name, None) for name in ("progress", "comm")}
        files = tuple(_shown(path) for path in self._files.paths)
        return commands.run_with(command, files, options, functions=functions, remote=self._files.remote, **own)

    @property
    def numbers(self) -> Array:
        """The numbers of the traces, counted from 0 through all files: int64."""
        numbers = self._chosen_numbers()
        return numpy.arange(len(self)) if numbers is None else numbers.copy()

    def close(self) -> None:
        """Closes the survey, for all its views; the files are closed when no reading or iteration uses them."""
        self._files.close()

    def __enter__(self) -> Survey:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            opened = self._files.opened
        except UsageError:
            return "<sill.Survey: closed>"
        kind, revision, sample_format = opened.form
        path = self.paths[0].partition("?")[0] if "://" in self.paths[0] else self.paths[0]
        first = os.path.basename(path) + (f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else "")
        traces = "traces" if self._evaluated is None else f"{len(self):,} trace{'' if len(self) == 1 else 's'}"
        traces += f" where {self._condition}" if self._condition else ""
        samples = f"{opened.samples:,} samples" if opened.is_uniform else "different numbers of samples"
        unit = " m or ft" if opened.is_depth else " s"
        form = f"{kind} revision {revision}" if kind == "SEG-Y" else kind
        return f"<sill.{type(self).__name__} {first}: {traces}, {samples}, interval {self.interval:g}{unit}, {sample_format}, {form}>"

    @property
    def traces(self) -> Traces:
        """The samples: ``survey.traces[100:200]`` is an array of float32 of shape (100, samples)."""
        return Traces(self)

    def __getitem__(self, names: str | tuple[str, ...]) -> Any:
        """Returns values of header words and expressions (docs/expressions.md), one per trace.

        One name gives an array of int64, float64 or bool, or a list of texts. Several names give `Columns`. Headers are
        read once, on all cores.

        Raises:
            UnknownWordError: a KeyError, with the nearest names
        """
        if isinstance(names, str):
            return self.headers(names)[names]
        if isinstance(names, tuple) and names and all(isinstance(name, str) for name in names):
            return self.headers(*names)
        raise TypeError("index a survey with names of header words: survey['cdp', 'offset']; traces with survey.traces")

    def headers(self, *names: str, true: bool = False) -> Columns:
        """Returns values of header words or expressions; without names, of all header words.

        Args:
            names: header words or expressions
            true: words in true units, with the scalars of the headers applied: float64. Expressions, and words that are
                texts or have no scalar, remain as they are.

        Raises as ``survey[names]``.
        """
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"a header word is named by a str, not by {type(name).__name__}")
        wanted = list(names) or self.words
        opened = self._files.opened
        texts = [opened.true_text(name) if true else name for name in wanted]
        return Columns(zip(wanted, opened.read_columns(self._selection(), texts), strict=True))

    def raw_headers(self) -> Array:
        """Returns the first 240 bytes of the header of each trace, as stored: uint8 of shape (traces, 240)."""
        return self._files.opened.read_headers(self._selection())

    def where(self, condition: str) -> Survey:
        """Returns the traces for which a condition holds, such as "abs(offset) < 500 and trid == 1", as a survey.

        The headers are read when the traces are first needed. Selections can be chained.

        Raises:
            UsageError: the condition cannot be read
        """
        if not isinstance(condition, str):
            raise TypeError(f"a condition is a str, not {type(condition).__name__}")
        self._files.opened.require_condition(condition)
        if self._condition.count("(") > _MAX_CHAINED:
            return Survey(self._files, self._chosen_numbers(), condition)
        if self._condition:
            condition = f"({self._condition}) and ({condition})"
        return Survey(self._files, self._base, condition)

    def gathers(self, *keys: str, then: str = "") -> Iterator[Gather]:
        """Iterates over the gathers: traces with equal values of `keys`, in the order of the keys.

        Args:
            keys: header words or expressions, such as "cdp" or "fldr", "tracf"
            then: words or expressions, separated by commas, that order the traces of a gather; otherwise they are in
                file order

        Raises:
            UsageError: no keys, or keys that cannot be read
            InputError: a trace does not have a key
        """
        if not all(isinstance(key, str) for key in (*keys, then)):
            raise TypeError("keys are of type str")
        opened = self._files.opened
        gathers = opened.gathers(",".join(keys), then)
        chosen = self._chosen_numbers()
        is_chosen = numpy.zeros(opened.traces, bool)
        is_chosen[slice(None) if chosen is None else chosen] = True
        all_numbers = (gathers.traces(i) for i in range(len(gathers)))
        chosen_numbers = (numbers[is_chosen[numbers]] for numbers in all_numbers)
        return (Gather(self._files, numbers, keys) for numbers in chosen_numbers if len(numbers) > 0)

    @property
    def inlines(self) -> Lines:
        """The inlines of a post-stack grid: ``survey.inlines[1200]``. Raises UsageError for another survey."""
        return Lines(self, 0)

    @property
    def crosslines(self) -> Lines:
        """The crosslines of a post-stack grid: ``survey.crosslines[300]``. Raises UsageError for another survey."""
        return Lines(self, 1)

    @property
    def slices(self) -> Slices:
        """The slices of a post-stack grid: ``survey.slices[1.2]`` at 1.2 s. Raises UsageError for another survey."""
        return Slices(self)

    @functools.cached_property
    def _grid(self) -> tuple[tuple[str, Array, Array], ...]:
        """Returns word, numbers, and trace numbers (one row per line, -1 for none) of inlines and crosslines."""
        *axes, traces = self._files.grid
        chosen = self._chosen_numbers()
        if chosen is not None:
            traces = numpy.where(numpy.isin(traces, chosen), traces, -1)
        in_use = [(traces >= 0).any(axis=1), (traces >= 0).any(axis=0)]
        traces = traces[numpy.ix_(*in_use)]
        grid = []
        for (word, first, step), used, rows in zip(axes, in_use, (traces, traces.T), strict=True):
            numbers = first + step * numpy.flatnonzero(used)
            numbers.flags.writeable = False
            grid.append((word, numbers, rows))
        return tuple(grid)

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
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            count = len(range(first, end, step))
            if numbers is None and step == 1:
                return (first, count), count
            chosen = numpy.arange(first, first + count * step, step, dtype=numpy.int64)
        else:
            chosen = numbers_in(key, len(self))
        if numbers is not None:
            chosen = numbers[chosen]
        return numpy.ascontiguousarray(chosen), len(chosen)


def index_in(key: Any, count: int, of: str = "trace") -> int:
    """Returns an index from 0; negative ones count from the end. Raises IndexError, or TypeError for something else."""
    number = operator.index(key)
    if not -count <= number < count:
        raise IndexError(f"there is no {of} {number} among {count}")
    return number + count if number < 0 else number


def numbers_in_slice(key: slice, numbers: Array) -> list[int]:
    """Returns those of `numbers` of lines that a slice contains, in its order."""
    if len(numbers) == 0:
        return []
    step = 1 if key.step is None else operator.index(key.step)
    low, high = int(numbers.min()), int(numbers.max())
    first = (low if step > 0 else high) if key.start is None else operator.index(key.start)
    end = (high + 1 if step > 0 else low - 1) if key.stop is None else operator.index(key.stop)
    chosen = range(first, end, step)
    return [number for number in sorted(numbers.tolist(), reverse=step < 0) if number in chosen]


def numbers_in(key: Any, traces: int) -> Array:
    """Returns the trace numbers that a list of numbers or a mask chooses among `traces` traces."""
    chosen = numpy.asarray(key)
    if isinstance(key, tuple) or chosen.ndim == 0:
        raise TypeError(f"choose traces with a number, slice, list or mask, not with {type(key).__name__}")
    if chosen.ndim != 1:
        raise IndexError("choose traces with a number, a slice, or a list or mask of one dimension")
    if chosen.dtype == bool:
        if len(chosen) != traces:
            raise IndexError(f"the mask has {len(chosen)} values, for {traces} traces")
        return numpy.flatnonzero(chosen)
    if chosen.size == 0:
        return chosen.astype(numpy.int64)
    if chosen.dtype.kind not in "iu":
        raise TypeError(f"trace numbers are integers, not {chosen.dtype}")
    outside = (chosen >= traces) | ((chosen < 0) & (chosen.astype(numpy.int64) < -traces))
    if outside.any():
        raise IndexError(f"there is no trace {chosen[outside][0]} among {traces}")
    chosen = chosen.astype(numpy.int64)
    return numpy.where(chosen < 0, chosen + traces, chosen)


def _number_in(key: Any) -> int | None:
    """Returns the trace number that `key` is, or None if it is no number."""
    if isinstance(key, (bool, numpy.bool_)) or not hasattr(key, "__index__"):
        return None
    if getattr(key, "ndim", 0) > 0:
        return None
    return int(key.__index__())


class Traces:
    """The samples of a survey, read when they are asked for. Has the shape and the dtype of an array."""

    dtype = numpy.dtype(numpy.float32)
    ndim = 2

    def __init__(self, survey: Survey) -> None:
        self._survey = survey

    def __len__(self) -> int:
        return len(self._survey)

    @property
    def shape(self) -> tuple[int, int]:
        """(traces, samples per trace)."""
        return self._survey.shape

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
            return numpy.frombuffer(self._survey._files.opened.read_trace(self._survey._trace(key), "f4"), self.dtype)
        if isinstance(key, tuple) and len(key) != 1:
            if len(key) > 2 or (len(key) == 2 and numpy.ndim(key[0]) > 0 and numpy.ndim(key[1]) > 0):
                raise IndexError("choose traces, and samples by a number or a slice: traces[10:20, ::2]")
            return self[:] if not key else self[key[0]][..., key[1]]
        return self.read(key[0] if isinstance(key, tuple) else key)

    def read(
        self, key: Any = slice(None), out: Array | None = None, dtype: Any = None
    ) -> Array:
        """Returns ``traces[key]``.

        Args:
            key: a trace number, slice, list or mask
            out: an array of the right shape in C order, which is filled and returned
            dtype: float32 (default), float64, or integers of 1, 2, 4 or 8 bytes: samples are converted without a copy,
                rounded to the nearest value, halves to even

        Raises as ``traces[key]``, and InputError for a sample that `dtype` cannot hold.
        """
        opened = self._survey._files.opened
        if key is Ellipsis:
            key = slice(None)
        if dtype is not None and numpy.dtype(dtype).str not in _DTYPES:
            raise TypeError(
                f"samples are read as float32, float64, or integers of 1, 2, 4 or 8 bytes, not as {numpy.dtype(dtype)}"
            )
        shape: tuple[int, ...]
        number = _number_in(key)
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
        elif not isinstance(out, numpy.ndarray) or out.shape != shape:
            raise UsageError(f"out must be an array of shape {shape}")
        elif not out.flags.c_contiguous or not out.flags.writeable or not out.dtype.isnative:
            raise UsageError("out must be writable, in C order and in native byte order")
        elif dtype is not None and numpy.dtype(dtype) != out.dtype:
            raise UsageError(f"out has the dtype {out.dtype}, not {numpy.dtype(dtype)}")
        opened.read_samples(selection, out)
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the samples are in a file: an array of them is a copy")
        is_read = dtype is not None and numpy.dtype(dtype).kind == "f" and numpy.dtype(dtype).str in _DTYPES
        return self.read(dtype=dtype) if is_read or dtype is None else self.read().astype(dtype)

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
        self._survey = survey
        self.word, self.numbers, self._traces = survey._grid[axis]
        self._read = survey._files.traces_of

    def __len__(self) -> int:
        return len(self.numbers)

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
                raise IndexError(f"{len(key)} indices for lines and samples")
            key, samples = key
        number = _number_in(key)
        if number is not None:
            return self._read(self._traces[self._row(number)])[..., samples]
        if key is Ellipsis or isinstance(key, slice):
            key = numbers_in_slice(slice(None) if key is Ellipsis else key, self.numbers)
        numbers = numpy.asarray(key)
        if numbers.ndim != 1 or (numbers.size > 0 and numbers.dtype.kind not in "iu"):
            raise TypeError(f"lines are chosen by their numbers, not by {type(key).__name__}")
        rows = [self._row(int(number)) for number in numbers]
        return self._read(self._traces[numpy.array(rows, numpy.int64)])[..., samples]

    def __contains__(self, number: object) -> bool:
        return bool((self.numbers == number).any())

    def __iter__(self) -> Iterator[Array]:
        """Iterates over the lines, in the order of their numbers."""
        for number in self.numbers:
            yield self[number]

    def _row(self, number: int) -> int:
        row = int(numpy.searchsorted(self.numbers, number))
        if row == len(self.numbers) or self.numbers[row] != number:
            step = f", every {self.numbers[1] - self.numbers[0]}" if len(self) > 1 else ""
            are = f"they are {self.numbers[0]} to {self.numbers[-1]}{step}" if len(self) > 0 else "there are none"
            raise KeyError(f"no line has {self.word} {number}: {are}")
        return row


class Slices:
    """The time or depth slices of a post-stack grid."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        (_, self.inlines, self._traces), (_, self.crosslines, _) = survey._grid

    __iter__ = None
    __contains__ = None  # type: ignore[assignment]

    def __getitem__(self, at: float) -> Array:
        """Returns the samples nearest to `at`, in seconds, or in metres or feet of depth: float32 (inlines, crosslines).

        Places without a trace, or without a sample there, are NaN. Raises UsageError if no trace has a sample there.
        """
        if isinstance(at, bool) or not isinstance(at, (int, float, numpy.number)):
            raise TypeError(f"a slice is chosen by a time in seconds or a depth, not by {type(at).__name__}")
        opened = self._survey._files.opened
        at_us = float(at) * (1e3 if opened.is_depth else 1e6)
        return opened.read_slice(numpy.ascontiguousarray(self._traces).ravel(), at_us).reshape(self._traces.shape)


class Gather(Survey):
    """The traces of a gather.

    Attributes:
        keys: the header words or expressions that its traces have in common
    """

    def __init__(self, files: _Files, numbers: Array, keys: tuple[str, ...]) -> None:
        super().__init__(files, numbers)
        self.keys = keys

    def __reduce__(self) -> tuple[Any, ...]:
        return (Gather, (self._files, self._base, self.keys))

    def _text(self) -> str:
        return " and ".join(f"{key} == {values[0]}" for key, values in self.headers(*self.keys).items())

    @property
    def samples(self) -> Array:
        """The samples: float32 of shape (traces, samples)."""
        return self.traces[:]


class Columns(dict[str, Any]):
    """Values of header words: an array per name, or a list of texts."""

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a table with one row per trace. Needs pandas."""
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self) -> polars.DataFrame:
        """Returns a table with one row per trace. Needs polars."""
        import polars

        return polars.DataFrame(dict(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns the table as an Arrow C stream. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(dict(self)).__arrow_c_stream__(requested_schema)


flows.add_methods(Survey, flows.Flow)
