// The XML stanza in which a SEG-Y file of revision 2.1 states the positions of its header words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/map_layer.hpp"

namespace sill::segy {

/// Local. Returns the XML of the first stanza `((SEG:Layout...))` in the extended text headers of a file (blanks and
/// case in the name are ignored), converted to ASCII; nullopt if there is no such stanza. The stanza ends where the
/// next one begins.
[[nodiscard]] std::optional<std::string> find_layout_stanza(std::span<const std::byte> extended_text_headers);

/// Local. Reads the XML of a layout: `<segy-layout>` with `<entry name byte type>` for the trace header, and
/// `<extension name>` with the entries of an additional header. The header of an extension is determined by its name in
/// `header_names` (the names at bytes 233-240 of each header of a trace, the trace header first), or by the order of
/// the extensions if the headers state no names. An entry whose layout name is defined in the standard is that standard
/// word; in extensions the name of a word is `HEADER.ENTRY`, and also ENTRY if no other word has that name.
///
/// Types: int2, int4, int8, uint1, uint2, uint4, uint8; ibmfp, ieee32, ieee64; linetrc, reeltrc (uint4), linetrc8,
/// reeltrc8 (uint8); coor4, elev4, spnum4 (int4) and time2 (int2), scaled by co_scal, ed_scal, sp_scal and tm_scal of
/// the layout or the standard; scale6, an int4 followed by a power of ten, an int2; string8.
///
/// Invalid entries (unknown type, invalid byte, duplicate name) are skipped with a diagnostic. A document that is
/// not XML, is not a layout, is longer than 4 MiB, or has more than 15,600 entries yields no words and a diagnostic;
/// extensions after the 64th are skipped. Only the five predefined XML entities are replaced; no external data is read.
/// Throws nothing except std::bad_alloc. Source: SEG-Y rev 2.1, annex D8, as far as segyio reads it.
[[nodiscard]] LayoutStanza parse_layout_stanza(std::string_view xml, const std::string& source_name,
                                               std::span<const std::string> header_names = {});

}  // namespace sill::segy
