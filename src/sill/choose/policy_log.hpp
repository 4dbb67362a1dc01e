// Which policies were chosen for an output, phase by phase, and why.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "sill/move/policy/policy.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Accesses in a row with one policy.
struct ChosenPolicy {
  Operation operation = Operation::write;
  std::int64_t first = 0;  ///< its number among the accesses of its kind, from 1
  std::int64_t count = 0;
  Policy policy = {};
  bool is_trial = false;
  std::string why;

  [[nodiscard]] std::int64_t last() const { return first + count - 1; }
};

/// Several threads may add.
class PolicyLog {
 public:
  /// Local. One more access with `policy`, on trial or for good; `why` is called if that differs from the one before.
  void add(Operation operation, const Policy& policy, bool is_trial, const std::function<std::string()>& why);
  /// Local. Accesses in their order, those in a row with one policy together; of more than `max_lines` the first.
  [[nodiscard]] std::vector<ChosenPolicy> lines() const;
  /// Local. What most writes had, or reads if there were no writes, and why, in a line; empty if nothing was chosen.
  [[nodiscard]] std::string summary() const;

  static constexpr std::size_t max_lines = 1000;

 private:
  mutable std::mutex mutex_;
  std::vector<ChosenPolicy> lines_;
  std::int64_t counts_[2] = {0, 0};
};

}  // namespace sill
