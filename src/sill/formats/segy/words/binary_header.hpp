// The binary header words that describe a file, and the detection of its byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// The binary header words that are needed to read the file, as stored. The words from `extended_samples` to the end
/// have a meaning only in revision 2.
struct BinaryHeader {
  int format_code = 0;            ///< bytes 3225-3226
  int samples = 0;                ///< bytes 3221-3222, unsigned
  int interval_us = 0;            ///< bytes 3217-3218, unsigned
  int sorting_code = 0;           ///< bytes 3229-3230
  int measurement_system = 0;     ///< bytes 3255-3256
  int revision_major = 0;         ///< byte 3501
  int revision_minor = 0;         ///< byte 3502
  int fixed_length_flag = 0;      ///< bytes 3503-3504
  int extended_text_headers = 0;  ///< bytes 3505-3506

  std::int64_t extended_samples = 0;   ///< bytes 3269-3272
  double extended_interval_us = 0.0;   ///< bytes 3273-3280
  int additional_headers_i4 = 0;       ///< bytes 3507-3510, as revision 2.0 defines them
  int additional_headers_i2 = 0;       ///< bytes 3507-3508, as revision 2.1 defines them
  std::uint64_t traces = 0;            ///< bytes 3513-3520, 0: all traces to the end of the file
  std::uint64_t first_trace_byte = 0;  ///< bytes 3521-3528, 0: after the extended text headers
  int trailers = 0;                    ///< bytes 3529-3532, -1: not stated
};

/// Local. Returns the number at byte `byte`, counted from 1, of a header. Precondition: the header contains it.
template <class T>
[[nodiscard]] T word_at(std::span<const std::byte> header, int byte, ByteOrder order) {
  return load<T>(header.data() + (byte - 1), order);
}

/// Local. Returns the words of a binary header (its 400 bytes).
[[nodiscard]] BinaryHeader read_binary_header(std::span<const std::byte, 400> block, ByteOrder order);

/// Local. Returns the byte order that the constant at bytes 3297-3300 (revision 2) states, or nullopt if the constant
/// is not present. Source: SEG-Y rev 2.0, bytes 3297-3300: read as big-endian, the constant is 16909060 in big-endian
/// files, 67305985 if its bytes are reversed, and 33620995 if they are swapped in pairs.
[[nodiscard]] std::optional<ByteOrder> byte_order_constant(std::span<const std::byte, 400> block);

/// The first header of one sampled trace.
struct SampledTraceHeader {
  std::int64_t trace = 1;  ///< from 1
  std::array<std::byte, 240> bytes{};
};

/// Local. Chooses between little and pairwise order, in which 16-bit words read the same. Returns the order in which
/// the 32-bit words of the headers (counts, numbers, coordinates) are smaller numbers in total, or nullopt if both
/// totals are equal.
[[nodiscard]] std::optional<ByteOrder> little_or_pairwise(std::span<const std::byte, 400> binary_header,
                                                          std::span<const SampledTraceHeader> traces);

}  // namespace sill::segy
