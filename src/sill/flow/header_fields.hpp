// The header bytes of a SEG-Y or Seismic Unix file as the things that are compared: words, and runs of bytes that no
// word covers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/file_description.hpp"
#include "sill/formats/segy/header_map.hpp"

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

/// What is to be compared.
struct HeaderFields {
  bool text = true;                 ///< the text headers
  std::vector<HeaderField> binary;  ///< of the binary header, by byte
  std::vector<HeaderField> trace;   ///< of a trace's headers, by byte; none lies in two headers
};

/// Local. All fields of a file of a kind whose traces have `headers` headers at most, but for the `ignored`: words of
/// either header by any of their names, those of the trace header where `map` has them, `@byte:type` of the trace
/// headers (also parts of fields), or `text`. Of additional headers the first has the words of extension 1; the others
/// are bytes without a meaning. Errors: usage, for a name that is none, and for words of headers that are not there.
[[nodiscard]] HeaderFields fields_without(const std::vector<std::string>& ignored, const segy::HeaderMap& map,
                                          segy::FileKind kind, int headers);

/// Local. The value of a field in a header block, for people: a number, text that is printable throughout, or up to
/// eight bytes in hexadecimal.
[[nodiscard]] std::string shown(const HeaderField& field, const std::byte* header, ByteOrder order);

/// Local. Whether a field has different values in two header blocks, whatever their byte orders.
[[nodiscard]] bool differs(const HeaderField& field, const std::byte* a, ByteOrder order_a, const std::byte* b,
                           ByteOrder order_b);

}  // namespace sill
