"""Flows: processing of surveys. Each operation of ``sill flow`` is a method of `Flow`, and of `Survey` to begin a flow."""

from __future__ import annotations

import inspect
import keyword
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _sill, commands
from .errors import UsageError

if TYPE_CHECKING:
    from .survey import Survey

# The units of numbers without a unit, by the form of the parameter in ``sill flow --describe``.
_UNITS = {
    "TIME": "s", "T1:T2": "s", "LENGTH": "m", "VELOCITY": "m/s", "FREQUENCY": "Hz", "PERCENT": "%", "DECIBEL": "dB",
    "DECIBELS": "dB", "ANGLE": "deg",
}  # fmt: skip


class Flow:
    """A survey and the operations on it. Nothing is computed before `write`.

    ``survey.sort("cdp", "offset").nmo(velocity="v.csv").stack(by="cdp").write("stack.sgy")``
    """

    if TYPE_CHECKING:

        def __getattr__(self, operation: str) -> Callable[..., Flow]:
            """The operations, added by `add_methods`."""

    def __init__(self, survey: Survey, steps: Sequence[str] = ()) -> None:
        self._survey = survey
        self._steps = tuple(steps)

    @property
    def text(self) -> str:
        """The operations in the inline form, as for ``sill flow --do``."""
        return "; ".join(self._steps)

    def __repr__(self) -> str:
        return f"<sill.Flow of {self._survey!r}: {self.text}>"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_sill.operations()]

    def write(self, output: Any = None, **options: Any) -> commands.Result:
        """Runs the flow and writes its output, which appears when it is complete.

        Args:
            output: the file; not needed for a flow that only reports
            options: the options of ``sill flow``: ``sample_format="ieee"``, ``memory="2G"``, ``progress=``, ...

        Raises UsageError, InputError or IoError as the program.
        """
        return self._run(output=output, **options)

    def plan(self, **options: Any) -> str:
        """Returns the plan as ``sill flow --explain`` prints it: passes, their order, and the reasons."""
        return str(self._run(dry_run=True, **options).text)

    def _run(self, **options: Any) -> Any:
        return self._survey._run("flow", do=self.text, **self._survey._map(), **options)


def _text_of(value: Any, form: str) -> str:
    """Returns an argument as in a flow; a number without a unit gets the unit of the parameter."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    unit = next((unit for name, unit in _UNITS.items() if form.split(" ")[0].split(",")[0] == name), "")
    if isinstance(value, (int, float)) or hasattr(value, "__float__") and not hasattr(value, "__len__"):
        number = float(value)
        return f"{int(number) if number.is_integer() else repr(number)}{unit}"
    separator = ":" if ":" in form.split(" ")[0] else ","
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
            raise TypeError(f"{name}() takes {len(positionals)} values without a name, not {len(values)}")
        arguments = []
        for key, value in [*zip(positionals, values, strict=False), *named.items()]:
            parameter = forms.get(key) or forms.get(key.rstrip("_")) or {"form": "", "is_flag": False, "takes_file": False}
            key = parameter.get("name", key)
            if value is None or (parameter["is_flag"] and value is False):
                continue
            text = "yes" if value is True else _text_of(value, parameter["form"])
            if parameter["takes_file"] and not text.startswith("@") and os.path.exists(text):
                text = "@" + text
            arguments.append((key, text))
        return Flow(flow._survey, [*flow._steps, _sill.step_text(name, arguments)])

    kind = inspect.Parameter
    parameters = [kind("self", kind.POSITIONAL_OR_KEYWORD)]
    parameters += [kind("args", kind.VAR_POSITIONAL)] if positionals else []
    parameters += [
        kind(each["name"] + "_" * keyword.iskeyword(each["name"]), kind.KEYWORD_ONLY, default=None)
        for each in operation["parameters"]
    ]
    parameters += [kind("kwargs", kind.VAR_KEYWORD)] if operation["takes_assignments"] else []
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    method.__name__ = name
    method.__doc__ = operation["description"]
    return method


def add_methods(*classes: type) -> None:
    """Gives the classes a method per operation."""
    for name, operation in _sill.operations().items():
        method = _method(name, operation)
        for of in classes:
            if hasattr(of, name):
                raise UsageError(f"{of.__name__} has {name} already")
            setattr(of, name, method)
