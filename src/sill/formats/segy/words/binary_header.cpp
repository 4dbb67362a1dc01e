// Reads the words of the binary header, and distinguishes byte orders.
#include "sill/formats/segy/words/binary_header.hpp"

#include <bit>
#include <cstdlib>
#include <variant>

#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
BinaryHeader read_binary_header(std::span<const std::byte, 400> block, ByteOrder order) {
  // Only the table of words defines the position and type of each word.
  const auto value = [&](int byte, Revision revision = Revision::rev2_1) {
    return read_word(block.data(), binary_word(byte, revision), order);
  };
  const auto small = [&](int byte, Revision revision = Revision::rev2_1) {
    return static_cast<int>(value(byte, revision).as_double());
  };
  return {.format_code = small(3225),
          .samples = small(3221),
          .interval_us = small(3217),
          .sorting_code = small(3229),
          .measurement_system = small(3255),
          .revision_major = small(3501),
          .revision_minor = small(3502),
          .fixed_length_flag = small(3503),
          .extended_text_headers = small(3505),
          .extended_samples = static_cast<std::int64_t>(value(3269).as_double()),
          .extended_interval_us = value(3273).as_double(),
          .additional_headers_i4 = small(3507, Revision::rev2_0),
          .additional_headers_i2 = small(3507),
          .traces = std::get<std::uint64_t>(value(3513).number),
          .first_trace_byte = std::get<std::uint64_t>(value(3521).number),
          .trailers = small(3529)};
}

std::optional<ByteOrder> byte_order_constant(std::span<const std::byte, 400> block) {
  constexpr std::int32_t constant = 0x01020304;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
    if (read_word(block.data(), binary_word(3297), order).as_double() == constant) return order;
  return std::nullopt;
}

std::optional<ByteOrder> little_or_pairwise(std::span<const std::byte, 400> binary_header,
                                            std::span<const SampledTraceHeader> traces) {
  // Words that contain counts, numbers and coordinates, never bit patterns: these become larger if read in the wrong
  // order.
  constexpr std::array binary_bytes = {1, 5, 9};
  constexpr std::array later_bytes = {61, 65, 69, 89, 93, 329};  // counts, only in revision 2
  constexpr std::array trace_bytes = {1, 5, 9, 13, 17, 21, 25, 37, 41, 45, 49, 61, 65, 73, 77, 81, 85};
  const auto magnitude_bits = [](std::span<const std::byte> block, int byte, ByteOrder order) {
    const std::int64_t value = word_at<std::int32_t>(block, byte, order);
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(std::abs(value))));
  };
  const auto total_bits = [&](ByteOrder order) {
    std::int64_t total = 0;
    for (const int byte : binary_bytes) total += magnitude_bits(binary_header, byte, order);
    if (binary_header[3501 - 3201] == std::byte{2})
      for (const int byte : later_bytes) total += magnitude_bits(binary_header, byte, order);
    for (const SampledTraceHeader& trace : traces)
      for (const int byte : trace_bytes) total += magnitude_bits(trace.bytes, byte, order);
    return total;
  };
  const std::int64_t pairwise = total_bits(ByteOrder::pairwise);
  const std::int64_t little = total_bits(ByteOrder::little);
  if (pairwise == little) return std::nullopt;
  return pairwise < little ? ByteOrder::pairwise : ByteOrder::little;
}

}  // namespace sill::segy
