#include "sill/choose/policy_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/units.hpp"

namespace sill {

void PolicyLog::add(Operation operation, const Policy& policy, const std::function<std::string()>& why) {
  const std::lock_guard lock(mutex_);
  const std::int64_t number = ++counts_[operation == Operation::write ? 0 : 1];
  const auto last = std::find_if(lines_.rbegin(), lines_.rend(),
                                 [&](const ChosenPolicy& each) { return each.operation == operation; });
  if (last != lines_.rend() && last->policy == policy && last->last() == number - 1) {
    ++last->count;
  } else if (lines_.size() < max_lines) {
    lines_.push_back({operation, number, 1, policy, why()});
  }
}

std::string PolicyLog::summary() const {
  const std::lock_guard lock(mutex_);
  const Operation operation = counts_[0] > 0 ? Operation::write : Operation::read;
  const ChosenPolicy* most = nullptr;
  for (const ChosenPolicy& each : lines_) {
    if (each.operation == operation && (most == nullptr || each.count > most->count)) most = &each;
  }
  if (most == nullptr) return {};
  return fmt::format("policy {} for {} of {} {}: {}", most->policy.brief(), format_count(most->count),
                     format_count(counts_[operation == Operation::write ? 0 : 1]),
                     operation == Operation::write ? "writes" : "reads", most->why);
}

std::vector<ChosenPolicy> PolicyLog::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

}  // namespace sill
