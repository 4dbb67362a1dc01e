// Values for the automatic axes of a policy: the candidates, their estimated costs, and the choice between them.
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

/// Local. Returns the policies that `policy` allows and that may suit `access`, without automatic axes, the simplest
/// first; at least one.
[[nodiscard]] std::vector<Policy> candidates(const Policy& policy, const Access& access);

/// Local. Returns the candidates with their estimated costs, the cheapest first; among candidates of equal cost, the
/// simpler one first.
[[nodiscard]] std::vector<PolicyEstimate> estimates(const Policy& policy, const Access& access,
                                                    const FileSystemCosts& costs);

/// Chooses by the estimated costs of accesses and, for repeated writes, by their measured costs. Times of requests
/// correct the estimates for later writes.
class ChooseByCost : public PolicyChooser {
 public:
  /// Local. Creates the chooser. `measured`: costs to use instead of the built-in ones, the same on all ranks; if there
  /// are several for one device, the first applies. `log` may be null. Precondition: `log` and `measured` outlive this
  /// object.
  explicit ChooseByCost(PolicyLog* log, std::span<const MeasuredCosts> measured = {})
      : log_(log), measured_(measured) {}

  [[nodiscard]] Policy choose(const Policy& policy, const Access& access) override;
  [[nodiscard]] bool begin_write(const std::optional<WriteTime>& last, bool is_like_last) override;
  [[nodiscard]] bool is_trial() const override;
  void fall_back(const Error& failure) override;

 private:
  // The properties that a write must share with the preceding one to be another phase of the same output.
  struct Shape {
    Policy policy = {};
    std::size_t summaries = 0;
    std::int64_t bytes = 0;
    std::int64_t pieces = 0;

    friend bool operator==(const Shape&, const Shape&) = default;
  };

  [[nodiscard]] FileSystemCosts costs_of(const Access& access);
  // Returns the candidates with corrected costs, the cheapest first.
  [[nodiscard]] std::vector<PolicyEstimate> corrected(const Policy& policy, const Access& access);
  void log(Operation operation, const PolicyTrials& trials);

  PolicyLog* log_;
  std::span<const MeasuredCosts> measured_;
  std::string origin_;  // of the costs last used, as text; empty: built in
  Shape shape_;
  std::optional<PolicyTrials> trials_;
  CostCorrection correction_;
  bool is_asked_for_ = false;  // another policy was requested for the next call of `choose`
  bool has_failed_ = false;    // a trial of the last write failed, and the write was performed again
};

}  // namespace sill
