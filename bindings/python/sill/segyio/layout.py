"""Stanzas of extended text headers, and layouts of trace headers (SEG-Y revision 2.1, annex D8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from .. import _sill
from .words import TRACE_WORDS

if TYPE_CHECKING:
    from .segy import SegyFile

STANZA = re.compile(rb"\(\((.*?)\)\)", re.DOTALL)
TYPES = {
    "int2": "i2", "int4": "i4", "int8": "i8", "uint1": "u1", "uint2": "u2", "uint4": "u4", "uint8": "u8", "ibmfp": "ibm4",
    "ieee32": "f4", "ieee64": "f8", "linetrc": "u4", "reeltrc": "u4", "linetrc8": "u8", "reeltrc8": "u8", "coor4": "i4",
    "elev4": "i4", "spnum4": "i4", "time2": "i2", "string8": "a8",
}  # fmt: skip
_NAMES = {code: name for name, code in reversed(TYPES.items())}
_LINES = ("iline", "xline", "offset")


class FieldLayoutEntry:
    """A word of a trace header. Indexed by traces, it returns their values: ``f.tracefield.SEG00000.xline[:]``."""

    def __init__(self, name: str, byte: int, type: str, non_zero: bool = False) -> None:
        self._file: Any = None
        self._header = 0
        self._parts = (name, byte, type, non_zero)
        self.code = TYPES[type]  # as in expressions

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
        return self._file.attributes(self._parts[1], self._header)[key]

    def __str__(self) -> str:
        name, byte, type, non_zero = self._parts
        return f"{name} (offset={byte}, type={type}, use_only_if_non_zero={non_zero})"


class _Named(Sequence[Any]):
    """Objects by number or as attributes by name. Of equal names, the attribute is the first."""

    def __init__(self, items: list[tuple[str, Any]]) -> None:
        self._items = dict(reversed(items))
        self._list = items

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


class HeaderLayoutEntries(_Named):
    """The words of one header of each trace."""

    def by_byte(self) -> dict[int, FieldLayoutEntry]:
        """Returns the words by their first bytes."""
        return {entry.offset(): entry for _, entry in reversed(self._list)}


class TraceFields(_Named):
    """The headers of each trace: `SEG00000`, and the additional ones by their names."""


class Stanzas(Sequence[bytes]):
    """The stanzas of the extended text headers. ``f.stanza[0]`` are its bytes, in Latin-1, without its name."""

    def __init__(self, blocks: list[bytes]) -> None:
        self._stanzas: list[tuple[str, bytes]] = []
        for block in blocks:
            is_ebcdic = block.startswith(b"\x4d\x4d")
            text = block.decode("cp037").encode("latin-1") if is_ebcdic else block
            named = STANZA.match(text)
            if named:
                self._stanzas.append((named[1].decode("latin-1"), text[named.end() :]))
                self._ebcdic = is_ebcdic
            elif self._stanzas and self._stanzas[-1][0]:  # a stanza goes on
                name, begun = self._stanzas[-1]
                self._stanzas[-1] = (name, begun + (block.decode("cp037").encode("latin-1") if self._ebcdic else block))
            elif not self._stanzas:
                self._stanzas.append(("", block))
            else:
                self._stanzas[-1] = ("", self._stanzas[-1][1] + block)
        self._stanzas = [each for each in self._stanzas if each[0].replace(" ", "").upper() != "SEG:ENDTEXT"]

    def names(self) -> list[str]:
        """Returns the names of the stanzas; "" for text outside stanzas."""
        return [name for name, _ in self._stanzas]

    def __len__(self) -> int:
        return len(self._stanzas)

    def __getitem__(self, i: Any) -> Any:
        return self._stanzas[i][1] if not isinstance(i, slice) else [text for _, text in self._stanzas[i]]


def _entries(node: ElementTree.Element, is_first: bool) -> dict[str, FieldLayoutEntry]:
    entries: dict[str, FieldLayoutEntry] = {}
    for entry in node.findall("entry"):
        try:
            name, byte, type = entry.attrib["name"], int(entry.attrib["byte"]), entry.attrib["type"]
        except (KeyError, ValueError) as error:
            raise ValueError(f"error parsing trace header mappings: {error} in {dict(entry.attrib)}") from None
        if not 1 <= byte <= 240:
            raise ValueError(f"error parsing trace header mappings: {name} at byte {byte} of a header of 240 bytes")
        non_zero = entry.attrib.get("if-non-zero", "0") == "1"
        if type == "scale6":
            entries[name + "_mant"] = FieldLayoutEntry(name + "_mant", byte, "int4", non_zero)
            entries[name + "_exp"] = FieldLayoutEntry(name + "_exp", byte + 4, "int2", non_zero)
        elif type not in TYPES or is_first and name in _LINES and TYPES[type] in ("f4", "f8", "ibm4", "a8"):
            raise ValueError(f"invalid field datatype {type} of {name}: header words have the types of SEG-Y 2.1, annex D8")
        else:
            entries[name] = FieldLayoutEntry(name, byte, type, non_zero)
    return entries


def _standard(words: list[tuple[Any, ...]]) -> dict[str, FieldLayoutEntry]:
    entries = [
        FieldLayoutEntry(layout.split(".")[-1], byte, _NAMES[type], overrides)
        for byte, type, _, _, layout, overrides in words
    ]
    return {entry.name(): entry for entry in entries}


def trace_fields(file: SegyFile, xml: bytes | None, names: list[str]) -> TraceFields:
    """Returns the words of all headers of a trace.

    Args:
        file: the file
        xml: the layout, or None for that of the standard
        names: the names of the headers of the first trace, which may be blank

    Raises:
        ValueError: the layout cannot be read
        KeyError: it does not have a header of this name
    """
    layouts = {"SEG00000": _standard(TRACE_WORDS), "SEG00001": _standard(_sill.standard_words("extension1"))}
    if file.revision < 2:  # before revision 2, bytes 233-240 are unassigned
        layouts["SEG00000"].pop("header_name", None)
        for name, byte in (("unass1", 233), ("unass2", 237)):
            layouts["SEG00000"][name] = FieldLayoutEntry(name, byte, "int4")
    if xml is not None:
        try:
            end = xml.rfind(b">") + 1
            root = ElementTree.fromstring(xml[max(0, xml.find(b"<")) : end].decode("latin-1").encode())
        except ElementTree.ParseError as error:
            raise ValueError(f"error parsing trace header mappings: {error}") from None
        if root.tag != "segy-layout":
            raise ValueError(f"error parsing trace header mappings: <{root.tag}> where <segy-layout> is expected")
        layouts = {"SEG00000": _entries(root, True)}
        for extension in root.findall("extension"):
            layouts[extension.attrib.get("name", "")] = _entries(extension, False)
        for entries in layouts.values():
            if "header_name" not in entries and all(entry.offset() < 233 for entry in entries.values()):
                entries["header_name"] = FieldLayoutEntry("header_name", 233, "string8")
    in_order = list(layouts)
    headers: list[tuple[str, Any]] = []
    for k, name in enumerate(names):
        if k == 0 or not name:
            name = in_order[min(k, len(in_order) - 1)]
        if name not in layouts:
            raise KeyError(f"traceheader mapping for '{name}' not found")
        entries = [(key, FieldLayoutEntry(*entry._parts)) for key, entry in layouts[name].items()]
        for _, entry in entries:
            entry._file, entry._header = file, k
        headers.append((name, HeaderLayoutEntries(sorted(entries, key=lambda item: item[1].offset()))))
    return TraceFields(headers)


def layout_of(stanzas: Stanzas) -> bytes | None:
    """Returns the XML of the first layout among stanzas, or None."""
    for name, text in zip(stanzas.names(), stanzas, strict=True):
        if name.replace(" ", "").upper().startswith("SEG:LAYOUT"):
            return text
    return None
