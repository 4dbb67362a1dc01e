// Statements of a text header about bytes of the trace headers: "C12 BYTES 181-184: INLINE".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {

/// The meaning of a label, as far as its words determine it.
enum class LabelMeaning : std::uint8_t { coordinate, inline_number, crossline_number, other };

/// Bytes of the trace header that a line of the text header names, and the label that describes them.
struct ByteLabel {
  int first_byte = 1;  ///< from 1
  int last_byte = 1;   ///< equals `first_byte` if the line names one byte
  std::string label;   ///< in capitals, without punctuation, numbers, and words such as BYTES and IN
  LabelMeaning meaning = LabelMeaning::other;
  std::size_t line = 1;  ///< line of the text header, from 1

  /// Local. Returns true if the label describes any of the bytes `first` to `last`.
  [[nodiscard]] bool is_about(int first, int last) const { return first_byte <= last && first <= last_byte; }
};

/// Local. Returns the labels in a text header: of pairs of bytes such as 181-184 and 181-188, and of single bytes in
/// lines that contain the word BYTE or LOCATION, or no numbers except 181, 185 and so on. The label precedes its bytes,
/// or follows them if the line begins with bytes. Bytes without a label are omitted. The result is empty if `text` is
/// not a text header of 3200 bytes in `encoding`.
[[nodiscard]] std::vector<ByteLabel> byte_labels(std::span<const std::byte> text, TextEncoding encoding);

/// Local. Returns the name of the standard word that the label describes: iline, xline, cdp, fldr, offset, sx, sy, gx,
/// gy, cdpx or cdpy; empty if the label describes none of these words, or several of them.
[[nodiscard]] std::string_view word_named_by(const ByteLabel& label);

}  // namespace sill::segy
