// The sample formats of SEG-Y: codes, names, widths, and the revisions that have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::segy {

/// The formats of a sample. The values are the codes of bytes 3225-3226, but for the second reading of code 4, whose
/// value is no code.
///
/// Code 4 is 16 bits of gain, of which the low 8 count, before a 16-bit integer q. Revisions 0 and 1 say that it means
/// q * 2^gain, revisions 2.x that it means q * 2^-gain; so the revision of the file decides. It can only be read.
enum class SampleFormat : std::int16_t {
  ibm_float = 1,
  int32 = 2,
  int16 = 3,
  fixed_point_gain = 4,
  ieee_float = 5,
  ieee_double = 6,
  int24 = 7,
  int8 = 8,
  int64 = 9,
  uint32 = 10,
  uint16 = 11,
  uint64 = 12,
  uint24 = 15,
  uint8 = 16,
  fixed_point_gain_rev2 = 104,
};

/// Local. The code of a format, as bytes 3225-3226 hold it.
[[nodiscard]] constexpr int code_of(SampleFormat format) {
  return format == SampleFormat::fixed_point_gain_rev2 ? 4 : static_cast<int>(format);
}

/// Local. Bytes of one sample.
[[nodiscard]] constexpr int bytes_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::int8:
    case SampleFormat::uint8: return 1;
    case SampleFormat::int16:
    case SampleFormat::uint16: return 2;
    case SampleFormat::int24:
    case SampleFormat::uint24: return 3;
    case SampleFormat::ieee_double:
    case SampleFormat::int64:
    case SampleFormat::uint64: return 8;
    case SampleFormat::ibm_float:
    case SampleFormat::int32:
    case SampleFormat::fixed_point_gain:
    case SampleFormat::fixed_point_gain_rev2:
    case SampleFormat::ieee_float:
    case SampleFormat::uint32: break;
  }
  return 4;
}

/// Local. Whether samples can be written in the format; both readings of code 4 are read only.
[[nodiscard]] constexpr bool is_writable(SampleFormat format) {
  return format != SampleFormat::fixed_point_gain && format != SampleFormat::fixed_point_gain_rev2;
}

/// Local. The first major revision of the standard whose code list has the format (0, 1 or 2). The second reading of
/// code 4 is of revision 2.
[[nodiscard]] int first_revision_of(SampleFormat format);

/// Local. "IBM float, 4 bytes".
[[nodiscard]] std::string_view name_of(SampleFormat format);

/// Local. The format of a code in a file of the given major revision, which decides how code 4 is read; nothing if no
/// revision defines the code. A code that only a later revision defines is still found: see first_revision_of.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_code(int code, int revision_major);

/// Local. The writable format that a command line names: "ibm", "ieee", "ieee64", "int8", "int16", "int24", "int32",
/// "int64", "uint8", "uint16", "uint24", "uint32", "uint64"; nothing if none.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_word(std::string_view word);

/// Local. The words that sample_format_from_word knows, of formats that files of the given major revision may hold.
[[nodiscard]] std::vector<std::string> words_of_sample_formats(int revision_major);

/// Local. What any code of the standard's revisions 0 to 2.1 (1-12, 15, 16) means: "unsigned integer, 3 bytes"; empty
/// for a code that no revision defines.
[[nodiscard]] std::string_view meaning_of_code(int code);

/// Local. The place in the standard that defines the format: "SEG-Y rev 1, bytes 3225-3226", of revision 2.0 for what
/// only that has.
[[nodiscard]] std::string_view clause_of(SampleFormat format);

}  // namespace sill::segy
