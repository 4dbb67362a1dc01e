// Who performs the requests of one access to files, and how: the whole decision, as one pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/schedule.hpp"

namespace sill {

/// What a decision depends on beside the policy and what ranks hold; the same on all ranks.
struct DecisionLimits {
  std::int64_t stage_bytes = 0;  ///< of a stage, where the decision is for one
  std::int64_t align_bytes = 1;
  Topology topology = {};  ///< with a node for each rank; a rank alone sends nothing
};

/// What a rank does in one access. Files of `together` are moved by collective calls of MPI-IO. Of the others, each
/// rank performs its own requests, or ranks send each other bytes in rounds and those of `writers` perform them.
struct Decision {
  Policy policy = {};
  std::int64_t align_bytes = 1;
  /// Ranks send each other bytes. If not, `writers` is this rank at most, for requests through a stage.
  bool exchanges = false;
  std::vector<AccessSummary> together = {};  ///< of all ranks, with Call::mpiio_collective
  std::vector<WriterWindows> writers = {};   ///< this rank, and those that bytes of its files go to or come from
  bool cuts_files = false;                   ///< boundaries of domains or windows lie within files
};

/// Local. The decision for `rank`; those of all ranks fit together. `summaries`: of all ranks, ascending by (file,
/// rank). `election`: of the calls before, equal on all ranks; it is carried on. Takes time and memory in proportion
/// to the summaries; what it returns, to the domains of this rank and of its peers. Precondition: no axis of `policy`
/// is automatic.
[[nodiscard]] Decision decide(const Policy& policy, int rank, std::span<const AccessSummary> summaries,
                              const DecisionLimits& limits, Election& election);

/// Local. The decision on files that `rank` alone reads or writes, whatever the policy's writers.
[[nodiscard]] Decision decide_alone(Policy policy, std::span<const AccessSummary> own, const DecisionLimits& limits);

}  // namespace sill
