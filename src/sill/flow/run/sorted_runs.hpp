// Traces of a pass by way of a file of sorted runs, where reading them where they lie would take longer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/run/trace_order.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Collective. Returns true if reading the traces of `order` from sorted runs, which are written first, is estimated to
/// take less time than reading them where they lie: never if the system can keep the survey cached. The same on all
/// ranks. Precondition: no neighbours in `order`.
[[nodiscard]] bool are_runs_faster(const Resources& resources, const SurveyReader& reader, const TraceOrder& order);

/// The survey in an unnamed file, in runs each of which is in the order of a pass, so that any stretch of that order is
/// a stretch of every run (permute/runs.hpp).
class SortedRuns {
 public:
  /// Collective. Reads the survey once and writes it beside `target`, in runs of what the memory of a rank holds. Takes
  /// 8 bytes a trace beside it. Precondition: traces of one length, no neighbours in `order`. Errors: io.
  SortedRuns(const Resources& resources, const SurveyReader& reader, const TraceOrder& order,
             const std::string& target);

  /// Local. Reads traces of this rank's, from 0 in the order; from any thread. Errors: io.
  void read(ItemRange own, std::span<std::byte> into);

 private:
  // Lets the system fetch the traces of a window, piece by piece of each run.
  void prefetch(std::int64_t window) const;
  [[nodiscard]] std::span<const std::int64_t> places_of(ItemRange own) const;

  Resources resources_;
  OutputFile file_;  // never gets its name
  std::shared_ptr<Store> handle_;
  InputItems items_;
  std::vector<std::int64_t> places_;  // in the file, of this rank's traces
  std::int64_t window_traces_ = 1;
  std::atomic<std::int64_t> next_window_{1};  // to be prefetched
};

}  // namespace sill::flow
