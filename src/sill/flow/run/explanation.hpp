// What a flow is going to do, in words and numbers.
#pragma once

#include <span>
#include <string>

#include "sill/flow/plan/pass.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Local. A paragraph for each pass: its operations, what it reads and writes at most, its memory, and why it is as it
/// is. `format`: of the samples that the last pass writes, if it `writes` any.
[[nodiscard]] std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                         std::span<const Pass> passes, segy::SampleFormat format, bool writes);

}  // namespace sill::flow
