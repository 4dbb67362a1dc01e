"""A header: words by their bytes."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy

from .. import _sill
from ..arrays import BLOCK_BYTES, index_in
from .words import SU


def blocks(numbers: Any, bytes_each: int) -> Iterator[numpy.ndarray]:
    """Iterates over trace numbers, as many at once as have `BLOCK_BYTES`."""
    at_once = max(1, BLOCK_BYTES // max(1, bytes_each))
    for first in range(0, len(numbers), at_once):
        yield numpy.asarray(numbers[first : first + at_once], numpy.int64)


class Mode:
    """An attribute that is made again at each access; assigning to it assigns all items."""

    def __init__(self, make: Any, doc: str) -> None:
        self._make, self.__doc__ = make, doc

    def __get__(self, file: Any, _: type) -> Any:
        return self if file is None else self._make(file)

    def __set__(self, file: Any, value: Any) -> None:
        self._make(file)[:] = value


class Items(Sequence[Any]):
    """Items by number: slices iterate, and are assigned from an iterable. Subclasses define `_get`, `_set`, `__len__`."""

    __slots__ = ("_of",)
    _get: Any
    _name = "trace"

    def __init__(self, file: Any) -> None:
        self._of = file

    def __len__(self) -> int:
        return self._of.tracecount

    length = property(lambda self: len(self), doc="The number of items, as `len`.")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return (self._get(i) for i in range(*key.indices(len(self))))
        return self._get(index_in(key, len(self), self._name))

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            key, value = [index_in(key, len(self), self._name)], [value]
        for i, each in zip(range(*key.indices(len(self))) if isinstance(key, slice) else key, value, strict=False):
            self._set(i, each)

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def _set(self, i: int, value: Any) -> None:
        raise TypeError(f"{type(self).__name__} cannot be assigned to")


class Field(MutableMapping[Any, Any]):
    """The words of a trace header or of the binary header, by their first bytes, as ints, floats or bytes.

    Assigning a word writes its bytes into the file, at once. The other words are as they were when the header was read,
    until `reload`.
    """

    def __init__(self, file: Any, number: int, header: int = 0) -> None:
        """`header`: a header of trace `number`; -1: the binary header."""
        own = self.__dict__  # assigning to attributes assigns words
        own["_of"], own["_number"], own["_header"] = file, number, header
        own["_kind"], own["_types"], own["_names"] = file._forms[header]
        own["buf"] = buf = file._survey.read_header(number) if header == 0 else file._header_bytes(number, header)
        own["_stored"] = buf[:]

    def _word(self, key: Any) -> tuple[int, str]:
        byte = operator.index(key)
        if byte not in self._types:
            raise KeyError(f"no word begins at byte {byte}")
        return byte - (3200 if self._header < 0 else 0), self._types[byte]

    def __getitem__(self, key: Any) -> Any:
        """Returns the value of a word, or a dictionary for several. Raises KeyError: no word begins at this byte."""
        if isinstance(key, tuple):
            return {self._kind(each): self[each] for each in key}
        byte, type = self._word(key)
        value = _sill.get_word(self.buf, byte, type, self._of.endian)
        return value if type[0] != "a" or max(value) < 0x80 else value.decode("cp037").encode("latin-1")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: Any) -> None:
        """Sets a word to 0, or a text to blanks."""
        self[key] = "" if self._word(key)[1][0] == "a" else 0

    def __iter__(self) -> Iterator[Any]:
        return iter([self._kind(byte) for byte in self._types if byte not in (233, 237)])

    def keys(self) -> list[Any]:  # type: ignore[override]  # as in segyio
        return list(self)

    def __len__(self) -> int:
        return sum(byte not in (233, 237) for byte in self._types)

    def __contains__(self, key: object) -> bool:
        return key in self._types

    def update(self, other: Any = (), /, **named: Any) -> None:
        """Sets words and writes them: all of them or, if a word cannot hold its value, none.

        `other`: a dictionary or pairs of words and values, or another header, which is copied; `named`: by Seismic Unix
        names. Raises KeyError: no word begins at this byte; ValueError: the word cannot hold the value.
        """
        changed, places = self._changed(other, named)
        self._store(changed, places)
        self.buf[:] = changed

    def _changed(self, other: Any, named: Mapping[str, Any]) -> tuple[bytearray, list[tuple[int, int]]]:
        """Returns the header with other values of some words, and the bytes of these: first and end, in order."""
        if isinstance(other, Field) and self._is_like(other) and not named:
            return bytearray(other.buf), [(0, len(other.buf))]
        changed, places, values = bytearray(self.buf), [], dict(other)
        if isinstance(other, Field):
            both = [byte for byte in (233, 237) if byte in self._types and self._types[byte] == other._types.get(byte)]
            values.update({byte: other[byte] for byte in both})  # which iteration leaves out
        values.update({SU[name]: value for name, value in named.items()})
        for key, value in values.items():
            byte, type = self._word(key)
            try:
                if type[0] == "a":
                    text = value if isinstance(value, str) else bytes(memoryview(value)).decode("latin-1")
                    stored = self.buf[byte - 1 : byte + 7]
                    is_ebcdic = max(stored) >= 0x80 or not any(stored) and self._of.encoding == "ebcdic"
                    value = text.ljust(int(type[1:])).encode("cp037" if is_ebcdic else "latin-1")
                elif hasattr(value, "dtype"):
                    value = value.item()  # of NumPy
                _sill.set_word(changed, byte, type, self._of.endian, value)
            except (ValueError, TypeError) as error:
                raise ValueError(f"Value out of range for {self._kind(int(key))!s}: {error}") from None
            places.append((byte - 1, byte - 1 + int(type.lstrip("aiubmf"))))
        joined: list[tuple[int, int]] = []
        for begin, end in sorted(places):
            if joined and begin <= joined[-1][1]:
                begin, end = joined[-1][0], max(end, joined.pop()[1])
            joined.append((begin, end))
        return changed, joined

    def _store(self, changed: bytearray, places: list[tuple[int, int]]) -> None:
        for begin, end in places:
            self._of._write(self._of._header_at(self._number, self._header) + begin, bytes(changed[begin:end]))
            self._stored[begin:end] = changed[begin:end]

    def _is_like(self, other: Field) -> bool:
        return (self._kind, self._of.endian, self._types) == (other._kind, other._of.endian, other._types)

    def reload(self) -> Field:
        """Reads the header from the file again, and returns it."""
        self.buf[:] = self._stored[:] = self._of._header_bytes(self._number, self._header)
        return self

    def flush(self) -> None:
        """Writes the bytes of `buf` that were changed directly; assigned words were written at once."""
        self._store(self.buf, [(i, i + 1) for i, byte in enumerate(self.buf) if byte != self._stored[i]])

    def _byte_of(self, name: str) -> int:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"the header has no word {name!r}")
        return self._names[name].offset()

    def __getattr__(self, name: str) -> Any:
        return self[self._byte_of(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        self[self._byte_of(name)] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))
