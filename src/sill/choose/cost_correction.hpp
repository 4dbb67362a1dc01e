// Corrects estimates by the measured times of requests.
#pragma once

#include <vector>

#include "sill/choose/access_cost.hpp"
#include "sill/choose/recent_values.hpp"

namespace sill {

/// Corrects estimates by measured times of requests, separately for each policy: a server may take long per request but
/// not per byte. Only increases estimates: a system that accepts bytes into a cache immediately may take long to write
/// them.
class CostCorrection {
 public:
  /// Local. Records that the requests of a write with `policy` took `measured_s` instead of `expected_s`. Times below a
  /// millisecond are ignored.
  void add(const Policy& policy, double expected_s, double measured_s);
  /// Local. Returns the median of measured divided by expected time of the last writes with `policy`, if there were at
  /// least three such writes; otherwise the smallest median of all other policies. Returns 1 unless the median exceeds
  /// the error of an estimate.
  [[nodiscard]] double factor(const Policy& policy) const;

 private:
  struct Measured {
    Policy policy;
    RecentValues ratios;

    [[nodiscard]] bool is_known() const;
    /// Precondition: `is_known()` is true.
    [[nodiscard]] double factor() const;
  };

  std::vector<Measured> measured_;
};

}  // namespace sill
