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

/// Local. Returns the sample format between `pass`, which is not the last, and the next pass: the input format until an
/// operation changes samples, then IEEE float.
[[nodiscard]] segy::SampleFormat format_after(const BoundFlow& flow, const Pass& pass, const SurveyReader& reader);

/// The properties of a flow's output on which its plan depends.
struct PlannedOutput {
  std::string path;  ///< a file or a pattern; empty if there is none
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  bool is_scaled = false;                        ///< samples are scaled after the last pass
  std::optional<PermutationMethod> sort_method;  ///< see PassOptions
};

/// Local. Returns a paragraph for each pass: its operations, the maximum that it reads and writes, its memory, and the
/// reasons for its methods.
[[nodiscard]] std::string explanation_of(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                         std::span<const Pass> passes, const PlannedOutput& output);

}  // namespace sill::flow
