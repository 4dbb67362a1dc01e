// Reads the traces of a pass from a file of sorted runs, if reading them from their positions would take longer.
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

/// Collective. Returns true if writing sorted runs and reading the traces of `order` from them is estimated to take
/// less time than reading the traces from their positions. Returns false if the survey, described by `facts`
/// (facts_of), stays cached. Assumes that headers have been read. The result is the same on all ranks. Precondition: no
/// neighbours in `order`.
[[nodiscard]] bool are_runs_faster(Communicator& comm, PermutationFacts facts, const TraceOrder& order);

/// The traces of a pass, read from sorted runs: the traces of any range of the order are consecutive in each run.
class SortedRuns {
 public:
  /// Collective. Reads the survey once and writes it to sorted runs next to `target`. Needs 8 bytes per trace, and 8
  /// more per trace during construction, in addition to the memory limit of a rank. Preconditions: traces of equal
  /// length, no neighbours in `order`. Errors: as RunsFile.
  SortedRuns(const Resources& resources, const SurveyReader& reader, const TraceOrder& order, const std::string& target,
             AfterReading inputs_after);

  /// Local. Reads traces of this rank, numbered from 0 in the order. Any thread may call it. Errors: io.
  void read(ItemRange own, std::span<std::byte> into);

 private:
  // Lets the system prefetch the traces of a window, piece by piece from each run.
  void prefetch(std::int64_t window) const;
  [[nodiscard]] std::span<const std::int64_t> places_of(ItemRange own) const;

  RunsFile file_;
  std::vector<std::int64_t> places_;  // positions of this rank's traces in the file
  std::int64_t window_traces_;
  std::atomic<std::int64_t> next_window_{1};  // the next window to prefetch
};

}  // namespace sill::flow
