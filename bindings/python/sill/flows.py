"""Flows: processing of surveys. Each operation of ``sill flow`` is a method of `Flow`, and of `Survey` to begin a flow."""

from __future__ import annotations

import copy
import os
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _sill, commands, signatures
from .arrays import Array, plain, word_values
from .errors import WRONG_NAME, WRONG_TYPE, UsageError, argument, usage_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._signatures import FlowOptions, Operations as Operations
    from .survey import Survey
else:
    Operations = object  # classes get the methods from `add_methods`

# The units of numbers without a unit, by the first word of the parameter's form in ``sill flow --describe``.
_UNITS = {
    "TIME": "s", "T1": "s", "LENGTH": "m", "VELOCITY": "m/s", "FREQUENCY": "Hz", "PERCENT": "%",
    "SHARE": "%", "DECIBEL": "dB", "DECIBELS": "dB", "ANGLE": "deg",
}  # fmt: skip


class Flow(Operations):
    """A survey and the operations on it. Nothing is computed before `write`.

    ``survey.sort("cdp", "offset").nmo(velocity="v.csv").stack(by="cdp").write("stack.sgy")``
    """

    def __init__(self, survey: Survey, steps: Sequence[str] = (), functions: Mapping[str, _Applied] | None = None) -> None:
        self._survey = survey
        self._steps = tuple(steps)
        self._functions = dict(functions or {})  # of `apply`, by name

    @property
    def text(self) -> str:
        """The operations in the inline form, as for ``sill flow --do``."""
        return "; ".join(self._steps)

    def __repr__(self) -> str:
        return f"<sill.Flow of {self._survey!r}: {self.text}>"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_sill.operations()]

    def write(self, output: Any = None, **options: Unpack[FlowOptions]) -> commands.Result:
        """Runs the flow and writes its output, which appears when it is complete. Collective over ``comm=``.

        Args:
            output: the file; not needed for a flow that only reports
            options: the options of ``sill flow``: ``sample_format="ieee"``, ``memory="2G"``, ``progress=``, ...;
                ``comm=`` a communicator of mpi4py, whose ranks share the work

        Raises UsageError, InputError or IoError as the program.
        """
        _sill.require_one_writer(options.get("comm"))
        return self._run(output=output, **options)

    def plan(self, **options: Unpack[FlowOptions]) -> str:
        """Returns the plan as ``sill flow --explain`` prints it: passes, their order, and the reasons."""
        return str(self._run(dry_run=True, **options).text)

    def _then(self, step: str, functions: Mapping[str, _Applied] | None = None) -> Flow:
        return Flow(self._survey, [*self._steps, step], {**self._functions, **(functions or {})})

    def _run(self, **options: Any) -> Any:
        functions = {name: applied.started() for name, applied in self._functions.items()}
        try:
            return self._survey._run("flow", functions, {"do": self.text, **self._survey._map()}, **options)
        except UsageError as error:
            raised = next((each.raised for each in functions.values() if each.raised), None)
            if isinstance(raised, (KeyboardInterrupt, SystemExit)):
                raise raised from error
            raise error from (raised and raised.with_traceback(raised.__traceback__.tb_next if raised.__traceback__ else None))


class Block:
    """Traces that `apply` passes to a function. The arrays belong to the function.

    Attributes:
        samples: float32 (traces, samples), changed in place or assigned; None unless ``reads`` or ``writes`` has "samples"
        numbers: int64 (traces,): the number of each trace in the input, from 0
        interval: the sample interval in seconds; in metres or feet if the samples are a function of depth
    """

    def __init__(self, samples: Array | None, numbers: Array, interval: float, words: dict[str, Any], writes: list[str]) -> None:
        self.samples = samples
        self._numbers = numbers
        self.interval = interval
        self._words = words
        self._stored = {name: bytes(words[name]) for name in writes}

    @property
    def numbers(self) -> Array:
        return self._numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, name: str) -> Any:
        """Returns the values of a word or expression of ``reads`` or ``writes``, one per trace; of ``writes`` also to be
        changed in place."""
        if name not in self._words:
            raise usage_error(f"{name!r} is not declared: apply(..., reads=[{name!r}])",
                              f"the declared names are {', '.join(self._words)}", number=WRONG_NAME)  # fmt: skip
        return self._words[name]

    def __setitem__(self, name: str, values: Any) -> None:
        """Sets a word of ``writes``: a number, or one per trace."""
        if name not in self._stored:
            raise usage_error(f"{name!r} is not declared: apply(..., writes=[{name!r}])",
                              f"the declared names are {', '.join(self._stored)}", number=WRONG_NAME)  # fmt: skip
        self._words[name] = word_values(name, values, len(self))

    def _changed(self, name: str) -> Array | None:
        """Returns the values of a word of ``writes``, also those changed in place; None if they are as they were."""
        values = self._words[name]
        return values if bytes(values) != self._stored[name] else None


