// How much longer requests take than their costs say.
#pragma once

#include <vector>

#include "sill/choose/access_cost.hpp"
#include "sill/choose/recent_values.hpp"

namespace sill {

/// Corrects estimates by times of real requests, for each policy by those of its own: a server may take long for each
/// request and not for bytes. Only upwards: what a system takes into a cache at once, it may take long to write.
class CostCorrection {
 public:
  /// Local. Requests of a write by `policy` took `measured_s` instead of `expected_s`. Less than a millisecond
  /// corrects nothing.
  void add(const Policy& policy, double expected_s, double measured_s);
  /// Local. Returns the median of measured divided by expected of the last writes by `policy`, of three or more; of a
  /// policy without these the smallest of all others; 1 unless it is more than the error of an estimate.
  [[nodiscard]] double factor(const Policy& policy) const;

 private:
  struct Measured {
    Policy policy;
    RecentValues ratios;

    [[nodiscard]] bool is_known() const;
    /// Precondition: is_known.
    [[nodiscard]] double factor() const;
  };

  std::vector<Measured> measured_;
};

}  // namespace sill
