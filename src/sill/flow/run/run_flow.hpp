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
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/select/split.hpp"

namespace sill::flow {

/// How a flow is run.
struct FlowOptions {
  /// Empty: nothing is written. With places `{KEY}`: a file for each value of the keys, as `split`.
  std::string output;
  std::vector<std::string> others = {};      ///< further files that no output of a pattern may replace
  std::optional<segy::SampleFormat> format;  ///< default: that of the input
  segy::ConversionRules rules = {};
  SampleScale scale = {};  ///< of the samples of the output
  NonFinite nonfinite = NonFinite::stop;
  /// What the user says of files: also of the other surveys that operations read (OtherSurvey).
  const segy::HeaderMap* map = nullptr;
  InputRules input_rules = {};
  bool takes_auxiliary = false;  ///< traces that are no seismic data take part, too (DeadTraces)
  History history = History::text;
  std::optional<PermutationMethod> sort_method = {};  ///< as of a pass; neighbours are read where they lie
  std::string scratch;                                ///< folder of intermediate files; empty: that of the output
  /// What is finished of the output stays if the run is interrupted, and is taken from a run that was
  /// (ResumableOutput).
  bool resume = false;
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
  std::int64_t zeroed = 0;  ///< samples of the input, or of the output whose format has no such, that were not finite
  std::vector<std::string> notes;
  std::vector<SplitFile> files;  ///< of a pattern
};

/// Collective. Applies `steps`, in the order in which they stand, to the survey of `reader`, and writes the result to
/// `options.output`, which appears when it is complete. Of a scale or a
/// pattern the result is written to an unnamed file in `scratch` first, and converted by `convert` or divided by
/// `split`. Operations are divided into passes (plan_passes); what a later pass reads is written to an unnamed file in
/// `scratch`, with the samples of the input until an operation changes them, then with IEEE floats. Order and bytes of
/// the output depend neither on ranks nor threads nor policy. A run that goes on with an interrupted one performs all
/// passes but the last again. Errors: usage, for steps that this survey rules out, an output that is an input, a gather
/// that does not fit, what cannot be resumed; input and io, as the passes; those of `convert`, `split` and
/// ResumableOutput.
[[nodiscard]] FlowResult run_flow(const Resources& resources, const SurveyReader& reader,
                                  const std::vector<Step>& steps, const FlowOptions& options);

}  // namespace sill::flow
