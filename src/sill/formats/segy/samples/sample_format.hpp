// The sample formats of SEG-Y: codes, names, widths, and the revisions that define them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::segy {

/// The sample formats. The values are the codes of bytes 3225-3226, except for the second interpretation of code 4,
/// whose value is not a code.
///
/// A sample of code 4 is 16 bits of gain, of which only the low 8 are used, before a 16-bit integer q. Revisions 0 and
/// 1 define it as q * 2^gain, revisions 2.x as q * 2^-gain; so the revision of the file determines the interpretation.
/// Code 4 can only be read.
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

/// Local. Returns the code of a format in bytes 3225-3226.
[[nodiscard]] constexpr int code_of(SampleFormat format) {
  return format == SampleFormat::fixed_point_gain_rev2 ? 4 : static_cast<int>(format);
}

/// Local. Returns the number of bytes of one sample.
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

/// Local. Returns true if samples can be written in the format; both interpretations of code 4 can only be read.
[[nodiscard]] constexpr bool is_writable(SampleFormat format) {
  return format != SampleFormat::fixed_point_gain && format != SampleFormat::fixed_point_gain_rev2;
}

/// Local. Returns the first major revision of the standard that defines the format (0, 1 or 2). The second
/// interpretation of code 4 belongs to revision 2.
[[nodiscard]] int first_revision_of(SampleFormat format);

/// Local. Returns the name of a format: "IBM float, 4 bytes".
[[nodiscard]] std::string_view name_of(SampleFormat format);

/// Local. Returns the format of a code in a file of the given major revision, which determines the interpretation of
/// code 4; nullopt if no revision defines the code. A code that only a later revision defines is also accepted: see
/// first_revision_of.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_code(int code, int revision_major);

/// Local. Returns the writable format with this name on the command line: "ibm", "ieee", "ieee64", "int8", "int16",
/// "int24", "int32", "int64", "uint8", "uint16", "uint24", "uint32", "uint64"; nullopt for any other name.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_name(std::string_view name);

/// Local. Returns the names that sample_format_from_name reads, restricted to formats that the given major revision
/// allows.
[[nodiscard]] std::vector<std::string> sample_format_names(int revision_major);

/// Local. Returns the meaning of any code of revisions 0 to 2.1 (1-12, 15, 16), for example "unsigned integer, 3
/// bytes"; empty for a code that no revision defines.
[[nodiscard]] std::string_view meaning_of_code(int code);

/// Local. Returns the clause of the standard that defines the format: "SEG-Y rev 1, bytes 3225-3226", or revision 2.0
/// for formats that only revision 2 defines.
[[nodiscard]] std::string_view clause_of(SampleFormat format);

}  // namespace sill::segy
