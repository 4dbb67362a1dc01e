"""The commands of the program, run in this process: one function each, with the options of the command line."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from . import _sill, remote as remote_files, signatures
from .errors import WRONG_TYPE, Error, attempt, unknown_name, usage_error, with_keywords

Progress = Callable[[str, int, int], object]
_WRITING = frozenset({"drain", "edit", "index", "make-survey", "tune"})  # without output=
_REPORTS = frozenset({"log", "report"})  # options that name files to write, also with dry_run=
_OUTPUTS = _REPORTS | {"csv", "html", "json", "output", "pairs", "picks", "tap", "virtual"}
_INPUTS = frozenset({("view", "picks")})  # options of these names that name files to read
# What the command `text` prints to standard error before each text.
_HEADING = re.compile(r".*, (tape label: .*|((extended )?text header|data trailer)( \d+ of \d+)? \(\w+\))")


class SillWarning(UserWarning):
    """What a command would print to standard error: a finding or a note."""


class Result(dict[str, Any]):
    """Results of a command; keys are also attributes: ``result.traces_out``, except names of dict's own methods."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the result has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return str(self["text"]).rstrip() if self.keys() >= {"text", "status"} else super().__repr__()


def _text_of(value: Any) -> list[bytes]:
    """Returns the values of an option, as on the command line."""
    if isinstance(value, (str, bytes, os.PathLike)):
        text = os.fsencode(value)
        if b"\0" in text:
            raise usage_error("a value contains a byte of value 0", "pass another one")
        if text == b"-":
            raise usage_error("`-` is a standard stream of the program", "name a file")
        return [text]
    if isinstance(value, Mapping):
        return [os.fsencode(f"{name}={each}") for name, each in value.items()]
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, (int, float)):
        return [str(value).encode()]
    if isinstance(value, Iterable):
        return [text for each in value for text in _text_of(each)]
    action = "pass a str, path, number or list"
    if hasattr(value, "paths"):
        action = "use a method of the survey, such as survey.check(), or pass survey.paths"
    raise usage_error(f"a value is of type {type(value).__name__}", action, number=WRONG_TYPE)


def _arguments(
    command: str, files: tuple[Any, ...], options: Mapping[str, Any], wants_json: bool, outputs: Set[str]
) -> list[bytes]:
    """Returns a command line. `outputs`: options that only one of several processes may have."""
    table = {option.name: option for option in _sill.options_of(command)}
    arguments: list[bytes] = [command.encode()]
    for name, value in options.items():
        option = table.get(name)
        if option is None or option.is_positional:
            known = (each for each, of in table.items() if not of.is_positional)
            raise unknown_name(f"{command}() has no option {name!r}", name, known, WRONG_TYPE)
        flag = option.flag.encode()
        if wants_json and name == "json":
            arguments.append(flag + (b"=-" if option.takes_value else b""))
            continue
        if value is None or (option.takes_value and isinstance(value, (str, bytes)) and not value):
            continue
        is_truth = isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
        if is_truth == option.takes_value:
            action = "pass a value" if is_truth else "pass True or False"
            raise usage_error(f"{command}(): {name} is {value!r}", action, number=WRONG_TYPE)
        if is_truth:
            arguments += [flag] if value else []
            continue
        texts = _text_of(value)
        if not any(texts):
            continue
        if name in outputs and (command, name) not in _INPUTS:
            _sill.require_one_writer(None)
        if option.is_list:
            arguments += [flag + b"=" + text for text in texts]
        else:
            arguments.append(flag + b"=" + b",".join(texts))
    arguments.append(b"--")
    for file in files:
        arguments += _text_of(file)
    return arguments


def run(command: str, /, *files: Any, progress: Progress | None = None, comm: Any = None, **options: Any) -> Any:
    """Runs a command of the program and returns its results. Collective over `comm`.

    Args:
        command: the name, such as "sort"
        files: the arguments without a name: paths, patterns, @LIST
        progress: called up to 200 times per second, and at the end of each command that reads a survey, with the stage, the
            bytes done and the bytes of the stage; refused for commands that have nothing to report
        comm: a communicator of mpi4py, whose ranks run the command together; None for this process alone. Warnings are
            those of rank 0.
        options: the options of the command line: ``by="cdp,offset"``; flags are True; several values are a list. File
            names are used as they are, also those that begin with "-"; standard input and output cannot be named.

    Returns:
        the JSON of the command, if it has the option ``--json``; otherwise its results, with ``cost``, the I/O costs of
        ``--report``, ``text``, what it prints, and ``status``, its exit code. Both as `Result`.

    Raises:
        UsageError, InputError, IoError: as the program, whose exit codes 2, 3 and 4 they are. If a command processes
            several files, the others are processed first, and their errors are warnings.
        KeyboardInterrupt: after Ctrl-C; unfinished outputs are removed
    """
    return run_with(command, lambda: files, options, progress, comm=comm)


