#include "sill/choose/policy_choice.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace sill {
namespace {

using Writers = Policy::Writers;
using Align = Policy::Align;

// Per file; the time to estimate a candidate is proportional to writers and ranks.
constexpr int max_writers = 64;

// Returns the number of ranks, or the number of their cores if that is less. Used because several writers per node move
// bytes faster than one.
int ranks_with_cores(const Access& access) {
  const auto ranks = static_cast<double>(access.node_of_ranks.size());
  return static_cast<int>(std::max(1.0, std::min(ranks, std::round(ranks * access.core_share))));
}

// Returns `wanted` with the values that `policy` fixes; nullopt if they are not compatible.
std::optional<Policy> restricted(const Policy& policy, Policy wanted) {
  Policy made = policy;
  if (policy.writers == Writers::automatic) {
    made.writers = wanted.writers;
    made.domains = wanted.domains;
  }
  if (policy.stage_bytes == Policy::automatic_stage) made.stage_bytes = wanted.stage_bytes;
  if (policy.align == Align::automatic) {
    made.align = wanted.align;
    made.align_bytes = wanted.align_bytes;
  }
  if (made.call == Policy::Call::mpiio_collective && (made.writers != Writers::all || made.stage_bytes != 0)) return {};
  const bool has_parts = made.writers == Writers::node || made.writers == Writers::number;
  if (made.align != Align::none && made.stage_bytes == 0 && !has_parts) return {};
  return made;
}

}  // namespace

std::vector<Policy> candidates(const Policy& policy, const Access& access) {
  const bool is_on_node = is_on_this_node(access.file_system);
  // The size that the mover chooses for a stage without a stated size: long if a rank has several threads.
  const std::int64_t short_stage_bytes =
      is_on_node ? std::max(cached_stage_bytes, std::min(access.max_stage_bytes, long_stage_bytes))
                 : cached_stage_bytes;
  std::vector<Policy> wanted{{}, {.stage_bytes = short_stage_bytes}};
  const auto add = [&](std::int64_t stage_bytes) {
    wanted.push_back({.writers = Writers::node, .stage_bytes = stage_bytes});
    wanted.push_back({.writers = Writers::elected, .stage_bytes = stage_bytes});
    wanted.push_back({.writers = Writers::first, .stage_bytes = stage_bytes});
  };
  add(short_stage_bytes);
  // In the page cache of one node several writers of a file wait for each other, and long stages exceed the processor
  // cache.
  if (!is_on_node) {
    add(long_stage_bytes);
    const int writers = std::min(ranks_with_cores(access), max_writers);
    for (const std::int64_t stage_bytes : {cached_stage_bytes, long_stage_bytes}) {
      if (writers > 1) wanted.push_back({.writers = Writers::number, .domains = writers, .stage_bytes = stage_bytes});
    }
  }
  if (access.stripes.count > 0) {
    wanted.push_back({.writers = Writers::node, .stage_bytes = long_stage_bytes, .align = Align::stripe});
  }
  std::vector<Policy> found;
  for (const Policy& each : wanted) {
    const std::optional<Policy> made = restricted(policy, each);
    if (made && std::ranges::find(found, *made) == found.end()) found.push_back(*made);
  }
  if (found.empty()) found.push_back(policy.plainest());
  return found;
}

std::vector<PolicyEstimate> estimates(const Policy& policy, const Access& access, const FileSystemCosts& costs) {
  std::vector<PolicyEstimate> found;
  for (const Policy& each : candidates(policy, access)) found.push_back({each, cost_of(each, access, costs)});
  std::ranges::stable_sort(found, {}, [](const PolicyEstimate& each) { return each.cost.seconds_s; });
  return found;
}

std::vector<PolicyEstimate> ChooseByCost::corrected(const Policy& policy, const Access& access) {
  std::vector<PolicyEstimate> found = estimates(policy, access, costs_of(access));
  for (PolicyEstimate& each : found) {
    each.cost.seconds_s += (correction_.factor(each.policy) - 1) * each.cost.requests_s;
  }
  std::ranges::stable_sort(found, {}, [](const PolicyEstimate& each) { return each.cost.seconds_s; });
  return found;
}

Policy ChooseByCost::choose(const Policy& policy, const Access& access) {
  if (access.operation == Operation::read) {
    const PolicyTrials first(estimates(policy, access, costs_of(access)));
    log(access.operation, first);
    return first.policy();
  }
  if (access.place_in_call > 0) return corrected(policy, access).front().policy;
  Shape shape{.policy = policy, .summaries = access.summaries.size()};
  for (const AccessSummary& each : access.summaries) {
    shape.bytes += each.bytes;
    shape.pieces += each.pieces;
  }
  const bool is_never_repeated = !is_asked_for_ && trials_ && trials_->are_without_times();
  if (!trials_ || shape != shape_ || is_never_repeated) {
    trials_.emplace(corrected(policy, access));
  } else if (!is_asked_for_) {
    trials_->plan_again();
  }
  is_asked_for_ = false;
  shape_ = shape;
  log(access.operation, *trials_);
  return trials_->policy();
}

FileSystemCosts ChooseByCost::costs_of(const Access& access) {
  const auto found = std::ranges::find(measured_, access.device, &MeasuredCosts::device);
  origin_.clear();
  if (found == measured_.end()) return built_in_costs(access.file_system);
  origin_ = fmt::format("; costs measured on {:%Y-%m-%d} (sill tune)", found->made);
  return found->costs;
}

bool ChooseByCost::begin_write(const std::optional<WriteTime>& last, bool is_like_last) {
  if (!trials_) return false;
  const bool has_failed = std::exchange(has_failed_, false);
  if (last && !has_failed) correction_.add(trials_->policy(), trials_->cost().requests_s, last->requests_s);
  if (!is_like_last) return false;
  // A trial whose phase ended with an error has no time.
  if (last) {
    is_asked_for_ = trials_->measured(last->total_s);
  } else if (trials_->is_trial()) {
    trials_->plan_again();
    is_asked_for_ = true;
  }
  if (!is_asked_for_) log(Operation::write, *trials_);
  return is_asked_for_;
}

bool ChooseByCost::is_trial() const { return trials_ && trials_->is_trial(); }

void ChooseByCost::fall_back(const Error& failure) {
  trials_->give_up(failure.what());
  is_asked_for_ = true;
  has_failed_ = true;
}

void ChooseByCost::log(Operation operation, const PolicyTrials& trials) {
  if (log_ == nullptr) return;
  log_->add(operation, trials.policy(), trials.is_trial(), [&] {
    const double factor = operation == Operation::write ? correction_.factor(trials.policy()) : 1;
    const std::string measured =
        factor > 1 ? fmt::format("; requests take {:.1f} times as long as estimated", factor) : "";
    return trials.why() + origin_ + measured;
  });
}

}  // namespace sill
