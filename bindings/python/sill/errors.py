"""Errors of Sill: what happened, where, why, and what to do next.

The classes follow the exit codes of the program: UsageError (2), InputError (3) and IoError (4).
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from . import _sill


# An option and, if it follows, its value: `--on samples=pad`, `--scale FACTOR`, `--revision 1`, `--nonfinite zero`.
_VALUE = r"[a-z]+=[\w.]+|[A-Z]+(?=[ ,;.)]|$)|\d[\w.%]*|(?:fit|zero|keep|drop|pad|ieee|standard)\b"
_OPTION = re.compile(rf"(?<![\w/.-])--([a-z][-a-z0-9]*)(?:[ =]({_VALUE})|=?)")


@functools.cache
def _flags() -> set[str]:
    """Returns the options that are a flag in every command that has them."""
    options = [option for command in _sill.commands() for option in _sill.options_of(command)]
    return {option.name for option in options} - {option.name for option in options if option.takes_value}


def with_keywords(text: str) -> str:
    """Returns a message in the words of Python: ``sort_method=`` for ``--sort-method``, ``strict=True`` for ``--strict``,
    ``help(sill.sort)`` for the help of a command. Other quoted commands of the program are unchanged."""

    def option(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if value:
            return f"{name}={value}" if re.fullmatch("[A-Z]+|[0-9.]+", value) else f'{name}="{value}"'
        return f"{name}={'True' * (name in _flags())}"

    def recovery(found: re.Match[str]) -> str:
        return "sill.edit(FILE, recover=True" + (f', journal_of="{found[1]}")' if found[1] else ")")

    text = re.sub(r"\bsill edit FILE --recover(?: --journal-of (\w+))?", recovery, text)
    text = re.sub(r"(?<= of )sill ([a-z]+)(?=[;,)]|$)", r"sill.\1", text)
    text = re.sub("(?m)^([A-Z]+) is required$", r"\1, an argument without a name, is required", text)
    text = re.sub("`sill (.+?) --help` lists commands and", lambda of: f"help(sill.{of[1].replace('-', '_')}) lists its", text)
    parts = re.split("('sill [^']*'|`sill [^`]*`)", text.replace(" -o OUT", " output=OUT").replace(" -o FILE", " output=FILE"))
    parts[::2] = [_OPTION.sub(option, part) for part in parts[::2]]
    return "".join(parts)


class Error(Exception):
    """Base of all errors of Sill.

    Attributes:
        problem: what happened, one sentence
        where: ``file``, ``byte`` (from 0), ``item`` (a trace, from 1) and ``item_word``; None where unknown
        clause: the clause of the standard that is violated, or ""
        action: what to do next, or ""
    """

    def __init__(
        self, text: str, problem: str = "", where: dict[str, Any] | None = None, clause: str = "", action: str = "",
        number: int = 0,
    ) -> None:  # fmt: skip
        text, problem, action = with_keywords(text), with_keywords(problem), with_keywords(action)
        super().__init__(text)
        self._parts = (text, problem, where, clause, action, number)
        self.problem = problem or text
        self.where = where or {"file": "", "byte": None, "item": None, "item_word": "item"}
        self.clause = clause
        self.action = action

    _pickled: Any = None  # of classes that are made by their base

    def __str__(self) -> str:
        return self._parts[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made, (self._pickled or type(self), *self._parts))


class UsageError(Error, ValueError):
    """The call has wrong arguments, or is not possible in this state.

    A wrong type is also a TypeError, a wrong index an IndexError, and a wrong name an `UnknownWordError`.
    """


class UnknownWordError(UsageError, KeyError):
    """A name that is not a word of trace headers, a function of expressions or a variable."""


def _both(own: Any, other: type) -> Any:
    """Returns a class that is also one of Python's. It has the name of the own class, in tracebacks, and is pickled as it."""
    return type(own.__name__, (own, other), {"_pickled": own})


WRONG_TYPE, WRONG_INDEX, WRONG_NAME = errno.EDOM, errno.ERANGE, errno.ENXIO  # as in errors.hpp
_USAGE_ERRORS: dict[int, type[UsageError]] = {
    WRONG_TYPE: _both(UsageError, TypeError), WRONG_INDEX: _both(UsageError, IndexError), WRONG_NAME: UnknownWordError,
}  # fmt: skip


def usage_class(number: int) -> type[UsageError]:
    """Returns the class of a usage error; `number`: WRONG_TYPE, WRONG_INDEX or WRONG_NAME, otherwise 0."""
    return _USAGE_ERRORS.get(number, UsageError)


class InputError(Error, ValueError):
    """A file is damaged, unknown or not supported."""


