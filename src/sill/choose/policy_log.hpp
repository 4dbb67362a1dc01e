// The policies chosen for an output, phase by phase, and the reasons.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "sill/move/policy/policy.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Consecutive accesses with one policy.
struct ChosenPolicy {
  Operation operation = Operation::write;
  std::int64_t first = 0;  ///< number of the first access among all accesses of this operation, from 1
  std::int64_t count = 0;
  Policy policy = {};
  bool is_trial = false;
  std::string why;

  [[nodiscard]] std::int64_t last() const { return first + count - 1; }
};

/// A log of chosen policies. Several threads may add.
class PolicyLog {
 public:
  /// Local. Adds an access with `policy`; `is_trial` states whether the access was a trial. Calls `why` for the reason
  /// if the policy differs from the policy of the preceding access.
  void add(Operation operation, const Policy& policy, bool is_trial, const std::function<std::string()>& why);
  /// Local. Returns the accesses in their order, with one line for consecutive accesses of the same policy; at most the
  /// first `max_lines` lines.
  [[nodiscard]] std::vector<ChosenPolicy> lines() const;
  /// Local. Returns the policy of most writes, or of most reads if there were no writes, and the reason, in one line;
  /// empty if nothing was chosen.
  [[nodiscard]] std::string summary() const;

  static constexpr std::size_t max_lines = 1000;

 private:
  mutable std::mutex mutex_;
  std::vector<ChosenPolicy> lines_;
  std::int64_t counts_[2] = {0, 0};
};

}  // namespace sill
