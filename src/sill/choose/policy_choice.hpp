// Values for the automatic axes of a policy: the candidates, what each would cost, and which is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/choose/access_cost.hpp"
#include "sill/choose/cost_correction.hpp"
#include "sill/choose/policy_log.hpp"
#include "sill/choose/policy_trials.hpp"
#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

/// Local. The policies that `policy` allows and that are worth a thought for `access`, without automatic axes, the
/// plainest first; at least one.
[[nodiscard]] std::vector<Policy> candidates(const Policy& policy, const Access& access);

/// Local. The candidates, the cheapest first; of equals the plainer.
[[nodiscard]] std::vector<PolicyEstimate> estimates(const Policy& policy, const Access& access,
                                                    const FileSystemCosts& costs);

/// Chooses by what accesses should cost, and for writes that are repeated by what they do cost. Times of requests
/// correct what later writes should cost.
class ChooseByCost : public PolicyChooser {
 public:
  /// Local. `measured`: costs to be used instead of built-in ones, the same on all ranks; of several of one device the
  /// first. `log`, which may be null, outlives it, and so does `measured`.
  explicit ChooseByCost(PolicyLog* log, std::span<const MeasuredCosts> measured = {})
      : log_(log), measured_(measured) {}

  [[nodiscard]] Policy choose(const Policy& policy, const Access& access) override;
  [[nodiscard]] bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) override;
  [[nodiscard]] bool is_trial() const override;
  void fall_back(const Error& failure) override;

 private:
  // What a write must have in common with the one before to be another phase of the same output.
  struct Shape {
    Policy policy = {};
    std::size_t summaries = 0;
    std::int64_t bytes = 0;
    std::int64_t pieces = 0;

    friend bool operator==(const Shape&, const Shape&) = default;
  };

  [[nodiscard]] FileSystemCosts costs_of(const Access& access);
  // The candidates with corrected costs, the cheapest first.
  [[nodiscard]] std::vector<PolicyEstimate> corrected(const Policy& policy, const Access& access);
  void log(Operation operation, const PolicyTrials& trials);

  PolicyLog* log_;
  std::span<const MeasuredCosts> measured_;
  std::string origin_;  // of the costs last used; empty: built in
  Shape shape_;
  std::optional<PolicyTrials> trials_;
  CostCorrection correction_;
  bool is_asked_for_ = false;  // another policy, before the next call of `choose`
  bool has_failed_ = false;    // a trial of the last write, which was performed again
};

}  // namespace sill