def run_with(
    command: str, files_of: Callable[[], tuple[Any, ...]], options: Mapping[str, Any], progress: Progress | None = None,
    functions: Mapping[str, Callable[..., Any]] | None = None, comm: Any = None, remote: _sill.RemoteFiles | None = None,
    stated: Mapping[str, Any] | None = None,
) -> Any:  # fmt: skip
    """Runs a command as `run`.

    Args:
        files_of: returns the files; its error is raised on all ranks
        functions: those of the operation ``apply``, by name
        remote: what opens URLs; None: fsspec with its defaults
        stated: options that the caller of this function states, not the user. An output among them is a temporary file.
    """
    from .selection import renewing

    def given() -> tuple[list[bytes], bool]:
        files = files_of()
        own = dict(stated or {})
        named: dict[str, Any] = {}
        for name, value in options.items():
            if (key := name.rstrip("_")) in named:
                raise usage_error(f"{command}(): {key} is given twice", f"omit {name}=", number=WRONG_TYPE)
            if key in own:
                problem = f"{key}= is not an option here: the survey or the flow states it"
                raise usage_error(problem, "omit it", number=WRONG_TYPE)
            named[key] = value
        is_dry = named.get("dry_run") is True
        if command in _WRITING and not is_dry:
            _sill.require_one_writer(comm)
        outputs = frozenset() if comm is not None else (_REPORTS if is_dry else _OUTPUTS) - own.keys()
        if progress is not None and command in signatures.WITHOUT_PROGRESS:
            raise usage_error(f"{command}() has no progress to report", "omit progress=", number=WRONG_TYPE)
        if functions and named.get("resume"):
            raise usage_error("a flow with apply cannot be resumed: its functions may have changed", "omit resume=")
        json_option = next((option for option in _sill.options_of(command) if option.name == "json"), None)
        is_flag = json_option is not None and not json_option.takes_value
        wants_json = json_option is not None and ("json" not in named or (is_flag and named["json"] is True))
        if wants_json:
            named["json"] = True
        return _arguments(command, files, {**named, **own}, wants_json, outputs), wants_json

    (arguments, wants_json), problem = attempt(given, ([], False), comm is not None)
    warned: list[str] = []
    raised = ""
    try:
        opened = remote or remote_files.opened()
        with renewing() if command == "edit" else contextlib.nullcontext():
            status, printed, results = _sill.run_command(
                arguments, progress, warned, dict(functions or {}), comm, opened, problem
            )
    except Error as error:
        raised = f"error: {error}"
        raise
    finally:
        for warning in re.split(r"\n(?! |$)", re.sub("(?m)^sill: ", "", "".join(warned))):
            if command == "text" and _HEADING.fullmatch(warning.rstrip()):
                continue
            if warning.strip() and with_keywords(warning.rstrip()) != raised:
                warnings.warn(with_keywords(warning.rstrip()), SillWarning, stacklevel=4)
    if wants_json:
        return json.loads(printed, object_hook=Result) if printed else Result(status=status)
    return Result(json.loads(results or "{}", object_hook=Result), text=printed, status=status)


@functools.cache
def _function(name: str) -> Callable[..., Any]:
    """Returns the function of a command, with signature and documentation made from the command's help."""
    options = _sill.options_of(name)
    positional = [option for option in options if option.is_positional]

    def function(*files: Any, progress: Progress | None = None, comm: Any = None, **named: Any) -> Any:
        return run(name, *files, progress=progress, comm=comm, **named)

    function.__name__ = function.__qualname__ = name.replace("-", "_")
    function.__module__ = __name__
    function.__signature__ = signatures.of_command(name, options)  # type: ignore[attr-defined]
    lines = [_sill.description_of(name), "", "Args:"]
    lines.append("    files: " + "; ".join(f"{option.name}: {option.text}" for option in positional))
    lines += [f"    {option.name}: {option.text}" for option in options if not option.is_positional]
    if name not in signatures.WITHOUT_PROGRESS:
        lines.append("    progress: called with the stage, the bytes done and the bytes of the stage")
    lines.append("    comm: a communicator of mpi4py, whose ranks run the command together")
    function.__doc__ = "\n".join(lines)
    return function


def attribute_of(module: str, name: str) -> Callable[..., Any]:
    """Gives a module the function of a command of the program, such as ``sort``, and returns the function."""
    of = sys.modules[module]
    if name.startswith("_") or name.replace("_", "-") not in _sill.commands():
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=of)
    made = _function(name.replace("_", "-"))
    setattr(of, name, made)
    return made


def __getattr__(name: str) -> Callable[..., Any]:
    return attribute_of(__name__, name)
