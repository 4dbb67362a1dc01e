"""Errors of Sill: what happened, where, why, and what to do next.

The classes follow the exit codes of the program: UsageError (2), InputError (3) and IoError (4).
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Base of all errors of Sill.

    Attributes:
        problem: what happened, one sentence
        where: where it happened: ``file``, ``byte`` (from 0), ``item`` (a trace, from 1) and ``item_word``
        clause: the clause of the standard that is violated, or ""
        action: what to do next, or ""
    """

    def __init__(
        self, text: str, problem: str = "", where: dict[str, Any] | None = None, clause: str = "", action: str = "",
        system_error_number: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(text)
        self._set(text, problem, where, clause, action, system_error_number)

    def _set(
        self, text: str, problem: str, where: dict[str, Any] | None, clause: str, action: str, number: int
    ) -> None:
        self._parts = (text, problem, where, clause, action, number)
        self.problem = problem or text
        self.where = where or {}
        self.clause = clause
        self.action = action

    def __str__(self) -> str:
        return self._parts[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._parts)


class UsageError(Error, ValueError):
    """The call asks for something that cannot be done as asked."""


class UnknownWordError(UsageError, KeyError):
    """A name that is not a header word, or an expression that cannot be read."""


class InputError(Error, ValueError):
    """A file is damaged, unknown or not supported."""


class IoError(Error, OSError):
    """The system refused: missing file, no permission, full disk, no memory. Has ``errno`` and ``filename``."""

    def __init__(
        self, text: str, problem: str = "", where: dict[str, Any] | None = None, clause: str = "", action: str = "",
        system_error_number: int = 0,
    ) -> None:  # fmt: skip
        OSError.__init__(self, system_error_number, problem or text, (where or {}).get("file"))
        self._set(text, problem, where, clause, action, system_error_number)
