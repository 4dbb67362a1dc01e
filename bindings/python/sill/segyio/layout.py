"""Stanzas of extended text headers, and layouts of trace headers (SEG-Y revision 2.1, annex D8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _sill
from ..errors import InputError

if TYPE_CHECKING:
    from .segy import SegyFile

STANZA = re.compile(rb"\(\((.*?)\)\)", re.DOTALL)
TYPES: dict[str, str] = _sill.layout_types()  # as in expressions: {"int2": "i2", ...}
_NAMES = {code: name for name, code in reversed(TYPES.items())}
_Parts = tuple[str, int, str, bool]  # name, first byte in its header, type, whether it counts only where it is not 0


class FieldLayoutEntry:
    """A word of a trace header. Indexed by traces, it returns their values: ``f.tracefield.SEG00000.xline[:]``."""

    def __init__(self, file: SegyFile, header: int, parts: _Parts) -> None:
        self._of, self._header, self._parts = file, header, parts
        self.code = TYPES[parts[2]]

    def name(self) -> str:
        """Returns the name of the word."""
        return self._parts[0]

    def offset(self) -> int:
        """Returns the first byte of the word in its header, from 1."""
        return self._parts[1]

    def type(self) -> str:
        """Returns the type of the word, as in annex D8."""
        return self._parts[2]

    def use_only_if_non_zero(self) -> bool:
        """Returns true if the word counts only where it is not 0."""
        return self._parts[3]

    def __getitem__(self, key: Any) -> Any:
        return self._of.attributes(self._parts[1], self._header)[key]

    def __str__(self) -> str:
        return "{} (offset={}, type={}, use_only_if_non_zero={})".format(*self._parts)


class LayoutEntries(Sequence[Any]):
    """The headers of each trace, or the words of one, by number or as attributes by name; of equal names, the first."""

    def __init__(self, items: list[tuple[str, Any]]) -> None:
        self._list, self._items = items, dict(reversed(items))

    def names(self) -> list[str]:
        """Returns the names, in order."""
        return [name for name, _ in self._list]

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, i: Any) -> Any:
        return [item for _, item in self._list][i]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._items:
            raise AttributeError(f"{name!r} is not among {', '.join(self.names())}" if name[:1] != "_" else name)
        return self._items[name]


class Stanzas(Sequence[bytes]):
    """The stanzas of the extended text headers. ``f.stanza[0]`` are its bytes, in Latin-1, without its name."""

    def __init__(self, blocks: list[bytes]) -> None:
        found: list[tuple[str, bytes]] = []
        is_ebcdic = False
        for block in blocks:
            begins_in_ebcdic = block.startswith(b"\x4d\x4d")
            text = block.decode("cp037").encode("latin-1") if begins_in_ebcdic else block
            if named := STANZA.match(text):
                found.append((named[1].decode("latin-1"), text[named.end() :]))
                is_ebcdic = begins_in_ebcdic
            elif found and found[-1][0]:  # a stanza goes on
                found[-1] = (found[-1][0], found[-1][1] + (block.decode("cp037").encode("latin-1") if is_ebcdic else block))
            else:
                found[-1:] = [("", (found[-1][1] if found else b"") + block)]
        self._stanzas = [each for each in found if each[0].replace(" ", "").upper() != "SEG:ENDTEXT"]

    def names(self) -> list[str]:
        """Returns the names of the stanzas; "" for text outside stanzas."""
        return [name for name, _ in self._stanzas]

    def __len__(self) -> int:
        return len(self._stanzas)

    def __getitem__(self, i: Any) -> Any:
        return [text for _, text in self._stanzas][i]

    def layout(self) -> bytes | None:
        """Returns the XML of the first layout, or None."""
        is_layout = [name.replace(" ", "").upper().startswith("SEG:LAYOUT") for name in self.names()]
        return self[is_layout.index(True)] if any(is_layout) else None


def parsed(xml: bytes) -> dict[str, list[_Parts]]:
    """Returns the words of each header in a layout. Raises ValueError: it cannot be read."""
    try:
        return dict(_sill.layout_entries(xml[max(0, xml.find(b"<")) : xml.rfind(b">") + 1].decode("latin-1").encode()))
    except InputError as error:
        raise ValueError(f"error parsing trace header mappings: {error}") from None


def _of_standard(block: str) -> list[_Parts]:
    return [(layout.split(".")[-1], byte, _NAMES[type], overrides)
            for byte, type, _, _, layout, overrides in _sill.standard_words(block)]  # fmt: skip


def trace_fields(file: SegyFile, xml: bytes | None, names: list[str]) -> LayoutEntries:
    """Returns the words of all headers of a trace.

    Args:
        file: the file
        xml: the layout, or None for that of the standard
        names: the names of the headers of the first trace, which may be blank

    Raises:
        ValueError: the layout cannot be read
        KeyError: it does not have a header of this name
    """
    if xml is not None:
        layouts = parsed(xml)
        for name, _, type, _ in layouts["SEG00000"]:
            if name in ("iline", "xline", "offset") and TYPES.get(type, "i4")[0] not in "iu":
                raise ValueError(f"invalid field datatype {type} of {name}: it is an integer")
        for words in layouts.values():
            if all(name != "header_name" and byte < 233 for name, byte, *_ in words):
                words.append(("header_name", 233, "string8", False))
    else:
        layouts = {"SEG00000": _of_standard("trace"), "SEG00001": _of_standard("extension1")}
        if file.revision < 2:  # bytes 233-240 are unassigned
            of_trace = [word for word in layouts["SEG00000"] if word[0] != "header_name"]
            layouts["SEG00000"] = [*of_trace, ("unass1", 233, "int4", False), ("unass2", 237, "int4", False)]
    in_order = list(layouts)
    headers: list[tuple[str, Any]] = []
    for k, name in enumerate(names):
        if k == 0 or not name:
            name = in_order[min(k, len(in_order) - 1)]
        if name not in layouts:
            raise KeyError(f"traceheader mapping for '{name}' not found")
        words = []
        for word, byte, type, condition in layouts[name]:
            if type == "scale6":
                words += [(f"{word}_mant", byte, "int4", condition), (f"{word}_exp", byte + 4, "int2", condition)]
            else:
                words.append((word, byte, type, condition))
        unique = {parts[0]: FieldLayoutEntry(file, k, parts) for parts in words}
        headers.append((name, LayoutEntries(sorted(unique.items(), key=lambda item: item[1].offset()))))
    return LayoutEntries(headers)
