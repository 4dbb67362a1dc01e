// The last write of a mover. The next write may have the same extents, shifted, as in a time loop: its decision and
// rounds then remain valid (docs/adr/0019-the-last-write-again.md).
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

/// A write of more extents, or more parts, than this is planned every time.
inline constexpr std::size_t max_cached = 1 << 16;

/// The way in which the bytes of a write are passed to its requests.
enum class WriteWay {
  direct,  ///< directly from memory, without a stage
  again,   ///< through stages, by the rounds of the last write
  copied,  ///< through stages that are filled when the call returns
  /// Through stages that background threads fill with this rank's bytes, except the bytes of encoders that only the
  /// caller may call.
  lent,
  jobs,  ///< as `lent`, but the caller fills no stage
};

struct LastWrite {
  bool is_known = false;  ///< this rank has cached everything
  bool is_direct = false;
  AccessPlan plan;  ///< set if the rounds refer to it; its memory is the memory of the last write
  std::vector<AccessSummary> summaries;
  Decision decision;
  PlansOfOthers others;                             ///< extents of others whose requests this rank performs
  std::vector<OwnedPlan> of_others;                 ///< references to `others`
  std::optional<std::vector<PlannedRound>> rounds;  ///< rounds that write copied bytes; nullopt: not cached

  /// Local. Returns the distance by which `mine` is shifted, if the plans differ only in the offset and `way` (not
  /// `again`) can use the cached data. Requests of aligned files keep their alignment. Lent memory requires a distance
  /// of 0.
  [[nodiscard]] std::optional<std::int64_t> distance_to(const AccessPlan& mine, WriteWay way) const;
};

}  // namespace sill
