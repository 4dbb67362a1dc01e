// What a text header states that bytes of the trace headers hold: "C12 BYTES 181-184: INLINE".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {

/// What the label of some bytes means, as far as its words say.
enum class LabelMeaning : std::uint8_t { coordinate, inline_number, crossline_number, other };

/// Bytes of the trace header that a line of the text header names, and what it says they hold.
struct ByteLabel {
  int first_byte = 1;  ///< from 1
  int last_byte = 1;   ///< the first again where the line names one byte
  std::string label;   ///< in capitals, without punctuation, numbers, and words such as BYTES and IN
  LabelMeaning meaning = LabelMeaning::other;
  std::size_t line = 1;  ///< of the text header, from 1

  /// Local. Whether the label is about some of these bytes.
  [[nodiscard]] bool is_about(int first, int last) const { return first_byte <= last && first <= last_byte; }
};

/// Local. The labels in a text header: of pairs of bytes such as 181-184 and 181-188, and of single bytes in lines that
/// have the word BYTE or LOCATION, or no other numbers than 181, 185 and so on. The label stands before its bytes, or
/// after them where a line begins with bytes. Bytes without a label are left out. Empty if `text` is no text header of
/// 3200 bytes in `encoding`.
[[nodiscard]] std::vector<ByteLabel> byte_labels(std::span<const std::byte> text, TextEncoding encoding);

/// Local. The name of the standard word that the bytes hold by their label: iline, xline, cdp, fldr, offset, sx, sy,
/// gx, gy, cdpx or cdpy; empty if it is none of these, or several.
[[nodiscard]] std::string_view word_named_by(const ByteLabel& label);

}  // namespace sill::segy
