// What a flow is going to do, in words and numbers.
#pragma once

#include <span>
#include <string>

#include "sill/flow/plan/pass.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Local. A paragraph for each pass: its operations, what it reads and writes, and why it is as it is.
[[nodiscard]] std::string explanation_of(std::span<const PlannedOperation> operations, std::span<const Pass> passes,
                                         const SurveyReader& reader);

}  // namespace sill::flow
