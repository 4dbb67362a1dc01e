#include "sill/choose/policy_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/units.hpp"

namespace sill {

void PolicyLog::add(Operation operation, const Policy& policy, bool is_trial, const std::function<std::string()>& why) {
  const std::lock_guard lock(mutex_);
  const std::int64_t number = ++counts_[operation == Operation::write ? 0 : 1];
  const auto last = std::find_if(lines_.rbegin(), lines_.rend(),
                                 [&](const ChosenPolicy& each) { return each.operation == operation; });
  if (last != lines_.rend() && last->policy == policy && last->is_trial == is_trial && last->last() == number - 1) {
    ++last->count;
  } else if (lines_.size() < max_lines) {
    lines_.push_back({operation, number, 1, policy, is_trial, why()});
  }
}

std::string PolicyLog::summary() const {
  const std::lock_guard lock(mutex_);
  const Operation operation = counts_[0] > 0 ? Operation::write : Operation::read;
  const ChosenPolicy* most_used = nullptr;
  std::int64_t its_count = 0;
  for (const ChosenPolicy& each : lines_) {
    if (each.operation != operation || each.is_trial) continue;
    std::int64_t count = 0;  // accesses with the same policy
    for (const ChosenPolicy& other : lines_) {
      if (other.operation == operation && other.policy == each.policy) count += other.count;
    }
    if (count < its_count) continue;
    most_used = &each;  // the last one if counts are equal, because its reason is the newest
    its_count = count;
  }
  if (most_used == nullptr) return {};
  return fmt::format("policy {} for {} of {} {}: {}", most_used->policy.brief(), format_count(its_count),
                     format_count(counts_[operation == Operation::write ? 0 : 1]),
                     operation == Operation::write ? "writes" : "reads", most_used->why);
}

std::vector<ChosenPolicy> PolicyLog::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

}  // namespace sill
