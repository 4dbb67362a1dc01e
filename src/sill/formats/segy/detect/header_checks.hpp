// What in the headers of a file is not as the standard has it.
#pragma once

#include <cstdint>
#include <span>

#include "sill/base/error.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. What the binary header holds that is odd but does not keep the file from being read.
void check_binary_header(const BinaryHeader& binary, FileDescription& description);

/// Local. How the text header is encoded, with the evidence, and what in it is no text. `text` are its 3200 bytes.
void check_text(std::span<const std::byte, text_header_bytes> text, FileDescription& description);

/// Local. Errors: input, at `where`, if there is a critical finding: part of the file cannot be read.
void refuse_critical(const FileDescription& description, const Where& where);

/// Local. Errors: input, if any of the files has a finding of this grade or a worse one; all such findings are named.
void refuse_from(std::span<const FileDescription> files, Grade grade);

/// Local. Whether the file holds as many traces as its header states. A file that was cut where a trace ends shows it
/// in this number alone. Call it when `traces` is known. Source: SEG-Y rev 2.0, bytes 3513-3520.
void check_trace_count(FileDescription& description);

/// Local. Where the binary header states fewer than 50 us, and all of `traces` one interval at least 50 times as long,
/// takes that, with a finding.
void settle_interval(std::span<const SampledTraceHeader> traces, FileDescription& description);

/// Local. What the sampled trace headers state other than the description (whose samples and interval are those of the
/// binary header, if there is one), and scalars that are no legal ones.
void check_trace_headers(std::span<const SampledTraceHeader> traces, const BinaryHeader& binary,
                         FileDescription& description);

/// Local. Whether the standard allows a scalar of coordinates, elevations or times: 0 (as 1), or 1 to 10000 by powers
/// of ten, or their negatives. Source: SEG-Y rev 1, trace header bytes 69-72 and 215-216.
[[nodiscard]] bool is_legal_scalar(std::int64_t scalar);

}  // namespace sill::segy
