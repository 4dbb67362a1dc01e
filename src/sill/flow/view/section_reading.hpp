// Reading a section of a survey.
#pragma once

#include "sill/flow/view/section.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow::view {

/// Local. Reads the headers and samples of the shown traces, and of `other`, unless it is nullptr, the same traces:
/// then there are three panels, of both and of their difference, and the clip is that of the first. Reads whole traces
/// one after another and keeps `max_rows` values of each: of the samples of a row the one of the largest magnitude,
/// with its sign; of a row with a sample that is not finite, that one. Precondition: `require_sample_format` of the
/// readers. Errors: usage, also if no sample lies in the window, or if the files cannot be compared; io; input.
[[nodiscard]] Section read_section(const SurveyReader& reader, const SurveyReader* other,
                                   const SectionRequest& request);

}  // namespace sill::flow::view
