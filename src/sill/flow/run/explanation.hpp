// The plan of a flow, as text.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "sill/choose/permutation_method.hpp"
#include "sill/flow/plan/pass.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Local. The sample format between `pass`, which is not the last, and the next: that of the input until an operation
/// changes samples, then IEEE floats.
[[nodiscard]] segy::SampleFormat format_after(const BoundFlow& flow, const Pass& pass, const SurveyReader& reader);

/// Local. Returns a paragraph for each pass: its operations, the most that it reads and writes, its memory, and the
/// reasons for its methods. `format`: of the samples of the output; `output`: its file or pattern, empty if there is
/// none; `is_scaled`: they are scaled at the end; `sort_method` as of PassOptions.
[[nodiscard]] std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                         std::span<const Pass> passes, segy::SampleFormat format,
                                         const std::string& output, bool is_scaled,
                                         std::optional<PermutationMethod> sort_method);

}  // namespace sill::flow
