// The words of the binary header that describe a file, and what in the headers is not as the standard has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/file_description.hpp"

namespace sill::segy {

/// The words of the binary header that say how to read the file, as stored.
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
};

/// Local. The words of a binary header (its 400 bytes). Little and pairwise order read alike, as all are of 16 bits.
[[nodiscard]] BinaryHeader read_binary_header(std::span<const std::byte, 400> block, ByteOrder order);

/// The header of one trace that was looked at.
struct SampledTraceHeader {
  std::int64_t trace = 1;  ///< from 1
  std::array<std::byte, 240> bytes{};
};

/// Local. Of two orders in which 16-bit words read alike, the one in which the 32-bit words of the headers (counts,
/// numbers, coordinates) are the smaller numbers; little if neither is.
[[nodiscard]] ByteOrder little_or_pairwise(std::span<const std::byte, 400> binary_header,
                                           std::span<const SampledTraceHeader> traces);

/// Local. What the binary header holds that is odd but does not keep the file from being read.
/// `revision` is 0 or 1, as the file is read.
void check_binary_header(const BinaryHeader& binary, int revision, FileDescription& description);

/// Local. What the sampled trace headers say other than the binary header, and scalars that are no legal ones.
void check_trace_headers(std::span<const SampledTraceHeader> traces, const BinaryHeader& binary, int revision,
                         FileDescription& description);

}  // namespace sill::segy
