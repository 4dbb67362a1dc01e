// The cost of a collective access with a policy: counts that follow from the domains of files, and seconds computed
// from the counts.
#pragma once

#include <string>

#include "sill/choose/file_system_costs.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

/// Relative error of an estimate.
inline constexpr double estimate_error = 0.5;

/// Counts of the steps of an access, summed over all ranks.
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
  double requests_s = 0;   ///< seconds in requests to files, without openings; maximum over the ranks
  const char* bound = "";  ///< the limiting factor, as text
};

/// The estimated cost of one candidate.
struct PolicyEstimate {
  Policy policy = {};
  AccessCost cost = {};
};

/// Local. Returns the cost of `access` with `policy`, without performing I/O or sending messages; docs/auto.md lists
/// the formulas. The time and memory of this computation are proportional to the ranks and the domains of each file.
/// Precondition: no axis of `policy` is automatic.
[[nodiscard]] AccessCost cost_of(const Policy& policy, const Access& access, const FileSystemCosts& costs);

}  // namespace sill
