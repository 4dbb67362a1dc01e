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
  Topology topology = {};
};

/// What a rank does in one access. Files of `together` are moved by collective calls of MPI-IO. Of the others, each
/// rank performs its own requests, or ranks send each other bytes in rounds and those of `writers` perform them.
struct Decision {
  Policy policy = {};  ///< as it is carried out: never Writers::by_pieces
  /// Ranks send each other bytes. If not, `writers` is this rank at most, for requests through a stage.
  bool exchanges = false;
  std::vector<AccessSummary> together = {};  ///< of all ranks, with Call::mpiio_collective
  std::vector<WriterWindows> writers = {};   ///< this rank, and those that bytes of its files go to or come from
  bool cuts_files = false;                   ///< boundaries of domains or windows lie within files
};

/// Pieces that ranks interleave are small if they have fewer bytes on average.
inline constexpr std::int64_t small_piece_bytes = 64 << 10;
/// The stage in which they are joined, if the policy names none: with larger ones the bytes leave a core's cache
/// before they are written.
inline constexpr std::int64_t joined_stage_bytes = 512 << 10;

/// Local. Returns true if in any file the bytes of ranks lie between each other's in small pieces. Precondition:
/// `summaries` ascend by (file, rank).
[[nodiscard]] bool do_small_pieces_interleave(std::span<const AccessSummary> summaries);

/// Local. The decision for `rank`; those of all ranks fit together. `summaries`: of all ranks, ascending by (file,
/// rank). `election`: of the calls before, equal on all ranks; it is carried on. Takes time and memory in proportion
/// to the summaries; what it returns, to the domains of this rank and of its peers.
[[nodiscard]] Decision decide(const Policy& policy, int rank, std::span<const AccessSummary> summaries,
                              const DecisionLimits& limits, Election& election);

/// Local. The decision on files that `rank` alone reads or writes, whatever the policy's writers.
[[nodiscard]] Decision decide_alone(Policy policy, std::span<const AccessSummary> own, const DecisionLimits& limits);

}  // namespace sill
