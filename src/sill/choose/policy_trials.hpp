// Determines the fastest of a few policies during the phases of a time loop, by measuring the phases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sill/choose/access_cost.hpp"
#include "sill/choose/recent_values.hpp"

namespace sill {

/// Begins with the candidate with the lowest estimated cost. Tries each other candidate on a few phases, as soon as the
/// possible loss is at most one twentieth of the time of all phases so far; keeps the fastest by medians. When phases
/// become permanently slower or faster, all candidates are marked as untried, and trials may begin immediately. About
/// 50, 100, 200 … phases after the last such change, all candidates are marked as untried as well, because a trial may
/// have coincided with a disturbance of the machine. Trials do not change the bytes written.
class PolicyTrials {
 public:
  /// Local. Creates the trials. Precondition: `by_cost` has at least one candidate, the cheapest first.
  explicit PolicyTrials(std::vector<PolicyEstimate> by_cost);

  /// Local. Returns the policy for the next phase.
  [[nodiscard]] const Policy& policy() const { return candidates_[now_].estimate.policy; }
  /// Local. Returns the estimated cost of `policy()`.
  [[nodiscard]] const AccessCost& cost() const { return candidates_[now_].estimate.cost; }
  /// Local. Returns true if no phase has been measured yet.
  [[nodiscard]] bool are_without_times() const { return all_s_ == 0; }
  /// Local. Returns the reason for the choice of `policy()`, as text.
  [[nodiscard]] std::string why() const;
  /// Local. Records the time of the last phase, which used `policy()`. Returns true if the next phase requires another
  /// policy.
  [[nodiscard]] bool measured(double seconds);
  /// Local. Returns true if `policy()` is on trial: it is not the best policy so far.
  [[nodiscard]] bool is_trial() const { return now_ != kept_; }
  /// Local. Records that the next phase will be planned again although no other policy was requested. That phase is not
  /// measured. A trial ends, because its phases would never be measured.
  void plan_again();
  /// Local. Records that the last phase, a trial, failed. Returns to the best policy so far, and never tries the failed
  /// policy again. Precondition: `is_trial()`.
  void give_up(std::string_view failure);

 private:
  struct Candidate {
    PolicyEstimate estimate;
    RecentValues recent_s;  // times of its last phases
    bool is_tried = false;
  };

  // Returns the possible loss of a trial, compared with the same number of phases with the kept candidate.
  [[nodiscard]] double risk_s(const Candidate& candidate) const;
  [[nodiscard]] bool begin_trial();
  [[nodiscard]] bool end_trial();
  // Returns true if phases have become permanently slower or faster.
  [[nodiscard]] bool has_drifted() const;
  void try_all_again();
  void go_to(std::size_t candidate);

  std::vector<Candidate> candidates_;
  std::size_t now_ = 0;
  std::size_t kept_ = 0;
  std::size_t before_ = 0;   // the candidate kept before `kept_`; the same if there was none
  bool is_first_ = true;     // the next phase includes planning, and is not measured
  std::string given_up_;     // text about the last trial, if it failed
  double kept_s_ = 0;        // median of the newest phases of the kept candidate; 0: not yet known
  double before_s_ = 0;      // the median of `before_` when it was replaced
  double usual_s_ = 0;       // median of the first phases (after the last change, if any); 0: not yet known
  double all_s_ = 0;         // time of all phases
  double allowed_s_ = 0;     // minimum budget for trials, if more than a share of `all_s_`
  double spent_s_ = 0;       // time lost by trials, compared with the kept candidate
  std::int64_t phases_ = 0;  // phases since the last change of their speed
  std::int64_t settled_;     // number of `phases_` before which changes are ignored
  std::int64_t next_round_;  // number of `phases_` at which all become untried
};

}  // namespace sill
