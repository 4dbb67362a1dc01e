// Performing one pass of a flow: reading traces, applying operations, writing what they make of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/choose/permutation_method.hpp"
#include "sill/flow/plan/pass.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/flow_output.hpp"
#include "sill/flow/run/header_numbers.hpp"
#include "sill/flow/run/resumable_output.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill::flow {

/// Where a pass writes to, and what it needs to know beside the flow.
struct PassOptions {
  std::string output;        ///< empty: nothing is written
  PartFile* part = nullptr;  ///< as of SurveyWriter
  /// What is finished of the output, whose part file `part` is; nullptr: nothing, and no other run is to go on with it.
  ResumableOutput* resumed = nullptr;
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  segy::ConversionRules rules = {};  ///< for samples that the format cannot hold
  NonFinite nonfinite = NonFinite::stop;
  FlowHistory history = {};
  /// How traces are read in an order that is not the input's: where they lie (gather), or by way of sorted runs
  /// (buckets), which are written beside `scratch_target`; empty: as is estimated to be faster, gather for want of
  /// room.
  std::optional<PermutationMethod> sort_method = {};
  std::string scratch_target = {};
  std::string stage_prefix = {};  ///< of the names of its stages, "pass 2 of 3: "
};

/// What a pass did.
struct PassResult {
  std::int64_t traces_out = 0;
  std::int64_t bytes_out = 0;
  segy::ConversionAccount samples;  ///< of the output
  std::int64_t zeroed = 0;          ///< samples of the input that were not finite
  std::vector<std::string> notes;
};

/// Collective. Performs `pass` of `flow` on the survey of `reader`. Headers are read first, if the pass scans; then
/// each trace that stays is read once. The output appears under its name when it is complete. Memory: what
/// `resources.memory()` allows for traces in flight, and a record of keys for each trace. Errors: usage, for a gather
/// that does not fit; io; the error that the operations, executed one after another, would meet first.
[[nodiscard]] PassResult run_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                  const Pass& pass, const PassOptions& options);

}  // namespace sill::flow
