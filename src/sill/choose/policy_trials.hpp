// Which of a few policies is the fastest for the phases of a time loop, found on the phases themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sill/choose/access_cost.hpp"
#include "sill/choose/recent_values.hpp"

namespace sill {

/// Begins with the candidate that should cost least. Others are tried on a few phases each as soon as what that may
/// cost is at most a twentieth of the time of all phases so far; the fastest by medians stays. When phases become
/// slower or faster for good, all count as untried, and trials may begin at once. All count as untried about 50,
/// 100, 200 … phases after the last such change, too: a trial may have met the machine at a bad time. The bytes are the
/// same whatever is tried.
class PolicyTrials {
 public:
  /// Local. `by_cost`: at least one, the cheapest first.
  explicit PolicyTrials(std::vector<PolicyEstimate> by_cost);

  /// Local. The policy for the next phase.
  [[nodiscard]] const Policy& policy() const { return candidates_[now_].estimate.policy; }
  /// Local. Returns what that should cost.
  [[nodiscard]] const AccessCost& cost() const { return candidates_[now_].estimate.cost; }
  /// Local. Returns true if no phase was measured.
  [[nodiscard]] bool are_without_times() const { return all_s_ == 0; }
  /// Local. Why it is that, in words and numbers.
  [[nodiscard]] std::string why() const;
  /// Local. The last phase, with `policy()`, took so long. Returns true if the next one is to have another policy.
  [[nodiscard]] bool measured(double seconds);
  /// Local. Whether `policy()` is tried instead of what is best so far.
  [[nodiscard]] bool is_trial() const { return now_ != kept_; }
  /// Local. The next phase is planned anew although no other policy was asked for: it does not count, and what is on
  /// trial, whose phases would never count, is left.
  void plan_again();
  /// Local. The last phase, a trial, failed: back to what is best so far. What failed is not tried again. Precondition:
  /// `is_trial()`.
  void give_up(std::string_view failure);

 private:
  struct Candidate {
    PolicyEstimate estimate;
    RecentValues recent_s;  // of its last phases
    bool is_tried = false;
  };

  // What a trial may cost more than as many phases with what is kept.
  [[nodiscard]] double risk_s(const Candidate& candidate) const;
  [[nodiscard]] bool begin_trial();
  [[nodiscard]] bool end_trial();
  // Returns true if phases have become slower or faster for good.
  [[nodiscard]] bool has_drifted() const;
  void try_all_again();
  void go_to(std::size_t candidate);

  std::vector<Candidate> candidates_;
  std::size_t now_ = 0;
  std::size_t kept_ = 0;
  std::size_t before_ = 0;   // what was kept before `kept_`; the same if nothing was
  bool is_first_ = true;     // the next phase pays for planning, and does not count
  std::string given_up_;     // the trial that ended last, if it failed
  double kept_s_ = 0;        // the median of the newest phases of what is kept; 0: not yet known
  double before_s_ = 0;      // the median of `before_` when it was replaced
  double usual_s_ = 0;       // the median of its first phases, or those since the last change; 0: not yet known
  double all_s_ = 0;         // of all phases
  double allowed_s_ = 0;     // for trials, beside a share of `all_s_`
  double spent_s_ = 0;       // more than as many phases with what is kept
  std::int64_t phases_ = 0;  // since they last became slower or faster
  std::int64_t settled_;     // of `phases_`, before which a change does not count
  std::int64_t next_round_;  // of `phases_`, from which on all count as untried
};

}  // namespace sill
