// What ranks agree on as a write begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

/// The maximum number of plans that one call writes, one after the other.
inline constexpr std::size_t max_plans_of_call = 2;

/// What the caller brings to a write, for ranks to agree on.
struct Opening {
  std::optional<Error> error = {};  ///< what this rank found wrong while it prepared the write
  std::int64_t equal = 0;           ///< must be the same on all ranks
  /// Returns the error to throw if `equal` differs.
  std::function<Error(std::int64_t min, std::int64_t max)> unequal = {};
  std::int64_t of_root = 0;  ///< all ranks receive that of rank 0
  bool is_unchanged = true;  ///< all ranks learn whether it is on every rank
};

/// What all ranks know of it once they have agreed.
struct Agreed {
  std::int64_t of_root = 0;
  bool is_unchanged = true;
};

/// How a plan lies to the last write in its place (LastWrite).
struct PlanRepeat {
  /// How much further on in the files it is, if that is all it differs in. An empty plan matches any distance.
  std::optional<std::int64_t> distance_bytes = {};
  bool is_empty = false;
};

/// How long a call took on this rank.
struct CallTime {
  std::int64_t total_ns = 0;
  std::int64_t requests_ns = 0;  ///< of writes to files, by several threads together, but at most the total
};

/// What the mover of a rank brings to the opening of a write.
struct MoverState {
  std::vector<PlanRepeat> plans = {};      ///< of the call; their number, at most max_plans_of_call, is that of all
  std::int64_t done = 0;                   ///< calls in flight whose requests are done, from the oldest without a gap
  std::optional<CallTime> last_call = {};  ///< of the write before; on all ranks or on none
};

/// The opening of a write as all ranks know it.
struct OpenedWrite {
  /// Of each plan, how much further on all ranks write what they last wrote in its place; nothing if any does not.
  std::vector<std::optional<std::int64_t>> distances_bytes;
  Agreed agreed;
  std::int64_t done = 0;               ///< the least of any rank
  std::optional<WriteTime> last_call;  ///< of the ranks that took longest
};

/// Collective. Agrees by one reduction. Errors: that of the lowest rank that brings one; what `unequal` returns.
[[nodiscard]] OpenedWrite agree_on_write(Communicator& comm, const Opening& opening, const MoverState& mine);

}  // namespace sill
