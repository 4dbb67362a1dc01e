// From what all ranks want to what one rank does: a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/move/policy.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Bytes that go to another rank from this rank's memory, or come from it into this rank's stage.
struct Passage {
  int peer = 0;
  ByteRange bytes;  ///< of the memory when sent, of the stage when received

  friend constexpr bool operator==(const Passage&, const Passage&) = default;
};

/// This rank's own bytes on their way through its stage.
struct StageCopy {
  std::int64_t memory_offset_bytes = 0;
  ByteRange stage;

  friend constexpr bool operator==(const StageCopy&, const StageCopy&) = default;
};

/// A contiguous run of a file to be moved from (or to) `memory` or the stage.
struct FileRequest {
  int file = 0;
  std::int64_t offset_bytes = 0;
  bool staged = false;
  ByteRange memory;  ///< of the stage if `staged`, else of the caller's memory

  friend constexpr bool operator==(const FileRequest&, const FileRequest&) = default;
};

/// What a rank does with one filling of the stages: for a write it sends, receives and copies, then performs the
/// requests; for a read the requests come first and everything runs backwards.
struct Round {
  std::vector<Passage> sends;
  std::vector<Passage> receives;
  std::vector<StageCopy> copies;
  std::vector<FileRequest> requests;
};

/// One rank's part of a collective access.
struct Schedule {
  std::vector<Round> rounds;
  std::int64_t stage_bytes = 0;  ///< the stage this rank needs
};

/// Local. What rank `rank` does so that the accesses of all ranks (`plans`, by rank) are performed as `policy` says.
/// Every passage meets its counterpart in the schedule of its peer, in the same order; ranks meet in the order of
/// (file, offset), so no cycle of waiting can arise. With overlapping extents (reads) the bytes go to every reader.
/// Errors: usage if plans for writing of different ranks overlap.
[[nodiscard]] Schedule schedule(std::span<const AccessPlan> plans, const Policy& policy, Operation operation, int rank);

}  // namespace sill
