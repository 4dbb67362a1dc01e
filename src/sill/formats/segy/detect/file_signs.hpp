// Recognition of kinds of files by their first bytes or by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// Local. Returns true if the file is SEG-2: it starts with 0x3A55 and a small revision number, both in the byte order
/// of the file.
[[nodiscard]] bool is_seg2(std::span<const std::byte> head);

/// Local. Returns the format code, such as "8058", if the file begins like SEG-D; otherwise nullopt. Bytes 1-16 are
/// four-bit digits: file number, format, date and time of day. If the file begins with a storage unit label instead,
/// the format is "not known". Seismic Unix data may begin the same way by chance: test for it first. Source: SEG-D rev
/// 1 to 3, general header block 1.
[[nodiscard]] std::optional<std::string> segd_format_of(std::span<const std::byte> head);

/// Local. Returns the version, such as "V2.00", if the file begins like API RP66; otherwise an empty text. Source: RP66
/// V1 and V2, storage unit label: a number in bytes 1-4, the version in 5-9, the structure, RECORD or another word, in
/// 10-15.
[[nodiscard]] std::string rp66_version_of(std::span<const std::byte> head);

/// Local. Returns the name of the program that compressed or packed the file that begins with `head`; an empty text if
/// the file was not packed by a known program.
[[nodiscard]] std::string_view packer_of(std::span<const std::byte> head);

/// Local. Returns true if at least nine in ten bytes are ASCII text, which never holds for a binary header.
[[nodiscard]] bool is_plain_text(std::span<const std::byte> bytes);

/// Minimum number of line feeds; a smaller number could be due to chance.
inline constexpr std::int64_t min_line_ends = 4;

/// Local. Returns true if there are at least `min_line_ends` line feeds and each follows a carriage return. Copying
/// binary data in text mode has this effect; by chance it occurs once in 2^32 times.
[[nodiscard]] bool has_text_line_ends(std::span<const std::byte> bytes);

/// Local. Returns true if removing each carriage return before a line feed gives a binary header with a known sample
/// format. Precondition: the sample format of `binary_header` is unknown.
[[nodiscard]] bool undoing_line_feeds_makes_sense(std::span<const std::byte, 400> binary_header);

/// Local. Returns true if the file begins with a tape label, in ASCII: "SY1.0" or another revision at its bytes 5-9,
/// "RECORD" at 10-15. Source: SEG-Y rev 1, section 3, table 1.
[[nodiscard]] bool begins_with_tape_label(std::span<const std::byte> head);

/// Local. Returns true if a path ends with ".su"; case is ignored.
[[nodiscard]] bool has_name_of_su(std::string_view path);

/// A trace in the PASSCAL variant of SEG-Y: a trace header and samples, without a file header.
struct PasscalTrace {
  ByteOrder byte_order = ByteOrder::big;
  int sample_bytes = 4;  ///< 2 (int16) or 4 (int32)
  std::int64_t samples = 0;
  std::int64_t interval_us = 0;
};

/// Local. Returns the first trace if a file of `file_bytes` bytes consists of traces in the PASSCAL variant, according
/// to the header at its beginning; otherwise nullopt. The header states the number of samples at bytes 229-232 (bytes
/// 115-116 hold the same number or 32767), their size at bytes 205-206 (0: 2 bytes, 1: 4 bytes), and the interval at
/// bytes 201-204, or at bytes 117-118 if these hold neither 0 nor 1; and traces of this length divide the file without
/// remainder. Source: PASSCAL Instrument Center, "PASSCAL SEG-Y trace header".
[[nodiscard]] std::optional<PasscalTrace> passcal_trace_of(std::span<const std::byte> head, std::int64_t file_bytes);

}  // namespace sill::segy
