// Traces of a pass by way of a file of sorted runs, where reading them where they lie would take longer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/choose/permutation_method.hpp"
#include "sill/flow/run/trace_order.hpp"
#include "sill/survey/sort/runs_file.hpp"

namespace sill::flow {

/// Collective. Returns true if reading the traces of `order` from sorted runs, which are written first, is estimated to
/// take less time than reading them where they lie: never if the survey, of which `facts` are (facts_of), stays cached.
/// Headers have been read in any case. The same on all ranks. Precondition: no neighbours in `order`.
[[nodiscard]] bool are_runs_faster(Communicator& comm, PermutationFacts facts, const TraceOrder& order);

/// The traces of a pass, read from sorted runs: any stretch of the order is a stretch of every run.
class SortedRuns {
 public:
  /// Collective. Reads the survey once and writes it beside `target`. Takes 8 bytes per trace, and as much once more
  /// while it works, beside the memory of a rank. Precondition: traces of one length, no neighbours in `order`. Errors:
  /// as RunsFile.
  SortedRuns(const Resources& resources, const SurveyReader& reader, const TraceOrder& order, const std::string& target,
             AfterReading inputs_after);

  /// Local. Reads traces of this rank's, from 0 in the order; from any thread. Errors: io.
  void read(ItemRange own, std::span<std::byte> into);

 private:
  // Lets the system fetch the traces of a window, piece by piece of each run.
  void prefetch(std::int64_t window) const;
  [[nodiscard]] std::span<const std::int64_t> places_of(ItemRange own) const;

  RunsFile file_;
  std::vector<std::int64_t> places_;  // in the file, of this rank's traces
  std::int64_t window_traces_;
  std::atomic<std::int64_t> next_window_{1};  // to be prefetched
};

}  // namespace sill::flow
