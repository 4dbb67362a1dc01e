// Signs in the first bytes of a file, or in its name, by which its kind is recognized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// Local. SEG-2 starts with 0x3A55 and a small revision number, both in the order of the file.
[[nodiscard]] bool is_seg2(std::span<const std::byte> head);

/// Local. The sample format of a file that begins like SEG-D, "8058"; nothing if it does not. Bytes 1-16 are digits of
/// four bits: file number, format, date and time of day; or a label of the storage unit stands first, whose format is
/// not known. Seismic Unix data may begin so by chance: ask after it. Source: SEG-D rev 1 to 3, general header block 1.
[[nodiscard]] std::optional<std::string> segd_format_of(std::span<const std::byte> head);

/// Local. The version, "V2.00", of a file of API RP66 that begins like this, or "". Source: RP66 V1 and V2, storage
/// unit label: a number in bytes 1-4, the version in 5-9, the structure, RECORD or another word, in 10-15.
[[nodiscard]] std::string rp66_version_of(std::span<const std::byte> head);

/// Local. The program that compressed or packed a file which begins like this, or "".
[[nodiscard]] std::string_view packer_of(std::span<const std::byte> head);

/// Local. True if nine in ten bytes are ASCII text, which no binary header is.
[[nodiscard]] bool is_plain_text(std::span<const std::byte> bytes);

/// Fewer line ends may be there by chance.
inline constexpr std::int64_t min_line_ends = 4;

/// Local. True if at least `min_line_ends` line feeds are there, and a carriage return stands before each: what a
/// copy as text does to binary data, and chance does once in 2^32 times.
[[nodiscard]] bool has_text_line_ends(std::span<const std::byte> bytes);

/// Local. Whether a binary header whose sample format means nothing means something once each carriage return before a
/// line feed is taken out.
[[nodiscard]] bool undoing_line_feeds_makes_sense(std::span<const std::byte, 400> binary_header);

/// Local. A tape label is ASCII: "SY1.0" or another revision at its bytes 5-9, "RECORD" at 10-15.
/// Source: SEG-Y rev 1, section 3, table 1.
[[nodiscard]] bool begins_with_tape_label(std::span<const std::byte> head);

/// Local. Whether a path ends with ".su", in any case.
[[nodiscard]] bool has_name_of_su(std::string_view path);

/// A trace of PASSCAL's form of SEG-Y: a trace header and samples, and no file header.
struct PasscalTrace {
  ByteOrder byte_order = ByteOrder::big;
  int sample_bytes = 4;  ///< int16 or int32
  std::int64_t samples = 0;
  std::int64_t interval_us = 0;
};

/// Local. Whether a file of so many bytes holds traces of PASSCAL's form alone, by the header at its beginning: the
/// number of samples at bytes 229-232, their size by bytes 205-206 (0: 2 bytes, 1: 4), the interval at bytes 201-204,
/// and these lengths divide the file. Source: PASSCAL Instrument Center, "PASSCAL SEG-Y trace header".
[[nodiscard]] std::optional<PasscalTrace> passcal_trace_of(std::span<const std::byte> head, std::int64_t file_bytes);

}  // namespace sill::segy
