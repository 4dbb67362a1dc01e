// The XML stanza by which a SEG-Y file of revision 2.1 states where its header words lie.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/map_layer.hpp"

namespace sill::segy {

/// Local. The XML of the first stanza `((SEG:Layout...))` in the extended text headers of a file (blanks and case of
/// the name do not count), as ASCII, whatever it is written in; nothing if there is none. It ends where the next stanza
/// begins.
[[nodiscard]] std::optional<std::string> find_layout_stanza(std::span<const std::byte> extended_text_headers);

/// Local. Reads the XML of a layout: `<segy-layout>` with `<entry name byte type>` of the trace header, and
/// `<extension name>` with those of an additional header. Which header an extension is comes from `header_names`, what
/// bytes 233-240 of a trace's headers state, the trace header first, and where they say nothing, from the order of the
/// extensions. An entry that the standard knows by its layout name is that word; in extensions `HEADER.ENTRY` is its
/// name, and ENTRY if no other word has it.
///
/// Types: int2, int4, int8, uint1, uint2, uint4, uint8; ibmfp, ieee32, ieee64; linetrc, reeltrc (uint4), linetrc8,
/// reeltrc8 (uint8); coor4, elev4, spnum4 (int4) and time2 (int2), scaled by co_scal, ed_scal, sp_scal and tm_scal of
/// the layout or the standard; scale6, an int4 and the power of ten after it, an int2; string8.
///
/// Entries that cannot be taken (unknown type, no place, a name twice) are left out, each with a diagnostic. A document
/// that is no XML, is no layout, or has more than 64 extensions or 15,600 entries gives no words and a diagnostic. No
/// entity but XML's own five is replaced; nothing outside is read. Never throws but std::bad_alloc.
/// Source: SEG-Y rev 2.1, annex D8, as far as segyio reads it.
[[nodiscard]] LayoutStanza parse_layout_stanza(std::string_view xml, const std::string& source_name,
                                               std::span<const std::string> header_names = {});

}  // namespace sill::segy
