// Reading the words of the binary header, and telling byte orders apart.
#include "sill/formats/segy/binary_header.hpp"

#include <bit>
#include <cstdlib>

namespace sill::segy {
namespace {

template <class T>
T word_at(std::span<const std::byte> block, int byte, ByteOrder order) {
  return load<T>(block.data() + (byte - 1), order);
}

}  // namespace

BinaryHeader read_binary_header(std::span<const std::byte, 400> block, ByteOrder order) {
  const auto i16 = [&](int file_byte) { return int{word_at<std::int16_t>(block, file_byte - 3200, order)}; };
  const auto u16 = [&](int file_byte) { return int{word_at<std::uint16_t>(block, file_byte - 3200, order)}; };
  return {.format_code = i16(3225),
          .samples = u16(3221),
          .interval_us = u16(3217),
          .sorting_code = i16(3229),
          .measurement_system = i16(3255),
          .revision_major = std::to_integer<int>(block[3501 - 3201]),
          .revision_minor = std::to_integer<int>(block[3502 - 3201]),
          .fixed_length_flag = i16(3503),
          .extended_text_headers = i16(3505),
          .extended_samples = word_at<std::uint32_t>(block, 3269 - 3200, order),
          .extended_interval_us = word_at<double>(block, 3273 - 3200, order),
          .additional_headers_i4 = word_at<std::int32_t>(block, 3507 - 3200, order),
          .additional_headers_i2 = word_at<std::int16_t>(block, 3507 - 3200, order),
          .traces = word_at<std::uint64_t>(block, 3513 - 3200, order),
          .first_trace_byte = word_at<std::uint64_t>(block, 3521 - 3200, order),
          .trailers = word_at<std::int32_t>(block, 3529 - 3200, order)};
}

std::optional<ByteOrder> byte_order_constant(std::span<const std::byte, 400> block) {
  constexpr std::int32_t constant = 0x01020304;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise})
    if (word_at<std::int32_t>(block, 3297 - 3200, order) == constant) return order;
  return std::nullopt;
}

ByteOrder little_or_pairwise(std::span<const std::byte, 400> binary_header,
                             std::span<const SampledTraceHeader> traces) {
  // Words that hold counts, numbers and coordinates, never bit patterns: read in the wrong order they grow.
  constexpr std::array binary_bytes = {1, 5, 9};
  constexpr std::array trace_bytes = {1, 5, 9, 13, 17, 21, 25, 37, 41, 45, 49, 61, 65, 73, 77, 81, 85};
  const auto magnitude_bits = [](std::span<const std::byte> block, int byte, ByteOrder order) {
    const std::int64_t value = word_at<std::int32_t>(block, byte, order);
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(std::abs(value))));
  };
  const auto total_bits = [&](ByteOrder order) {
    std::int64_t total = 0;
    for (const int byte : binary_bytes) total += magnitude_bits(binary_header, byte, order);
    for (const SampledTraceHeader& trace : traces)
      for (const int byte : trace_bytes) total += magnitude_bits(trace.bytes, byte, order);
    return total;
  };
  return total_bits(ByteOrder::pairwise) < total_bits(ByteOrder::little) ? ByteOrder::pairwise : ByteOrder::little;
}

}  // namespace sill::segy
