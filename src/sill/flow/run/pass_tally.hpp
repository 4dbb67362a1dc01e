// The counts of a pass: enough to conclude it, also in a run that resumes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/flow/operation/trace_codes.hpp"
#include "sill/formats/segy/samples/conversion.hpp"

namespace sill::flow {

/// Counts of traces, of one thread, of one rank, or of all.
struct PassTally {
  segy::ConversionAccount decoded;
  segy::ConversionAccount encoded;
  std::int64_t nonfinite_traces = 0;       ///< changed ones, written so
  std::int64_t zeroed_words = 0;           ///< of headers, that were not finite
  bool met_signal = false;                 ///< a sample that is not 0
  bool wrote_signal = false;               ///< likewise
  std::vector<std::int64_t> taken = {};    ///< traces, by each operation of the flow
  std::vector<TraceCodes> auxiliary = {};  ///< traces that it did not take
  std::vector<std::int64_t> counted = {};  ///< by operations: `Operation::counts`, of one after another

  /// Local. Adds the counts of other traces.
  void add(const PassTally& other);
  /// Collective. The counts of all ranks.
  [[nodiscard]] PassTally of_all(Communicator& comm) const;

  /// Local. The counts as numbers, and back.
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] static PassTally from(std::span<const double> numbers);
};

}  // namespace sill::flow
