"""The files of a survey: names, URLs, and whether they are still the same."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy

from . import _sill, remote
from .arrays import Array
from .errors import Error, InputError, IoError, argument, error_at, usage_error
from .grid import Grid

Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"
Assumptions: TypeAlias = "str | Sequence[str] | Mapping[str, object]"


def encoded(path: Path) -> bytes:
    with argument("a path", "pass a str, bytes or pathlib.Path"):
        encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise usage_error("a path contains a byte of value 0", "name another file")
    return encoded


def _stamp_of(path: bytes) -> tuple[int, ...]:
    """Returns size, time of the last change in ns, and inode of a file."""
    try:
        found = os.stat(path)
    except OSError as error:
        action = "the survey was opened from this path: move the file back, or open it where it is"
        raise error_at(IoError, path, f"the file cannot be found again: {error.strerror}", action, error.errno or 0) from error
    return (found.st_size, found.st_mtime_ns, found.st_ino)


def shown(path: bytes) -> bytes:
    """Returns a path in the form of messages: relative if the file is in the working directory."""
    folder = os.getcwdb()
    return os.path.relpath(path, folder) if path.startswith(folder.rstrip(b"/") + b"/") else path


def map_file(map: Path) -> bytes:
    """Returns the absolute path of a file; the name of a preset, and one that neither has, unchanged."""
    name = encoded(map)
    is_preset = name.decode(errors="replace").lower() in _sill.presets()
    return os.path.abspath(name) if not is_preset and (b"/" in name or os.path.exists(name)) else name


class Files:
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
        self._opened: _sill.Survey | None = _sill.Survey(paths, map, assume, self.remote, True)
        self.paths = paths  # absolute
        self.map = map
        self.assume = assume
        self.states = states
        self._of_urls = (storage_options, cache_bytes, states)
        self.stamps = [tuple(stamp) for stamp in stamps] or self._stamps_now()
        self._require_stamps(slice(2))

    def _stamps_now(self) -> list[tuple[int, ...]]:
        """Returns size, time of the last change in ns, and inode of each file; 0 for URLs, whose states are checked."""
        return [(0, 0, 0) if b"://" in path else _stamp_of(path) for path in self.paths]

    def require_same_files(self) -> None:
        """Raises InputError if a path leads to another file than the one that is open, or if that was changed."""
        self._require_stamps(slice(None))

    def is_unchanged(self) -> bool:
        """Returns whether the files are open, local, and as they were opened."""
        with contextlib.suppress(Error):
            self.opened.require_unchanged()
            return self.remote is None
        return False

    def renewed(self) -> Files:
        """Returns the same files, opened again after they were changed."""
        return Files(self.paths, self.map, self.assume, (), *self._of_urls)

    def _require_stamps(self, parts: slice) -> None:
        for path, was, now in zip(self.paths, self.stamps, self._stamps_now(), strict=True):
            if was[parts] != now[parts]:
                raise error_at(InputError, path, "the file was changed after it was first opened", "open it again")

    @property
    def opened(self) -> _sill.Survey:
        if self._opened is None:
            raise usage_error("the survey is closed", "open it again: sill.open", self.paths[0])
        return self._opened

    def close(self) -> None:
        self._opened = None

    @property
    def grid(self) -> Grid:
        """The grid, determined once. Raises InputError if a file was changed after it was opened."""
        self.opened.require_unchanged()
        return self._grid

    @functools.cached_property
    def _grid(self) -> Grid:
        return Grid(self)

    def traces_of(self, numbers: Array, words: Sequence[str] = ()) -> tuple[Array, list[Any]]:
        """Returns samples with one more dimension than `numbers`, and the columns of `words`, read together with them.

        Number -1, no trace, gives NaN; only without `words`.
        """
        _sill.require_memory(4 * numbers.size * self.opened.samples)
        into = numpy.empty((*numbers.shape, self.opened.samples), numpy.float32)
        return into, self.opened.read_samples(numpy.ascontiguousarray(numbers).reshape(-1), into, list(words))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Files, (self.paths, self.map, self.assume, self.stamps, *self._of_urls))
