// What a collective access costs by a policy: counts that follow from the domains of files, and seconds from these.
#pragma once

#include <string>

#include "sill/choose/file_system_costs.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

/// An estimate may be wrong by so much of itself.
inline constexpr double estimate_error = 0.5;

/// Of all ranks together.
struct AccessCounts {
  double opens = 0;
  double requests = 0;
  double messages = 0;
  double message_bytes = 0;
  double copied_bytes = 0;
};

struct AccessCost {
  AccessCounts counts = {};
  double seconds_s = 0;
  double requests_s = 0;   ///< in requests to files, openings left out, of the rank with most of that
  const char* bound = "";  ///< what takes that long, in words
};

/// What one candidate would cost.
struct PolicyEstimate {
  Policy policy = {};
  AccessCost cost = {};
};

/// Local. What `access` costs by `policy`, without I/O and messages: docs/auto.md has the formulas. Takes time, and
/// memory, in proportion to the ranks and the domains of each file. Precondition: no axis of `policy` is automatic.
[[nodiscard]] AccessCost cost_of(const Policy& policy, const Access& access, const FileSystemCosts& costs);

}  // namespace sill
