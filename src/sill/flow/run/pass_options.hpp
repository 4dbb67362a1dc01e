// The settings of a pass that are not in the flow, and its results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/choose/permutation_method.hpp"
#include "sill/flow/run/flow_output.hpp"
#include "sill/flow/run/resumable_output.hpp"

namespace sill::flow {

/// The output of a pass, and settings that are not in the flow.
struct PassOptions {
  const SurveyReader* input = nullptr;  ///< of the flow: the output gets its headers and its revision
  std::string output;                   ///< empty: nothing is written
  FileUse use = FileUse::output;
  PartFile* part = nullptr;  ///< see SurveyWriter
  /// The finished items of the output, whose part file is `part`; nullptr: no later run can resume this one.
  ResumableOutput* resumed = nullptr;
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  segy::ConversionRules rules = {};  ///< rules for samples that the format cannot hold
  NonFinite nonfinite = NonFinite::stop;
  FlowHistory history = {};
  /// The method to read traces in an order that differs from the input order: directly from their positions (gather),
  /// or by means of sorted runs (buckets), which are written next to `scratch_target`. Empty: the method with the
  /// shorter estimated time, or gather if there is no space for runs.
  std::optional<PermutationMethod> sort_method = {};
  std::string scratch_target = {};
  std::string stage_prefix = {};  ///< prefix of the names of the pass's stages, "pass 2 of 3: "
};

/// The results of a pass.
struct PassResult {
  std::int64_t traces_out = 0;
  std::int64_t bytes_out = 0;
  segy::ConversionAccount samples;  ///< conversion of the output's samples
  std::int64_t zeroed = 0;          ///< number of input samples that were not finite
  std::vector<std::string> notes;
  segy::Assumptions assume;  ///< with which the output is read
};

}  // namespace sill::flow