class _Applied:
    """A function of `apply` and its declarations."""

    def __init__(self, function: Callable[[Block], Any], reads: Sequence[str], writes: Sequence[str], concurrent: bool) -> None:
        self.function = function
        self.reads_samples, self.writes_samples = "samples" in reads, "samples" in writes
        self.reads = [name for name in reads if name != "samples"]
        self.writes = [name for name in writes if name != "samples"]
        self.concurrent = concurrent
        self.raised: BaseException | None = None
        self.text = ""  # of what was raised first

    def started(self) -> _Applied:
        """Returns an object for one run, in which nothing was raised."""
        return copy.copy(self)

    def __call__(self, samples: Array | None, numbers: Array, columns: list[Any], interval: float) -> tuple[Any, list[Any]]:
        """Calls the function for a block. Returns the samples and the words that are written."""
        words = dict(zip([*self.reads, *self.writes], columns, strict=True))
        for array in (
            *(each for name, each in words.items() if name not in self.writes),
            None if self.writes_samples else samples,
        ):
            if isinstance(array, numpy.ndarray):
                array.flags.writeable = False  # changes would be lost
        block = Block(samples, numbers, interval, words, self.writes)
        try:
            returned = self.function(block)
            if returned is not None and not self.writes_samples:
                raise UsageError("the function returned a value, but apply(writes=) does not have 'samples'")
            made = block.samples if returned is None else returned
            if self.writes_samples:
                shape = (len(numbers), samples.shape[1])  # type: ignore[union-attr]
                if numpy.shape(made) != shape:
                    raise UsageError(
                        f"the function made samples of the shape {numpy.shape(made)}; they must keep the shape {shape}"
                    )
                with numpy.errstate(over="raise"):  # beyond float32
                    made = plain(made).astype(numpy.float32, casting="same_kind", copy=False)
                made = numpy.ascontiguousarray(made)
        except BaseException as raised:
            if self.raised is None:
                own = raised.__traceback__.tb_next if raised.__traceback__ else None  # of the function
                text = "".join(traceback.format_exception(type(raised), raised, own))
                self.text = text.encode(errors="backslashreplace").decode()
                self.raised = raised
            raise
        return made, [block._changed(name) for name in self.writes]


