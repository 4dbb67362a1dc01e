// The sample formats of SEG-Y: which there are, which are supported, and turning samples into numbers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// The supported formats of a sample. The values are the codes of bytes 3225-3226.
enum class SampleFormat : std::int16_t { ibm_float = 1, int32 = 2, int16 = 3, ieee_float = 5, int8 = 8 };

/// Local. The code of a format, as bytes 3225-3226 hold it.
[[nodiscard]] constexpr int code_of(SampleFormat format) { return static_cast<int>(format); }

/// Local. Bytes of one sample.
[[nodiscard]] constexpr int bytes_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::int16: return 2;
    case SampleFormat::int8: return 1;
    case SampleFormat::ibm_float:
    case SampleFormat::int32:
    case SampleFormat::ieee_float: break;
  }
  return 4;
}

/// Local. "IBM float, 4 bytes".
[[nodiscard]] std::string_view name_of(SampleFormat format);

/// Local. The format of a code, nothing if the code is unknown or not supported yet.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_code(int code);

/// Local. The format that a command line names: "ibm", "ieee", "int32", "int16", "int8", nothing if none.
[[nodiscard]] std::optional<SampleFormat> sample_format_from_word(std::string_view word);

/// Local. What any code of the standard's revisions 0 to 2.1 (1-12, 15, 16) means, supported or not: "unsigned
/// integer, 3 bytes"; empty for a code that no revision defines.
[[nodiscard]] std::string_view meaning_of_code(int code);

/// Local. The value of every sample, exactly, in file order.
/// Precondition: `samples` holds `bytes_of(format)` bytes for each element of `out`.
/// Source: SEG-Y rev 1, bytes 3225-3226.
void decode(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out);

/// Local. Writes every value as a sample. IEEE floats are copied bit for bit (NaN included); IBM floats and integers
/// are rounded to the nearest, halves to even.
/// Precondition: `out` holds `bytes_of(format)` bytes for each value.
/// Errors: input, naming the first sample (from 1) that the format cannot hold: NaN, infinite or beyond its range.
/// What `out` then holds is undefined.
void encode(std::span<const float> values, SampleFormat format, ByteOrder order, std::span<std::byte> out);

}  // namespace sill::segy
