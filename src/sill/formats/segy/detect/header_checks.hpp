// Checks of the headers of a file against the standard.
#pragma once

#include <cstdint>
#include <span>

#include "sill/base/error.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/words/binary_header.hpp"

namespace sill::segy {

/// Local. Adds findings about unusual values in the binary header that do not prevent reading the file.
void check_binary_header(const BinaryHeader& binary, FileDescription& description);

/// Local. Adds the encoding of the text header as evidence, and findings about bytes that are not text. `text` is the
/// text header of 3200 bytes.
void check_text(std::span<const std::byte, text_header_bytes> text, FileDescription& description);

/// Local. Throws Error(input), with the location `where`, if there is a critical finding: a portion of the file cannot
/// be read.
void refuse_critical(const FileDescription& description, const Where& where);

/// Local. Throws Error(input) if any of the files has a finding of this grade or a worse one; the error lists the
/// findings, at most 100 of them.
void refuse_from(std::span<const FileDescription> files, Grade grade);

/// Local. Adds a finding if the number of traces in the file differs from the number that its header states. Only this
/// number reveals that a file was truncated at the end of a trace. Precondition: `traces` is known. Source: SEG-Y rev
/// 2.0, bytes 3513-3520.
void check_trace_count(FileDescription& description);

/// Local. Replaces the interval, with a finding, if the binary header states less than 50 us and all of `traces` state
/// the same interval, at least 50 times as long.
void settle_interval(std::span<const SampledTraceHeader> traces, FileDescription& description);

/// Local. Adds findings about sampled trace headers that contradict the description (whose samples and interval are
/// assumed or from the binary header, if there is one), and about invalid scalars.
void check_trace_headers(std::span<const SampledTraceHeader> traces, const BinaryHeader& binary,
                         const Assumptions& assume, FileDescription& description);

/// Local. Returns true if the standard allows a scalar of coordinates, elevations or times: 0 (treated as 1), the
/// powers of ten from 1 to 10000, and their negatives. Source: SEG-Y rev 1, trace header bytes 69-72 and 215-216.
[[nodiscard]] bool is_legal_scalar(std::int64_t scalar);

}  // namespace sill::segy
