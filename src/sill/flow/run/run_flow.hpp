// Runs a flow from files to a file, pass by pass.
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
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/select/split.hpp"

namespace sill::flow {

/// Options for running a flow.
struct FlowOptions {
  /// Empty: nothing is written. With placeholders `{KEY}`: one file for each value of the keys, as `split`.
  std::string output;
  std::vector<std::string> others = {};      ///< other files that no output of a pattern may replace
  std::optional<segy::SampleFormat> format;  ///< default: input format
  segy::ConversionRules rules = {};
  SampleScale scale = {};  ///< scale of the output's samples
  NonFinite nonfinite = NonFinite::stop;
  /// The user's header map and rules; they also apply to the other surveys that operations read (OtherSurvey).
  const segy::HeaderMap* map = nullptr;
  InputRules input_rules = {};
  bool takes_auxiliary = false;  ///< traces that are not seismic data are processed, too (DeadTraces)
  History history = History::text;
  std::optional<PermutationMethod> sort_method = {};  ///< see PassOptions; neighbours are read from their positions
  std::string scratch;                                ///< folder of intermediate files; empty: folder of the output
  /// The finished items of the output remain if the run is interrupted, and the items of an interrupted run are reused
  /// (ResumableOutput).
  bool resume = false;
  bool dry_run = false;  ///< plan only
  /// Called on every rank with the plan, before anything is read. May be empty.
  std::function<void(const std::string& plan)> explain = {};
};

/// The results of a flow.
struct FlowResult {
  std::int64_t traces_in = 0;
  std::int64_t traces_out = 0;
  std::int64_t samples_out = 0;  ///< per trace
  std::int64_t bytes_out = 0;
  std::int64_t passes = 0;
  segy::ConversionAccount samples;
  std::int64_t zeroed = 0;  ///< number of non-finite samples of the input, or of the output if its format cannot store
                            ///< them, that were set to 0
  std::vector<std::string> notes;
  std::vector<SplitFile> files;  ///< files written for a pattern with placeholders
};

/// Collective. Applies `steps`, in their order, to the survey of `reader`, and writes the result to `options.output`,
/// which gets its name when it is complete. With a scale or a pattern, the result is first written to an unnamed file
/// in `scratch`, and then converted by `convert` or divided by `split`. Operations are divided into passes
/// (plan_passes). The input of a later pass is written to an unnamed file in `scratch`, in the input's sample format
/// until an operation changes samples, then as IEEE floats. Order and bytes of the output do not depend on ranks,
/// threads or policy. A run that resumes an interrupted one performs all passes except the last again. Errors: usage,
/// for steps that are invalid for this survey, an output that is an input, a gather that does not fit, an output that
/// cannot be resumed; input and io, as in the passes; errors of `convert`, `split` and ResumableOutput.
[[nodiscard]] FlowResult run_flow(const Resources& resources, const SurveyReader& reader,
                                  const std::vector<Step>& steps, const FlowOptions& options);

}  // namespace sill::flow
