// The values that ranks agree on when a write begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

/// The maximum number of plans that one call writes, one after another.
inline constexpr std::size_t max_plans_of_call = 3;

/// The values that the caller passes to a write, for ranks to agree on.
struct Opening {
  std::optional<Error> error = {};  ///< error of this rank while it prepared the write
  std::int64_t equal = 0;           ///< must be the same on all ranks
  /// Returns the error to throw if `equal` differs.
  std::function<Error(std::int64_t min, std::int64_t max)> unequal = {};
  std::int64_t of_root = 0;  ///< all ranks receive the value of rank 0
  bool is_unchanged = true;  ///< all ranks learn whether it is true on every rank
};

/// The agreed values, which all ranks know.
struct Agreed {
  std::int64_t of_root = 0;
  bool is_unchanged = true;
};

/// Compares a plan with the last write of the same position in a call (LastWrite).
struct PlanRepeat {
  /// The distance by which the plan is shifted in the files, if the plans differ only in this. An empty plan matches
  /// any distance.
  std::optional<std::int64_t> distance_bytes = {};
  bool is_empty = false;
};

/// The duration of a call on this rank.
struct CallTime {
  std::int64_t total_ns = 0;
  std::int64_t requests_ns = 0;  ///< sum of the times of all threads in writes to files, at most the total
};

/// The values that the mover of a rank passes to the opening of a write.
struct MoverState {
  std::vector<PlanRepeat> plans = {};      ///< plans of the call; the number of plans is the same on all ranks
  std::int64_t done = 0;                   ///< number of calls that are done, counted from the oldest without a gap
  std::optional<CallTime> last_call = {};  ///< duration of the previous write; set on all ranks or on none
};

/// What the ranks agreed on when a write began; the same on all ranks.
struct OpenedWrite {
  /// For each plan, the distance by which all ranks shift their last plan of the same position in a call; nullopt if
  /// any rank's plan is not a shifted repetition.
  std::vector<std::optional<std::int64_t>> distances_bytes;
  Agreed agreed;
  std::int64_t done = 0;                      ///< the minimum of MoverState::done over all ranks
  std::optional<WriteTime> last_call;         ///< the longest times of MoverState::last_call of all ranks
  std::vector<AccessSummary> summaries = {};  ///< of the first plan, of all ranks, if it is in closed form (PlanOfRank)
};

/// Collective. Agrees on the values of `opening` and `mine` with one reduction. Errors: the error of the lowest rank
/// that has one; the error that `unequal` returns.
[[nodiscard]] OpenedWrite agree_on_write(Communicator& comm, const Opening& opening, const MoverState& mine);

}  // namespace sill
