"""A survey: SEG-Y or Seismic Unix files, read as one sequence of traces."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _sill, commands, flows, pictures, remote
from .arrays import Array, Columns
from .errors import WRONG_TYPE, Error, UsageError, argument, usage_error
from .files import Assumptions, Files, Path, encoded, map_file, shown
from .samples import Lines, Slices, Traces
from .selection import ChosenTraces

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._signatures import ViewOptions

_MAX_CHAINED = 60  # of conditions, whose nesting is limited


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
    with argument("paths", "pass a path or a list of paths"):
        if hasattr(paths, "read"):
            raise TypeError("an open file is not a path")
        given = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    if isinstance(assume, Mapping):
        assume = [f"{name}={value}" for name, value in assume.items()]
    with argument("assume", 'pass a str such as "sample_format=5", a list of these, or a dict'):
        assume = [str.strip(each) for each in (filter(None, [assume]) if isinstance(assume, str) else assume)]
    files = [path if b"://" in path else os.path.abspath(path) for path in _sill.expanded([encoded(path) for path in given])]
    if (storage_options or cache_bytes != remote.CACHE_BYTES) and not any(b"://" in path for path in files):
        raise usage_error("storage_options and cache_bytes are for URLs, and no path is a URL", "omit them")
    return Survey(Files(files, map_file(map), assume, (), storage_options, cache_bytes))


class Survey(ChosenTraces, flows.Operations):
    """Traces of one or more files, or some of them (`where`). Opened by `sill.open`.

    Several threads may read from one survey. A survey can be pickled: it is opened again from its paths, which must
    lead to files of the same sizes. Use it in a ``with`` statement, or call `close`, to close the files early.
    """

    __iter__ = None  # traces, headers and gathers are different sequences
    _gather_word = ""

    def __len__(self) -> int:
        """Returns the number of traces."""
        numbers = self._chosen_numbers()
        self._files.opened.require_unchanged()
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
    def info(self) -> Any:
        """The output of ``sill info --json``: a `Result`, or a list of them for several files."""
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
            raise usage_error("the geometry of several files is not one", "open them one by one, or merge them")
        return self._run("info", geometry=True, **self._map())["geometry"]

    def check(self) -> commands.Result:
        """Returns everything that is odd about the files, as `sill.check`: reads all traces."""
        return self._run("check", **self._map())

    def view(self, **options: Unpack[ViewOptions]) -> pictures.Picture:
        """Returns a picture of the traces as `sill.view` draws it, which notebooks show.

        Args:
            options: the options of ``sill view``: ``kind="wiggle"``, ``gather="cdp=100"``, ``time="1s:3s"``, ...

        Raises UsageError for a survey of several files; otherwise as the program.
        """
        if len(self._files.paths) > 1:
            raise usage_error("a picture is of one file, and the survey has several", "view them one by one, or use plot()")
        condition = self._condition_of_all()
        if condition:
            given = options.get("where")
            options["where"] = f"({condition}) and ({given})" if given else condition
        return pictures.drawn(lambda path: self._run("view", None, {**self._map(), "output": path}, **options))

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
        return pictures.plotted(self._files.opened, self.numbers, *self._titles(), ax, options)

    def _titles(self) -> tuple[str, str, str]:
        """Returns the condition that the traces fulfil, the word of their gather, "" for none, and the name of the files."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return self._text(), self._gather_word, os.fsdecode(shown(self._files.paths[0])) + more

    def _text(self) -> str:
        """Returns the condition that the traces fulfil, "" for none."""
        return self._condition

    def _repr_html_(self) -> str:
        text, picture = repr(self), ""
        try:
            text = self._run("info", json=False).text
            if len(self):
                chosen = self._chosen_numbers()
                numbers = numpy.arange(min(len(self), 400)) if chosen is None else chosen[:400]
                png = _sill.picture_of(self._files.opened, numbers, *self._titles(), 900, 450)
                picture = f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}">'
        except Error as error:  # such as Cairo that is not installed, no traces, or a deleted file
            picture = f"<pre>{html.escape(str(error))}</pre>"
        return f"<pre>{html.escape(text)}</pre>{picture}"

    def _condition_of_all(self) -> str:
        """Returns the condition that selects the traces of this view among all, "" for all."""
        if self._base is not None:
            raise usage_error(
                f"this is not possible for a gather, or for more than {_MAX_CHAINED} chained selections",
                "use where() of the survey with the keys of the gather, and join conditions with `and`",
            )
        return self._condition

    def _flow(self) -> flows.Flow:
        condition = self._condition_of_all()
        return flows.Flow(self, [_sill.step_text("select", [("where", condition)])] if condition else [])

    def _map(self) -> dict[str, bytes]:
        return {"map": self._files.map} if self._files.map else {}

    def _run(
        self, command: str, functions: Mapping[str, Any] | None = None, stated: Mapping[str, Any] | None = None, /, **options: Any
    ) -> Any:
        """Runs a command on the files; `stated` are options that the survey or the flow states."""

        def files_of() -> tuple[bytes, ...]:
            if assume:
                raise usage_error("the survey was opened with assume=, which applies to all its uses",
                                  "omit assume= here, or pass it to sill.open")  # fmt: skip
            _ = self._files.opened  # not closed
            self._files.require_same_files()
            return tuple(shown(path) for path in self._files.paths)

        own = {name: options.pop(name, None) for name in ("progress", "comm")}
        assume = options.pop("assume", None) if self._files.assume else None
        stated = {**(stated or {}), **({"assume": self._files.assume} if self._files.assume else {})}
        return commands.run_with(command, files_of, options, functions=functions, remote=self._files.remote, stated=stated, **own)

    @property
    def numbers(self) -> Array:
        """The numbers of the traces, counted from 0 through all files: int64."""
        numbers = self._chosen_numbers()
        self._files.opened.require_unchanged()
        return numpy.arange(self._files.opened.traces) if numbers is None else numbers.copy()

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
        action = "use names of header words: survey['cdp', 'offset']; or survey.traces for samples"
        raise usage_error(f"a survey is not indexed with {type(names).__name__}", action, number=WRONG_TYPE)

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
                raise usage_error(f"a header word is not named by {type(name).__name__}", "pass a str", number=WRONG_TYPE)
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
            raise usage_error(f"the condition has the type {type(condition).__name__}", "pass a str", number=WRONG_TYPE)
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
            raise usage_error("a key is not a str", "name header words: gathers('cdp', then='offset')", number=WRONG_TYPE)
        files = self._files  # an edit renews them, for which these numbers are not
        opened = files.opened
        gathers = opened.gathers(",".join(keys), then)
        chosen = self._chosen_numbers()
        is_chosen = numpy.zeros(opened.traces, bool)
        is_chosen[slice(None) if chosen is None else chosen] = True
        all_numbers = (gathers.traces(i) for i in range(len(gathers)))
        chosen_numbers = (numbers[is_chosen[numbers]] for numbers in all_numbers)
        keys = tuple(gathers.keys)  # of "fldr,cdp" two
        return (Gather(files, numbers, keys) for numbers in chosen_numbers if len(numbers) > 0)

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


