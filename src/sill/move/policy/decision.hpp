// Decides which rank performs the requests of one access to files, and how: the entire decision, as one pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/schedule.hpp"

namespace sill {

/// Values that a decision depends on in addition to the policy and the data that ranks hold; the same on all ranks.
struct DecisionLimits {
  std::int64_t stage_bytes = 0;  ///< size of a stage, if the decision uses one
  std::int64_t align_bytes = 1;
  Topology topology = {};  ///< has one node per rank; a single rank sends nothing
};

/// The work of one rank in one access. Files of `together` are accessed by collective calls of MPI-IO. For the other
/// files, each rank performs its own requests, or ranks send each other bytes in rounds and the ranks of `writers`
/// perform the requests.
struct Decision {
  Policy policy = {};
  std::int64_t align_bytes = 1;
  /// Ranks send each other bytes. If false, `writers` contains at most this rank, for requests through a stage.
  bool exchanges = false;
  std::vector<AccessSummary> together = {};  ///< summaries of all ranks, for files accessed with Call::mpiio_collective
  std::vector<WriterWindows> writers = {};   ///< this rank, and its peers for messages
  bool cuts_files = false;                   ///< boundaries of domains or windows are inside files
};

/// Local. Returns the decision for `rank`; the decisions of all ranks are consistent. `summaries`: of all ranks,
/// ascending by (file, rank). `election`: the result of earlier calls, equal on all ranks; it is updated. Time and
/// memory are proportional to the number of summaries; the size of the result is proportional to the number of domains
/// of this rank and of its peers. Precondition: no axis of `policy` is automatic.
[[nodiscard]] Decision decide(const Policy& policy, int rank, std::span<const AccessSummary> summaries,
                              const DecisionLimits& limits, Election& election);

/// Local. Returns the decision on files that only `rank` reads or writes, regardless of the policy's writers.
[[nodiscard]] Decision decide_alone(Policy policy, std::span<const AccessSummary> own, const DecisionLimits& limits);

}  // namespace sill
