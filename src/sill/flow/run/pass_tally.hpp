// The counts of a pass: all that is needed to finish it, also in a run that resumes it. Notes about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/flow/operation/trace_codes.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/pass_options.hpp"
#include "sill/formats/segy/description/interval_word.hpp"
#include "sill/formats/segy/samples/conversion.hpp"

namespace sill::flow {

/// Counts of traces, per thread, per rank, or for all ranks.
struct PassTally {
  segy::ConversionAccount decoded;
  segy::ConversionAccount encoded;
  std::int64_t nonfinite_traces = 0;       ///< traces that were written with non-finite samples
  std::int64_t zeroed_words = 0;           ///< header words that were not finite
  std::int64_t cleared_mutes = 0;          ///< traces whose mute times were set to 0
  segy::OtherIntervals other_intervals;    ///< traces whose headers state another interval than the one that is used
  bool met_signal = false;                 ///< a sample that is not 0 was read
  bool wrote_signal = false;               ///< a sample that is not 0 was written
  std::vector<std::int64_t> taken = {};    ///< number of traces processed, by operation of the flow
  std::vector<TraceCodes> auxiliary = {};  ///< traces that each operation skipped
  std::vector<std::int64_t> counted = {};  ///< `Operation::counts` of all operations, concatenated

  /// Local. Adds the counts of other traces.
  void add(const PassTally& other);
  /// Collective. Returns the sums over all ranks.
  [[nodiscard]] PassTally of_all(Communicator& comm) const;

  /// Local. Return the counts as numbers; the counts that `numbers` returned.
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] static PassTally from(std::span<const double> numbers);
};

/// Local. Returns a note about the number of samples that were lost when they were read as floats.
[[nodiscard]] std::string note_of_lost(std::int64_t samples);

/// Collective. Adds notes about `tally`, the counts of all ranks, and the reports of operations to `result`, which
/// states the number of traces. Errors: input, if an operation processed no trace because none is seismic data, or if
/// too many samples became 0 in the format of the output; errors of Operation::report.
void report_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                 const PassOptions& options, const PassTally& tally, PassResult& result);

}  // namespace sill::flow