def apply(
    self: Any, function: Callable[[Block], Any], *, scope: str = "trace", by: Any = None,
    reads: str | Sequence[str] = ("samples",), writes: str | Sequence[str] = ("samples",), concurrent: bool = False,
) -> Flow:  # fmt: skip
    """Passes traces through a function of Python, planned like any other operation.

    Local. The function is called when the flow runs, with a `Block` of traces. It changes ``block.samples`` in place, or
    returns new samples of the same shape, and sets words: ``block["cdp"] = ...``. It may keep the arrays.

    Args:
        function: takes a `Block`. An exception ends the flow: UsageError, caused by the exception
        scope: "trace": blocks are any consecutive traces, and each trace must be processed by itself. "gather": each block is
            a complete gather, within which the number of traces cannot change.
        by: the keys of gathers; without: the first key of the last sort
        reads: what the function uses: "samples", header words and expressions
        writes: what it changes: "samples" and header words. Words that depend on samples need ``scope="gather"``. A function
            on traces that writes words is called for each trace, without samples, and may be called again for the same
            trace: it must then write the same words.
        concurrent: the function may be called by several threads at the same time

    Raises:
        UnknownWordError: a name of `reads` or `writes`, with the nearest names
    """
    named = [[names] if isinstance(names, str) else list(names) for names in (reads, writes)]
    if not callable(function):
        raise usage_error(f"apply(): {type(function).__name__} is not a function", "pass a function", number=WRONG_TYPE)
    applied = _Applied(function, *named, concurrent)
    for name in (*applied.reads, *applied.writes):
        if not isinstance(name, str):
            raise usage_error(f"reads or writes has a {type(name).__name__}", "pass names of header words", number=WRONG_TYPE)
    if scope not in ("trace", "gather"):
        raise usage_error(f"the scope is {scope!r}", "use 'trace' or 'gather'")
    has_samples = applied.reads_samples or applied.writes_samples
    if scope == "trace" and not has_samples and not applied.writes:
        raise usage_error("a function on the words of traces that writes none would not be called",
                          "add 'samples' to reads, or use scope='gather'")  # fmt: skip
    if scope == "trace" and applied.writes and has_samples:
        raise usage_error("a function on traces cannot write words and use samples", "use scope='gather', or no samples")
    flow = self if isinstance(self, Flow) else self._flow()
    columns = flow._survey._files.opened.read_columns((0, 0), [*applied.reads, *applied.writes])  # raises for unknown names
    for name, column in zip(applied.writes, columns[len(applied.reads) :], strict=True):
        if isinstance(column, list):
            raise usage_error(f"apply(): {name} stores text, which a function cannot write", "set it with sill.edit")
    base = name = getattr(function, "__name__", type(function).__name__).strip("<>")
    count = 1
    while name in flow._functions:
        count += 1
        name = f"{base}_{count}"
    arguments = [("function", name), ("scope", scope)] + ([("by", _text_of(by, ""))] if by else [])
    return flow._then(_sill.step_text("apply", arguments), {name: applied})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or hasattr(value, "__float__") and not hasattr(value, "__len__")


def _text_of(value: Any, form: str) -> str:
    """Returns an argument as in a flow; a number without a unit gets the unit of the parameter."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if _is_number(value):
        number = float(value)
        unit = _UNITS.get(re.split("[^A-Z0-9]", form, maxsplit=1)[0], "")
        if unit == "%" and 0 < abs(number) < 1:
            raise usage_error(f"{number!r} may be a part of 1, or per cent", 'write "50%" for one half, or "0.5%"')
        return f"{int(number) if number.is_integer() else repr(number)}{unit}"
    value, form_of_one = list(value), form.split(" ")[0]
    separator = ":" if ":" in form_of_one else "-" if "-" in form_of_one and all(map(_is_number, value)) else ","
    return separator.join(_text_of(each, form) for each in value)


def _method(name: str, operation: dict[str, Any]) -> Callable[..., Flow]:
    """Returns the method of an operation, with signature and documentation made from its description."""
    forms = {parameter["name"]: parameter for parameter in operation["parameters"]}
    positionals = list(operation["positionals"])

    def method(self: Any, *values: Any, **named: Any) -> Flow:
        flow = self if isinstance(self, Flow) else self._flow()
        if len(values) > len(positionals) and len(positionals) == 1:
            values = (values,)  # sort("cdp", "offset")
        if len(values) > len(positionals):
            action = f"name the others: help(sill.Flow.{name})"
            raise usage_error(f"{name}() has {len(values)} values without a name", action, number=WRONG_TYPE)
        arguments = []
        for key, value in [*zip(positionals, values, strict=False), *named.items()]:
            parameter = forms.get(key) or forms.get(key.rstrip("_")) or {"form": "", "is_flag": False, "takes_file": False}
            key = parameter.get("name", key)
            value = bool(value) if isinstance(value, numpy.bool_) else value
            if value is None or (parameter["is_flag"] and value is False):
                continue
            with argument(f"{name}({key}=)", "pass a str, a number or a list of these"):
                text = "yes" if value is True else _text_of(value, parameter["form"])
            if parameter["takes_file"] and text[:1] != "@" and (os.path.exists(text) or re.search(r"\.[A-Za-z]\w*$", text)):
                text = "@" + text
            arguments.append((key, text))
        return flow._then(_sill.step_text(name, arguments))

    method.__signature__ = signatures.of_operation(operation)  # type: ignore[attr-defined]
    method.__name__ = name
    method.__doc__ = operation["description"]
    return method


def add_methods(*classes: type) -> None:
    """Gives the classes a method per operation."""
    for name, operation in _sill.operations().items():
        method = apply if name == "apply" else _method(name, operation)
        for of in classes:
            if hasattr(of, name):
                raise UsageError(f"{of.__name__} has {name} already")
            setattr(of, name, method)
