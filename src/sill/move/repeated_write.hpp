// The last write of a mover. The next may be the same further on in the files, as those of a time loop are: then what
// was agreed on and planned still holds (docs/adr/0019-the-last-write-again.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/move/access_lists.hpp"
#include "sill/move/policy/decision.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/schedule.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// A write of more extents, or parts of them, than this is planned anew each time.
inline constexpr std::size_t max_cached = 1 << 16;

/// How the bytes of a write get into its requests.
enum class WriteWay {
  direct,  ///< straight from memory, without a stage
  again,   ///< through stages, by the rounds of the write before
  copied,  ///< through stages, filled when the call returns
  /// Through stages that background threads fill with this rank's bytes, except those of encoders that only the caller
  /// may call.
  lent,
  jobs,  ///< the same, but the caller fills none of them
};

struct LastWrite {
  bool is_known = false;  ///< this rank has all of it cached
  bool is_direct = false;
  AccessPlan plan;  ///< where the rounds have it, in the memory of the last write
  std::vector<AccessSummary> summaries;
  Decision decision;
  PlansOfOthers others;                             ///< where this rank performs their requests
  std::vector<OwnedPlan> of_others;                 ///< the same
  std::optional<std::vector<PlannedRound>> rounds;  ///< of bytes that were copied

  /// Local. Returns how much further on `mine` is, if that is all it differs in and `way` (not `again`) can use what is
  /// cached. Requests of aligned files keep their alignment; rounds of lent memory are planned where the last ones
  /// were.
  [[nodiscard]] std::optional<std::int64_t> distance_to(const AccessPlan& mine, WriteWay way) const;
};

}  // namespace sill
