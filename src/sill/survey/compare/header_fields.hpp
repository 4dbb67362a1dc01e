// Divides the header bytes of a SEG-Y or Seismic Unix file into the fields that are compared: words, and runs of bytes
// that no word covers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// The byte offset of the binary header in the file, and its length.
inline constexpr int binary_header_at = 3200;
inline constexpr int binary_header_bytes = 400;

/// A standard word, or a run of bytes that no word covers.
struct HeaderField {
  std::string name;
  int byte = 1;  ///< from 1, in the header block
  int bytes = 0;
  std::optional<segy::WordType> type;  ///< not set: bytes without a meaning
};

/// The headers that two files have in common.
struct ComparedHeaders {
  int header_bytes = segy::trace_header_bytes;       ///< maximum size of the headers of a trace
  bool su = false;                                   ///< both files are Seismic Unix: bytes 181-212 contain words of
                                                     ///< Seismic Unix
  segy::Revision revision = segy::Revision::rev2_1;  ///< defines the words of the trace header
  bool mixed = false;  ///< one file is Seismic Unix, the other SEG-Y: only bytes 1-180 of a trace header have the same
                       ///< meaning
};

/// The fields to compare.
struct HeaderFields {
  bool text = true;                 ///< tape label, text headers and data trailers
  std::vector<HeaderField> binary;  ///< fields of the binary header, ordered by byte
  std::vector<HeaderField> trace;   ///< fields of all headers of a trace, ordered by byte
};

/// Local. Returns all fields except the fields that `ignored` names: words of either header by any of their names,
/// words of the trace headers at their positions in `map`, `@byte:type` of the trace headers (also segments of fields),
/// or `text`. Fields of additional headers are the words of `map`, and all other bytes in groups of eight. Errors:
/// usage, for an invalid name, and for words beyond the headers.
[[nodiscard]] HeaderFields fields_without(const std::vector<std::string>& ignored, const ComparedHeaders& headers = {},
                                          const segy::HeaderMap& map = segy::HeaderMap::standard());

/// Local. Returns the readable value of a field in a header block: a number, text if all of it is printable, or up to
/// eight bytes in hexadecimal.
[[nodiscard]] std::string shown(const HeaderField& field, const std::byte* header, ByteOrder order);

/// Local. Returns true if a field has different values in two header blocks, independent of their byte orders.
[[nodiscard]] bool differs(const HeaderField& field, const std::byte* a, ByteOrder order_a, const std::byte* b,
                           ByteOrder order_b);

}  // namespace sill
