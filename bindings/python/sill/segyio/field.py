"""A header: words by their bytes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from .. import _sill
from . import words
from .words import BinField


def index_in(i: Any, count: int) -> int:
    """Returns an index from 0. Raises IndexError, or TypeError for something else."""
    k = operator.index(i)
    if not -count <= k < count:
        raise IndexError(f"{k} is out of range: there are {count}")
    return k % count


class Mode:
    """An attribute that is made anew at each access; assigning to it assigns all items."""

    def __init__(self, make: Any, doc: str) -> None:
        self._make, self.__doc__ = make, doc

    def __get__(self, file: Any, _: type) -> Any:
        return self if file is None else self._make(file)

    def __set__(self, file: Any, value: Any) -> None:
        self._make(file)[:] = value


class Items(Sequence[Any]):
    """Items by number: slices iterate, and are assigned from an iterable. Subclasses define `_get`, `_set`, `__len__`."""

    _get: Any

    def __init__(self, file: Any) -> None:
        self._of = file

    def __len__(self) -> int:
        return self._of.tracecount

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return (self._get(i) for i in range(*key.indices(len(self))))
        return self._get(index_in(key, len(self)))

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            self._set(index_in(key, len(self)), value)
            return
        for i, each in zip(range(*key.indices(len(self))), value, strict=False):
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

    def __init__(
        self, read: Callable[[], bytes], write: Callable[[int, bytes], None], kind: type, entries: Mapping[int, Any],
        names: Any, order: str, encoding: str = "ascii",
    ) -> None:  # fmt: skip
        header = read()
        self.__dict__.update(
            buf=bytearray(header), _stored=bytearray(header), _read=read, _write=write, _kind=kind, _entries=entries,
            _names=names, _order=order, _encoding=encoding, _first=3200 if kind is BinField else 0,
        )  # fmt: skip

    def _word(self, key: Any) -> tuple[int, str]:
        byte = operator.index(key)
        if byte not in self._entries:
            raise KeyError(f"no word begins at byte {byte}")
        return byte - self._first, self._entries[byte]

    def __getitem__(self, key: Any) -> Any:
        """Returns the value of a word, or a dictionary for several. Raises KeyError: no word begins at this byte."""
        if isinstance(key, tuple):
            return {self._kind(each): self[each] for each in key}
        byte, type = self._word(key)
        value = _sill.get_word(self.buf, byte, type, self._order)
        return value if type[0] != "a" or max(value) < 0x80 else value.decode("cp037").encode("latin-1")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: Any) -> None:
        raise TypeError("words of a header cannot be deleted; assign 0")

    def __iter__(self) -> Iterator[Any]:
        return iter([self._kind(byte) for byte in self._entries if byte not in (233, 237)])

    def __len__(self) -> int:
        return sum(1 for byte in self._entries if byte not in (233, 237))

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def _set(self, changes: Mapping[Any, Any]) -> bytearray:
        """Returns the header with other values of some words."""
        changed = bytearray(self.buf)
        for key, value in changes.items():
            byte, type = self._word(key)
            try:
                if type[0] == "a":
                    text = value if isinstance(value, str) else bytes(memoryview(value)).decode("latin-1")
                    text = text.ljust(int(type[1:]))
                    stored = self.buf[byte - 1 : byte + 7]
                    is_ebcdic = max(stored) >= 0x80 or not any(stored) and self._encoding == "ebcdic"
                    value = text.encode("cp037" if is_ebcdic else "latin-1")
                elif hasattr(value, "dtype"):
                    value = value.item()  # of NumPy
                _sill.set_word(changed, byte, type, self._order, value)
            except (ValueError, TypeError) as error:
                raise ValueError(f"Value out of range for {self._kind(int(key))!s}: {error}") from None
        return changed

    def update(self, *changes: Any, **named: Any) -> None:  # type: ignore[override]
        """Sets words and writes them: all of them or, if a word cannot hold its value, none.

        Args:
            changes: a dictionary or pairs of words and values, or another header, which is copied
            named: values of words by their Seismic Unix names

        Raises:
            KeyError: no word begins at this byte
            ValueError: the word cannot hold the value
        """
        given = [each.buf for each in changes if isinstance(each, Field) and each._is_like(self)]
        if given and not named:
            self._store(bytearray(given[-1]), [(0, len(self.buf))])
            return
        words = self._words_of(*changes)
        words.update({_SU[name]: value for name, value in named.items()})
        self._store(self._set(words), self._places(words))

    def _words_of(self, *changes: Any) -> dict[Any, Any]:
        """Returns words and values of a dictionary, of pairs or of a header, which also has bytes 233-240."""
        words = dict(*changes)
        if changes and isinstance(changes[0], Field):
            given = changes[0]._entries
            same = [byte for byte in (233, 237) if byte in given and given[byte] == self._entries.get(byte)]
            words.update({byte: changes[0][byte] for byte in same})
        return words

    def _places(self, words: Any) -> list[tuple[int, int]]:
        """Returns the bytes of words, from 0: the first one and the one after the last, in order, joined if adjacent."""
        places: list[tuple[int, int]] = []
        for byte, type in sorted(self._word(key) for key in words):
            begin, end = byte - 1, byte - 1 + int(type.lstrip("aiubmf"))
            if places and begin <= places[-1][1]:
                begin, end = places[-1][0], max(end, places.pop()[1])
            places.append((begin, end))
        return places

    def _store(self, changed: bytearray, places: list[tuple[int, int]]) -> None:
        for begin, end in places:
            self._write(begin, bytes(changed[begin:end]))
            self._stored[begin:end] = changed[begin:end]
        self.buf[:] = changed

    def _is_like(self, other: Field) -> bool:
        return (self._kind, self._order, self._entries) == (other._kind, other._order, other._entries)

    def reload(self) -> Field:
        """Reads the header from the file again, and returns it."""
        self.buf[:] = self._stored[:] = self._read()
        return self

    def flush(self) -> None:
        """Writes the bytes of `buf` that were changed directly; assigned words were written at once."""
        self._store(self.buf, [(i, i + 1) for i, byte in enumerate(self.buf) if byte != self._stored[i]])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in (self._names or ()):
            raise AttributeError(f"the header has no word {name!r}")
        return self[self._names[name].offset()]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self._names or ()):
            raise AttributeError(f"the header has no word {name!r}")
        self[self._names[name].offset()] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(dict(self))


_SU = {su: byte for byte, _, _, su, *_ in (*words.BINARY_WORDS, *words.TRACE_WORDS) if su}