class Gather(Survey):
    """The traces of a gather.

    Attributes:
        keys: the header words or expressions that its traces have in common
    """

    def __init__(self, files: Files, numbers: Array, keys: tuple[str, ...]) -> None:
        super().__init__(files, numbers)
        self.keys = keys

    def __reduce__(self) -> tuple[Any, ...]:
        return (Gather, (self._files, self._base, self.keys))

    def _text(self) -> str:
        return " and ".join(f"{key} == {values[0]}" for key, values in self.headers(*self.keys).items())

    @property
    def _gather_word(self) -> str:  # type: ignore[override]
        return self.keys[0]

    def view(self, **options: Unpack[ViewOptions]) -> pictures.Picture:
        """Returns a picture as `Survey.view`. Raises UsageError if the gather has some of its traces only, or another order
        than the file."""
        (word, values), *others = self.headers(*self.keys).items()
        survey = Survey(self._files)
        for key, of_key in others:
            survey = survey.where(f"{key} == {of_key[0]}")
        if not numpy.array_equal(survey.where(f"{word} == {values[0]}").numbers, self.numbers):
            raise usage_error("a picture of a gather shows all its traces in file order, and these are others", "use plot()")
        return survey.view(gather=f"{word}={values[0]}", **options)

    @property
    def samples(self) -> Array:
        """The samples: float32 of shape (traces, samples)."""
        return self.traces[:]


flows.add_methods(Survey, flows.Flow)
