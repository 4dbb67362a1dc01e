// The header bytes of a SEG-Y or Seismic Unix file as the things that are compared: words, and runs of bytes that no
// word covers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// The byte of the file before the binary header, and that header's length.
inline constexpr int binary_header_at = 3200;
inline constexpr int binary_header_bytes = 400;

/// A standard word, or a run of bytes that none covers.
struct HeaderField {
  std::string name;
  int byte = 1;  ///< from 1, in the header block
  int bytes = 0;
  std::optional<segy::WordType> type;  ///< none: bytes without a meaning
};

/// Which headers two files have in common.
struct ComparedHeaders {
  int header_bytes = segy::trace_header_bytes;       ///< of a trace, the most
  bool su = false;                                   ///< both are Seismic Unix: words 181-212 are its own
  segy::Revision revision = segy::Revision::rev2_1;  ///< whose words of the trace header count
  bool mixed = false;  ///< one is Seismic Unix: of a trace header only bytes 1-180 mean the same
};

/// What is to be compared.
struct HeaderFields {
  bool text = true;                 ///< tape label, text headers and data trailers
  std::vector<HeaderField> binary;  ///< of the binary header, by byte
  std::vector<HeaderField> trace;   ///< of all headers of a trace, by byte
};

/// Local. All fields, but for the `ignored`: words of either header by any of their names, those of the trace headers
/// where `map` has them, `@byte:type` of the trace headers (also parts of fields), or `text`. Fields of additional
/// headers are the words that `map` has there, and all other bytes by eight. Errors: usage, for a name that is none,
/// and for words beyond the headers.
[[nodiscard]] HeaderFields fields_without(const std::vector<std::string>& ignored, const ComparedHeaders& headers = {},
                                          const segy::HeaderMap& map = segy::HeaderMap::standard());

/// Local. The value of a field in a header block, for people: a number, text that is printable throughout, or up to
/// eight bytes in hexadecimal.
[[nodiscard]] std::string shown(const HeaderField& field, const std::byte* header, ByteOrder order);

/// Local. Whether a field has different values in two header blocks, whatever their byte orders.
[[nodiscard]] bool differs(const HeaderField& field, const std::byte* a, ByteOrder order_a, const std::byte* b,
                           ByteOrder order_b);

}  // namespace sill
