"""Stanzas of extended text headers, and layouts of trace headers (SEG-Y revision 2.1, annex D8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .. import _sill
from ..errors import InputError

STANZA = re.compile(rb"\(\((.*?)\)\)", re.DOTALL)
TYPES: dict[str, str] = _sill.layout_types()  # as in expressions: {"int2": "i2", ...}
_NAMES = {code: name for name, code in reversed(TYPES.items())}


class TraceHeaderLayoutEntry(NamedTuple):
    """A word of a layout."""

    name: str
    byte: int
    type: str
    requires_nonzero_value: bool = False


def parse_trace_headers_layout(xml: bytes | str) -> dict[str, list[TraceHeaderLayoutEntry]]:
    """Returns the words of each header in the XML of a layout; scale6 is two. Local. Raises ValueError: it cannot be read."""
    text = xml if isinstance(xml, str) else bytes(xml).decode("latin-1")
    try:
        headers = _sill.layout_entries(text[max(0, text.find("<")) : text.rfind(">") + 1].encode())
    except InputError as error:
        raise ValueError(f"error parsing trace header mappings: {error}") from None
    return {name: [TraceHeaderLayoutEntry(*parts) for parts in words] for name, words in headers}


class FieldLayoutEntry:
    """A word of a trace header. Indexed by traces, it returns their values: ``f.tracefield.SEG00000.xline[:]``."""

    def __init__(self, file: Any, header: int, entry: TraceHeaderLayoutEntry) -> None:
        self._of, self._header, self._entry = file, header, entry

    def name(self) -> str:
        """Returns the name of the word."""
        return self._entry.name

    def offset(self) -> int:
        """Returns the first byte of the word in its header, from 1."""
        return self._entry.byte

    def type(self) -> str:
        """Returns the type of the word, as in annex D8."""
        return self._entry.type

    def use_only_if_non_zero(self) -> bool:
        """Returns true if the word is used only if it is not 0."""
        return self._entry.requires_nonzero_value

    def __getitem__(self, key: Any) -> Any:
        return self._of.attributes(self._entry.byte, self._header)[key]

    def __str__(self) -> str:
        return "{} (offset={}, type={}, use_only_if_non_zero={})".format(*self._entry)


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


def types_of(header: LayoutEntries) -> dict[int, str]:
    """Returns the types of the words of a header by their first bytes, in order; of words at the same byte, the first."""
    return dict(sorted({word.offset(): TYPES[word.type()] for word in reversed(header)}.items()))


def stanzas(blocks: list[bytes]) -> LayoutEntries:
    """Returns the stanzas of extended text headers by name: bytes in Latin-1. Text outside stanzas has the name ""."""
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
    return LayoutEntries([each for each in found if _plain(each[0]) != "SEG:ENDTEXT"])


def _plain(name: str) -> str:
    return name.replace(" ", "").upper()


def trace_fields(file: Any, xml: Any, names: list[str]) -> LayoutEntries:
    """Returns the words of all headers of a trace.

    `xml`: the layout; None: the layout stanza of the file, or if there is none the layout of the standard. `names`: the
    names of the headers of the first trace, may be blank. Raises ValueError if the layout is invalid, KeyError if it lacks
    a header.
    """
    if xml is None:
        xml = next((text for name, text in file.stanza._list if _plain(name).startswith("SEG:LAYOUT")), None)
    file._has_layout = xml is not None
    if xml is not None:
        layouts = parse_trace_headers_layout(xml)
        for name, _, type, _ in layouts["SEG00000"]:
            if name in ("iline", "xline", "offset") and TYPES[type] in ("f4", "f8", "ibm4", "a8"):
                raise ValueError(f"invalid field datatype {type} of {name}: it is an integer")
        for words in layouts.values():
            if all(name != "header_name" and byte < 233 for name, byte, *_ in words):
                words.append(TraceHeaderLayoutEntry("header_name", 233, "string8"))
    else:
        layouts = {
            header: [TraceHeaderLayoutEntry(name.split(".")[-1], byte, _NAMES[type], overrides)
                     for byte, type, _, _, name, overrides in _sill.standard_words(block)]
            for header, block in (("SEG00000", "trace"), ("SEG00001", "extension1"))
        }  # fmt: skip
        if file.revision < 2:  # a mantissa and an exponent are at bytes 219-224, and bytes 233-240 are unassigned
            of_trace = [word for word in layouts["SEG00000"] if word.byte not in (219, 221, 223, 233)]
            former = [("source_energy_dir_mantissa", 219, "int4"), ("source_energy_dir_exponent", 223, "int2"),
                      ("unass1", 233, "int4"), ("unass2", 237, "int4")]  # fmt: skip
            layouts["SEG00000"] = of_trace + [TraceHeaderLayoutEntry(*word) for word in former]
    headers: list[tuple[str, Any]] = []
    for k, name in enumerate(names):
        if k == 0 or not name:
            name = list(layouts)[min(k, len(layouts) - 1)]
        if name not in layouts:
            raise KeyError(f"traceheader mapping for '{name}' not found")
        unique = {word.name: word for word in layouts[name]}.values()
        in_order = sorted(unique, key=lambda word: word.byte)
        headers.append((name, LayoutEntries([(word.name, FieldLayoutEntry(file, k, word)) for word in in_order])))
    return LayoutEntries(headers)
