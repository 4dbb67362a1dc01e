"""Signatures of commands and operations, from their tables; also for the types of the package (bindings/python/stubs.py)."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

WITHOUT_PROGRESS = frozenset({"advise", "drain", "header", "policies", "report", "text", "tune", "words"})


def _named(name: str, kind: str, default: Any = None) -> Parameter:
    return Parameter(name + "_" * iskeyword(name), Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def of_command(name: str, options: Sequence[Any]) -> Signature:
    """Returns the signature of the function of a command, which has these options."""
    parameters = [Parameter("files", Parameter.VAR_POSITIONAL, annotation="Value")]
    for option in options:
        if not option.is_positional:
            parameters.append(_named(option.name, "Value") if option.takes_value else _named(option.name, "bool", False))
    if name not in WITHOUT_PROGRESS:
        parameters.append(_named("progress", "Progress | None"))
    has_json = any(option.name == "json" for option in options)  # of several files a list
    return Signature([*parameters, _named("comm", "Any")], return_annotation="Any" if has_json else "Result")


def of_operation(operation: dict[str, Any]) -> Signature:
    """Returns the signature of the method of an operation."""
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [Parameter("args", Parameter.VAR_POSITIONAL, annotation="Value")] if operation["positionals"] else []
    parameters += [_named(each["name"], "Value") for each in operation["parameters"]]
    parameters += [Parameter("kwargs", Parameter.VAR_KEYWORD, annotation="Value")] if operation["takes_assignments"] else []
    return Signature(parameters, return_annotation="Flow")
