// Distinguishes a file that was cut at its end from a file in which bytes are missing, or were inserted, before its
// end.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Local. Returns the reason to doubt that the trace headers of a file are at their expected positions, or an empty
/// text. `reader` has one file with traces; `rest`, which is not a complete trace, follows its last complete trace. If
/// bytes are missing before the end, later headers are at positions counted from the end of the file, all with the same
/// displacement. Therefore both positions are scored, for up to 19 traces and the traces after them, by words whose
/// values are known or bounded. If `is_cut`, `rest` is the beginning of a trace, and it is also a reason if the headers
/// support neither position. Otherwise `rest` contains zeros, and the last header that is not all zero must be like the
/// first ones (HeaderProof). If lengths differ, nothing can be counted from the end: the headers found must be no worse
/// than the first. Errors: io. Sources: SEG-Y rev 1, trace header bytes 1-8, 29-30, 69-72, 89-90, 115-118.
[[nodiscard]] std::string headers_out_of_place(const SurveyReader& reader, std::span<const std::byte> rest,
                                               bool is_cut);

}  // namespace sill
