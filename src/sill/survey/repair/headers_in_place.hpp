// Telling a file that was cut at its end from one in which bytes are missing, or were inserted, before its end.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Local. Of the one file of `reader`, which has traces, and whose last whole trace is followed by `rest`, which is no
/// whole trace: why its trace headers cannot be trusted to lie where they are looked for, or empty. Where bytes are
/// missing before the end, later headers lie where one counts to from the end of the file, all displaced alike; so both
/// places are weighed, of up to 19 traces and those after them, by words whose values are known or bounded. `is_cut`:
/// `rest` is part of a trace, and a file whose headers speak for neither place is no answer; else it is zeros, and the
/// last header that is not zero itself must be like the first ones (HeaderProof). Where lengths differ nothing can be
/// counted from the end: the headers that are there must be no worse than the first. Errors: io. Sources: SEG-Y rev 1,
/// trace header bytes 1-8, 29-30, 69-72, 89-90, 115-118.
[[nodiscard]] std::string headers_out_of_place(const SurveyReader& reader, std::span<const std::byte> rest,
                                               bool is_cut);

}  // namespace sill
