"""Where the bytes of a file are: a path, or a stream or a buffer of Python, copied into an anonymous file."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import threading
import warnings
from typing import Any

import numpy

from .. import _sill
from ..arrays import BLOCK_BYTES
from ..errors import IoError, UsageError
from ..files import encoded

_Changes = list[tuple[numpy.ndarray, int]]  # positions, and the number of bytes at each


class AccessError(UsageError, OSError):
    """The file was closed, was opened for reading only, or is open for writing elsewhere."""


class Source:
    """A path by which Sill opens a file. Local."""

    def __init__(self, path: bytes, writable: bool, stream: Any = None, buffer: Any = None) -> None:
        self.path, self.writable, self._stream, self._buffer = path, writable, stream, buffer
        self.shown, self._fd, self._is_new = os.fsdecode(path), -1, False
        self.is_changed, self.absolute = False, os.path.abspath(path)  # the working directory may change
        self._changed: _Changes = []
        self._lock = threading.Lock()
        if stream is None and buffer is None:
            return
        self._fd = os.memfd_create("sill")
        self.path = f"/proc/self/fd/{self._fd}".encode()
        self.shown = "memory" if stream is None else repr(stream)
        with open(self._fd, "wb", closefd=False) as copy:
            if stream is None:
                with memoryview(buffer).cast("B") as memory:
                    _sill.require_memory(len(memory))
                    copy.write(memory)
                return
            stream.seek(0)
            while block := stream.read(BLOCK_BYTES):
                _sill.require_memory(2 * BLOCK_BYTES)
                copy.write(block)
            if block is None:
                raise BlockingIOError(f"{self.shown}: the stream has no more bytes now: open it in blocking mode")

    @staticmethod
    def of_path(path: Any, mode: str) -> Source:
        """Returns the source of a file. Raises ValueError: a mode other than r and r+, with or without b."""
        if mode.replace("b", "", 1) not in ("r", "r+"):
            action = "; create a file with segyio.create" if "w" in mode else ""
            raise ValueError(f"the mode is 'r' or 'r+', not {mode!r}{action}")
        return Source(encoded(path), "+" in mode)

    @staticmethod
    def of_stream(stream: Any) -> Source:
        """Returns the source of a binary stream, which must be readable from its beginning."""
        if stream is None or not hasattr(stream, "read"):
            raise ValueError("a stream is an object with read, seek and, to be changed, write")
        if "a" in str(getattr(stream, "mode", "")):
            raise ValueError(f"a stream of mode {stream.mode!r} writes at its end only: open it with mode 'r+b'")
        return Source(b"", bool(getattr(stream, "writable", lambda: True)()), stream=stream)

    def identity(self) -> tuple[int, int] | None:
        """Returns what identifies the file that the path names; None if that is unknown."""
        with contextlib.suppress(OSError):
            status = os.stat(self.path)
            return status.st_dev, status.st_ino
        return None

    def is_of(self, other: Source) -> bool:
        """Returns whether both are of the same file."""
        return other is self or self.identity() == other.identity()

    def opened(self, path: bytes = b"") -> Any:
        """Opens the bytes of the file, locked if it is writable. `path`: instead of the own one, without a lock."""
        for _ in range(2):
            file = _sill.EditableFile(path or self.path, self.writable, self.writable and self._fd < 0 and not path)
            if file.has_lock:
                return file
            del file
            gc.collect()  # files that were dropped without `close`
        raise AccessError(f"{self.shown}: the file is open for writing, or an edit of it is running: wait until it is "
                          "closed, or open it with mode r")  # fmt: skip

    def create(self, start: bytes, size: int) -> Any:
        """Replaces the contents: `start`, then zeros. For a path, returns the `NewFile`, whose `commit` replaces the file.
        Raises IoError."""
        if self._fd < 0:
            contents = numpy.frombuffer(start, numpy.uint8)
            with contextlib.suppress(IoError):
                return _sill.NewFile(self.path, contents, size)
            gc.collect()  # the file may have been dropped without `close`
            return _sill.NewFile(self.path, contents, size)
        _sill.require_memory(size)
        os.ftruncate(self._fd, 0)
        os.ftruncate(self._fd, size)
        os.pwrite(self._fd, start, 0)
        self._is_new = True
        self.changed(numpy.zeros(1, numpy.int64), size)
        return None

    def changed(self, positions: numpy.ndarray, length: int) -> None:
        """Records bytes that are about to be changed: `length` bytes at each position."""
        self.is_changed = True
        if self._fd < 0:
            return
        with self._lock:
            self._changed.append((positions, length))
            if len(self._changed) > 4096:
                starts, ends = _ranges(self._changed)
                self._changed = [(starts[ends - starts == each], int(each)) for each in numpy.unique(ends - starts)]

    def store(self) -> None:
        """Writes what was changed back into the stream or the buffer. After an error, it can be called again."""
        if self._fd < 0 or not self._changed:
            return
        with self._lock:
            taken, self._changed = self._changed, []
        try:
            for start, end in zip(*_ranges(taken), strict=True):
                for at in range(start, end, BLOCK_BYTES):
                    self._write(at, memoryview(os.pread(self._fd, min(BLOCK_BYTES, end - at), at)))
            if self._is_new:
                with contextlib.suppress(OSError, AttributeError):  # a stream that cannot be cut was as long before
                    self._stream.truncate(os.fstat(self._fd).st_size)
            if hasattr(self._stream, "flush"):
                self._stream.flush()
        except BaseException:
            with self._lock:
                self._changed += taken
            raise

    def _write(self, at: int, rest: memoryview) -> None:
        if self._buffer is not None:
            with memoryview(self._buffer).cast("B") as memory:
                memory[at : at + len(rest)] = rest
            return
        self._stream.seek(at)
        while rest:
            count = self._stream.write(rest)
            if count is None and not isinstance(self._stream, io.RawIOBase):
                return  # a stream that does not count
            if not count:
                raise BlockingIOError(f"{self.shown}: the stream takes no more bytes")
            rest = rest[count:]

    def close(self) -> None:
        """Stores changes, and closes the anonymous file and the stream. After an error, `close` can be called again."""
        if self._fd < 0:
            return
        self.store()
        try:
            self.drop()
        finally:
            if self._stream is not None:
                self._stream.close()

    def drop(self) -> None:
        """Closes the anonymous file without storing changes."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        with contextlib.ExitStack() as last:
            last.callback(self.drop)
            last.callback(self.store)
            if self._fd >= 0 and self._changed:
                warnings.warn(f"{self.shown}: changes were stored only now: close the file", ResourceWarning, stacklevel=2)


def _ranges(changed: _Changes) -> tuple[Any, Any]:
    """Returns the changed ranges as their first bytes and their ends (exclusive): in order, without overlaps."""
    starts = numpy.concatenate([at for at, _ in changed])
    ends = starts + numpy.repeat(numpy.array([each for _, each in changed]), [len(at) for at, _ in changed])
    order = numpy.argsort(starts, kind="stable")
    starts, ends = starts[order], numpy.maximum.accumulate(ends[order])
    begins = numpy.r_[True, starts[1:] > ends[:-1]][: len(starts)]
    return starts[begins], ends[numpy.r_[begins[1:], True][: len(starts)]]
