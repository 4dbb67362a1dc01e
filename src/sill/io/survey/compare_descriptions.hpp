// Checks whether a written file is read with the same properties as its source.
#pragma once

#include <functional>
#include <string>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the first difference between the description of a file as read and as intended, such as "the byte
/// order would be little instead of big", or "" if there is none. Compares critical findings, for which readers reject
/// the file; the format, byte order, sample format and headers; and the position, length and number of traces. If
/// lengths vary, neither the lengths of individual traces nor their number are compared.
[[nodiscard]] std::string reading_difference(const segy::FileDescription& meant, const segy::FileDescription& found);

/// A function like `reading_difference`.
using ReadingDifference =
    std::function<std::string(const segy::FileDescription& meant, const segy::FileDescription& found)>;

/// Collective. Describes the file at `path` again, under assumptions and whether or not it has a journal. Returns the
/// result of `difference`, or the reason why the file is rejected, or "". If the traces of `meant` have one length and
/// the file does not guarantee that, all trace headers are read. Errors: io.
[[nodiscard]] std::string reading_problem(const Resources& resources, const std::string& path,
                                          const segy::Assumptions& assume, const segy::FileDescription& meant,
                                          const ReadingDifference& difference);

/// Collective. Describes the file at `path` again, under the assumptions used for `before`. Words of trace headers are
/// evidence for the properties of a file, so a change of words can change how it is read. Errors: input for the file
/// `reported` if `reading_difference` finds a difference, or if the file cannot be read; io.
void require_same_reading(const Resources& resources, const segy::FileDescription& before,
                          const segy::Assumptions& assume, const std::string& path, const std::string& reported);

}  // namespace sill
