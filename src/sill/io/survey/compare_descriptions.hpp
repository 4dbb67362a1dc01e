// Whether a file that was written is read as the one it came from.
#pragma once

#include <functional>
#include <string>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the first difference between a file as it is read and as it was meant, such as "the byte order would
/// be little instead of big", or "" if there is none. Compares critical findings, for which readers refuse the file,
/// the format, byte order, sample format and headers, and the place, length and number of traces. If lengths vary,
/// neither the lengths of single traces nor their number are compared.
[[nodiscard]] std::string reading_difference(const segy::FileDescription& meant, const segy::FileDescription& found);

/// As `reading_difference`.
using ReadingDifference =
    std::function<std::string(const segy::FileDescription& meant, const segy::FileDescription& found)>;

/// Collective. Describes the file at `path` anew, whether or not it has a journal, under assumptions: what `difference`
/// returns, or why the file is refused, or "". If traces of `meant` have one length and the file does not promise
/// that, all trace headers are read. Errors: io.
[[nodiscard]] std::string reading_problem(const Resources& resources, const std::string& path,
                                          const segy::Assumptions& assume, const segy::FileDescription& meant,
                                          const ReadingDifference& difference);

/// Collective. Describes the file at `path` anew, under the assumptions that `before` was made under. Errors: input, of
/// `reported`, if `reading_difference` finds one, or if it cannot be read at all: words of trace headers are evidence
/// of what a file is; io.
void require_same_reading(const Resources& resources, const segy::FileDescription& before,
                          const segy::Assumptions& assume, const std::string& path, const std::string& reported);

}  // namespace sill
