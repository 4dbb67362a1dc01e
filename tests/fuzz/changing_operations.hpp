// Operations that change a fuzzed survey: repair, edit, merge. Each throws Error if it is refused, and std::logic_error
// for a fault.
#pragma once

#include <string>
#include <string_view>

#include "fuzz/survey_support.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::fuzz {

/// Local. Repairs the file in one of 256 ways. The output is read as stated and keeps its samples; that of a sound file
/// is the file; and it is sound: repairing it changes nothing.
void repair_file(const SurveyFile& file, unsigned way);

/// Local. Sets one word of some traces, into a new file and in a copy at `copy`. Nothing else changes.
void edit_file(const SurveyFile& file, const SurveyReader& reader, std::string_view condition, const std::string& copy);

/// Local. Merges the file and what one of 256 conversions makes of it at `converted`. The traces of the file are in the
/// output as they were, and so are the samples of those that kept their format.
void merge_with_converted(const SurveyFile& file, const SurveyReader& reader, unsigned form,
                          const std::string& converted);

}  // namespace sill::fuzz
