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

/// The output of a flow, as far as its plan depends on it.
struct PlannedOutput {
  std::string path;  ///< a file or a pattern; empty if there is none
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  bool is_scaled = false;                        ///< samples are scaled behind the last pass
  std::optional<PermutationMethod> sort_method;  ///< as of PassOptions
};

/// Local. Returns a paragraph for each pass: its operations, the most that it reads and writes, its memory, and the
/// reasons for its methods.
[[nodiscard]] std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                         std::span<const Pass> passes, const PlannedOutput& output);

}  // namespace sill::flow
