#include "sill/choose/policy_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sill/base/units.hpp"

namespace sill {
namespace {

constexpr std::size_t max_tried = 3;
constexpr std::size_t phases_of_trial = 2;  // measured phases; the phase before them includes planning
// Phases after a change before the next change is recognized. Doubled each time, because steady changes are not
// lasting.
constexpr std::int64_t first_settled = 10;
constexpr std::int64_t max_settled = 160;
constexpr std::int64_t first_round = 50;  // phases after which tried candidates are tried again
constexpr double share_for_trials = 0.05;
// Phases of one policy vary: times that differ by less are the same, and times that differ by more have changed.
constexpr double is_faster = 0.95;
constexpr double is_other = 1.5;

}  // namespace

PolicyTrials::PolicyTrials(std::vector<PolicyEstimate> by_cost) : settled_(first_settled), next_round_(first_round) {
  // Keeps the two cheapest, because either may be faster, and the one with the fewest requests of the others, which is
  // the fastest if requests take longer than expected.
  if (by_cost.size() >= max_tried) {
    const auto requests = [](const PolicyEstimate& each) { return each.cost.counts.requests; };
    const auto others = by_cost.begin() + static_cast<std::ptrdiff_t>(max_tried) - 1;
    std::iter_swap(others, std::ranges::min_element(others, by_cost.end(), {}, requests));
    by_cost.resize(max_tried);
  }
  for (const PolicyEstimate& each : by_cost) candidates_.push_back({each, {}});
}

std::string PolicyTrials::why() const {
  const Candidate& now = candidates_[now_];
  if (!given_up_.empty()) return given_up_;
  if (is_trial()) return "a trial: its estimated cost is little more than that of the fastest policy so far";
  if (before_ != kept_ && now.recent_s.size() > 0) {
    return fmt::format("{} per phase, measured; {} by {}", format_short_time(kept_s_), format_short_time(before_s_),
                       candidates_[before_].estimate.policy.brief());
  }
  std::string text = fmt::format("estimated at {}, bound by {}", format_short_time(now.estimate.cost.seconds_s),
                                 now.estimate.cost.bound);
  const std::size_t next = now_ == 0 ? 1 : 0;
  if (next < candidates_.size()) {
    text += fmt::format("; {} by {}", format_short_time(candidates_[next].estimate.cost.seconds_s),
                        candidates_[next].estimate.policy.brief());
  }
  return text;
}

bool PolicyTrials::measured(double seconds) {
  all_s_ += seconds;
  ++phases_;
  if (is_trial() && kept_s_ > 0) spent_s_ += std::max(0.0, seconds - kept_s_);
  if (std::exchange(is_first_, false)) return false;
  Candidate& now = candidates_[now_];
  now.recent_s.add(seconds);
  if (is_trial()) {
    const bool is_hopeless = seconds > is_other * kept_s_;
    return (now.recent_s.size() >= phases_of_trial || is_hopeless) && end_trial();
  }
  now.is_tried = true;
  if (now.recent_s.size() < phases_of_trial + 1) return false;
  kept_s_ = now.recent_s.median();
  if (usual_s_ == 0 && now.recent_s.size() == RecentValues::max_size) usual_s_ = kept_s_;
  if (has_drifted()) {
    try_all_again();
    now.recent_s.keep_newest(phases_of_trial + 1);
    kept_s_ = now.recent_s.median();
    usual_s_ = 0;
    phases_ = 0;
    settled_ = std::min(2 * settled_, max_settled);
    next_round_ = first_round;
    // Allows one trial of every candidate, within reasonable cost.
    allowed_s_ = spent_s_ + static_cast<double>(candidates_.size() * (phases_of_trial + 1)) * kept_s_;
  }
  if (phases_ >= next_round_) {
    try_all_again();
    next_round_ = 2 * phases_;
  }
  return begin_trial();
}

void PolicyTrials::try_all_again() {
  for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].is_tried = i == kept_;
}

void PolicyTrials::give_up(std::string_view failure) {
  std::string given_up = fmt::format("{} failed in a trial: {}", policy().brief(), failure);
  candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(now_));
  if (kept_ > now_) --kept_;
  if (before_ == now_) {
    before_ = kept_;
  } else if (before_ > now_) {
    --before_;
  }
  go_to(kept_);
  given_up_ = std::move(given_up);
}

void PolicyTrials::plan_again() { go_to(kept_); }

double PolicyTrials::risk_s(const Candidate& candidate) const {
  const double ratio = candidate.estimate.cost.seconds_s / std::max(1e-9, candidates_[kept_].estimate.cost.seconds_s);
  const double more = std::max(0.0, ratio * (1 + estimate_error) - 1);
  return static_cast<double>(phases_of_trial + 1) * more * kept_s_;
}

bool PolicyTrials::begin_trial() {
  const double left_s = std::max(share_for_trials * all_s_, allowed_s_) - spent_s_;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].is_tried || risk_s(candidates_[i]) > left_s) continue;
    candidates_[i].recent_s.clear();
    candidates_[i].is_tried = true;
    go_to(i);
    return true;
  }
  return false;
}

bool PolicyTrials::end_trial() {
  const double seconds = candidates_[now_].recent_s.median();
  if (seconds < is_faster * kept_s_) {
    before_ = std::exchange(kept_, now_);
    before_s_ = std::exchange(kept_s_, seconds);
    usual_s_ = 0;
    return begin_trial();
  }
  if (!begin_trial()) go_to(kept_);
  return true;
}

bool PolicyTrials::has_drifted() const {
  if (phases_ < settled_ || usual_s_ == 0) return false;
  const RecentValues& recent = candidates_[kept_].recent_s;
  constexpr std::size_t newest = phases_of_trial + 1;
  return recent.all_of_newest(newest, [&](double seconds) { return seconds > is_other * usual_s_; }) ||
         recent.all_of_newest(newest, [&](double seconds) { return seconds * is_other < usual_s_; });
}

void PolicyTrials::go_to(std::size_t candidate) {
  now_ = candidate;
  is_first_ = true;
  given_up_.clear();
}

}  // namespace sill