class IoError(Error, OSError):
    """The system reported an error. Has ``errno`` and ``filename``.

    A missing file, a refused permission and a lack of memory are also FileNotFoundError, PermissionError and
    MemoryError.
    """

    def __new__(cls, *parts: Any) -> IoError:
        number = parts[5] if len(parts) > 5 else 0
        return super().__new__(_IO_ERRORS.get(number, cls) if cls is IoError else cls, *parts)

    def __init__(self, text: str, *parts: Any) -> None:
        super().__init__(text, *parts)
        self.errno = self._parts[5] or None
        self.strerror = self.problem
        self.filename = self.where["file"] or None


_IO_ERRORS: dict[int, type[IoError]] = {
    errno.ENOENT: _both(IoError, FileNotFoundError), errno.EACCES: _both(IoError, PermissionError),
    errno.EPERM: _both(IoError, PermissionError), errno.ENOMEM: _both(IoError, MemoryError),
}  # fmt: skip


def _made(base: Any, *parts: Any) -> Any:  # not the class itself, for which OSError has another way
    return (usage_class(parts[5]) if base is UsageError else base)(*parts)


def error_at(kind: Callable[..., Any], file: str | bytes, problem: str, action: str, number: int = 0) -> Any:
    """Returns an error of a class with the same form of text as errors of the library; `number`: errno."""
    where = {"file": os.fsdecode(file), "byte": None, "item": None, "item_word": "item"}
    place = f"\n  file:   {where['file']}" if file else ""
    return kind(f"{problem}{place}\n  to do:  {action}", problem, where, "", action, number)


def usage_error(problem: str, action: str, file: str | bytes = "", number: int = 0) -> UsageError:
    """Returns an error as `error_at`; `number`: as in `usage_class`."""
    return error_at(usage_class(number), file, problem, action, number)  # type: ignore[no-any-return]


Problem: TypeAlias = "tuple[int, str, str, int]"  # of _sill: code, problem, action, errno


def attempt(make: Callable[[], Any], failed: Any, has_ranks: bool = True) -> tuple[Any, Problem | None]:
    """Returns the result of `make`, or `failed` and an error, which the collective call then raises on all ranks. Without
    ranks, raises as `make`."""
    if not has_ranks:
        return make(), None
    try:
        return make(), None
    except Error as error:
        code = 4 if isinstance(error, IoError) else 3 if isinstance(error, InputError) else 2
        return failed, (code, error.problem, error.action, error._parts[5], os.fsencode(error.where["file"]), error.clause)
    except MemoryError as error:
        return failed, (4, str(error), "use more ranks, or fewer elements at a time", errno.ENOMEM, b"", "")
    except Exception as error:
        return failed, (2, str(error), "", _number_of(error), b"", "")


def _number_of(error: Exception) -> int:
    is_type = isinstance(error, (TypeError, AttributeError))
    return WRONG_TYPE if is_type else WRONG_INDEX if isinstance(error, IndexError) else 0


def require_one_process(comm: Any) -> None:
    """Checks that only this process writes a file: it was started alone, or `comm` is MPI.COMM_SELF. Raises UsageError."""
    _sill.require_one_writer(comm)
    if comm is None:
        return
    mpi = sys.modules.get("mpi4py.MPI")  # errors as of other outputs
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise usage_error(f"comm is no communicator of mpi4py, but of type {type(comm).__name__}",
                          "pass mpi4py.MPI.COMM_SELF, or none for this process alone", number=WRONG_TYPE)  # fmt: skip
    if comm == mpi.COMM_NULL or isinstance(comm, mpi.Intercomm):
        raise usage_error("comm is COMM_NULL or an intercommunicator", "pass mpi4py.MPI.COMM_SELF")
    if comm.size > 1:
        raise usage_error(f"comm has {comm.size} ranks, but this file is written by one process",
                          "call it on one rank, with comm=MPI.COMM_SELF")  # fmt: skip


@contextlib.contextmanager
def argument(what: str, action: str) -> Iterator[None]:
    """Raises what Python and NumPy say of an argument as a usage error of the same kind, which names it and has advice."""
    try:
        yield
    except Error:
        raise
    except (TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        why = "a value has a wrong type" if "incompatible function arguments" in str(error) else error  # of nanobind
        raise usage_error(f"{what}: {why}", action, number=_number_of(error)) from error


def unknown_name(problem: str, name: str, known: Iterable[str], number: int = WRONG_NAME) -> UsageError:
    """Returns an error for an unknown name, which states the nearest names and all."""
    names = list(known)
    return usage_error(problem, f"{_sill.did_you_mean(name, names)}it has {', '.join(names)}", number=number)
