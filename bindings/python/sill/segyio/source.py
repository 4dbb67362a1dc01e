"""Where the bytes of a file are: a path, or a stream or a buffer of Python, copied into an anonymous file."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from .. import _sill
from ..survey import _encoded


class Source:
    """A path by which Sill opens a file. Local."""

    def __init__(self, path: bytes, writable: bool, stream: Any = None, buffer: Any = None) -> None:
        self.path, self.writable, self._stream, self._buffer = path, writable, stream, buffer
        self.shown = os.fsdecode(path)
        self._fd = -1
        self._changed = False
        if stream is None and buffer is None:
            return
        self._fd = os.memfd_create("sill")
        self.path = f"/proc/self/fd/{self._fd}".encode()
        self.shown = "memory" if stream is None else repr(stream)
        with open(self._fd, "wb", closefd=False) as copy:
            if stream is None:
                copy.write(buffer)
                return
            stream.seek(0)
            while block := stream.read(8 << 20):
                copy.write(block)

    @staticmethod
    def of_path(path: Any, mode: str) -> Source:
        """Returns the source of a file. Raises ValueError: a mode other than r and r+, with or without b."""
        if mode.replace("b", "", 1) not in ("r", "r+"):
            action = "; create a file with segyio.create" if "w" in mode else ""
            raise ValueError(f"the mode is 'r' or 'r+', not {mode!r}{action}")
        return Source(_encoded(path), "+" in mode)

    @staticmethod
    def of_stream(stream: Any) -> Source:
        """Returns the source of a binary stream, which must be readable from its beginning."""
        if stream is None or not hasattr(stream, "read"):
            raise ValueError("a stream is an object with read, seek and, to be changed, write")
        writable = getattr(stream, "writable", lambda: True)()
        return Source(b"", bool(writable), stream=stream)

    def changed(self) -> None:
        self._changed = True

    def store(self) -> None:
        """Writes the changed contents back into the stream or the buffer."""
        if self._fd < 0 or not self._changed:
            return
        size = os.fstat(self._fd).st_size
        if self._buffer is not None:
            with memoryview(self._buffer).cast("B") as memory:
                memory[:] = os.pread(self._fd, size, 0)
        else:
            self._stream.seek(0)
            for at in range(0, size, 8 << 20):
                self._stream.write(os.pread(self._fd, 8 << 20, at))
            with contextlib.suppress(OSError, AttributeError):  # a stream that cannot be cut was as long before
                self._stream.truncate(size)
            self._stream.flush()
        self._changed = False

    def close(self) -> None:
        """Stores changes, and closes the anonymous file and the stream."""
        if self._fd < 0:
            return
        try:
            self.store()
        finally:
            os.close(self._fd)
            self._fd = -1
        if self._stream is not None:
            self._stream.close()

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            os.close(self._fd)

    def create(self, start: bytes, size: int) -> None:
        """Makes the file anew: zeros after `start`. Raises IoError."""
        import numpy

        _sill.SegyFile.create(self.path, numpy.frombuffer(start, numpy.uint8), size)
        self.changed()
