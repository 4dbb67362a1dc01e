// Running a flow: from files to a file, pass by pass.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sill/flow/run/pass_run.hpp"
#include "sill/flow/value/flow.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// How a flow is run.
struct FlowOptions {
  std::string output;                        ///< empty: nothing is written
  std::optional<segy::SampleFormat> format;  ///< default: that of the input
  segy::ConversionRules rules = {};
  NonFinite nonfinite = NonFinite::stop;
  bool history = true;   ///< lines in the text header, as far as there is room
  std::string scratch;   ///< folder of intermediate files; empty: that of the output
  bool dry_run = false;  ///< plan only
  /// Called on every rank with the plan, before anything is read; may be empty.
  std::function<void(const std::string& plan)> explain = {};
};

/// What a flow did.
struct FlowResult {
  std::int64_t traces_in = 0;
  std::int64_t traces_out = 0;
  std::int64_t samples_out = 0;  ///< of each trace
  std::int64_t bytes_out = 0;
  std::int64_t passes = 0;
  segy::ConversionAccount samples;
  std::int64_t zeroed = 0;  ///< samples of the input that were not finite
  std::vector<std::string> notes;
};

/// Collective. Applies `steps`, in the order in which they stand, to the survey of `reader`, and writes the result to
/// `options.output`, which appears when it is complete. Operations are divided into passes (plan_passes); what a later
/// pass reads is written to an unnamed file of IEEE floats in `scratch`. Order and bytes of the output depend neither
/// on ranks nor threads nor policy. Errors: usage, for steps that this survey rules out, an output that is an input, a
/// gather that does not fit; input and io, as the passes.
[[nodiscard]] FlowResult run_flow(const Resources& resources, const SurveyReader& reader,
                                  const std::vector<Step>& steps, const FlowOptions& options);

}  // namespace sill::flow
