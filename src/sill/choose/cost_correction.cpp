#include "sill/choose/cost_correction.hpp"

#include <algorithm>

namespace sill {

void CostCorrection::add(const Policy& policy, double expected_s, double measured_s) {
  constexpr double min_s = 1e-3;
  constexpr double max_ratio = 1e6;  // finite also where a profile says that requests cost next to nothing
  if (expected_s <= 0 || measured_s < min_s) return;
  auto found = std::ranges::find(measured_, policy, &Measured::policy);
  if (found == measured_.end()) found = measured_.insert(found, Measured{policy, {}});
  found->ratios.add(std::min(max_ratio, measured_s / expected_s));
}

double CostCorrection::factor(const Policy& policy) const {
  if (measured_.empty()) return 1;
  const auto found = std::ranges::find(measured_, policy, &Measured::policy);
  if (found != measured_.end()) return found->factor();
  return std::ranges::min_element(measured_, {}, &Measured::factor)->factor();
}

double CostCorrection::Measured::factor() const {
  const double ratio = ratios.median();
  return ratio > 1 + estimate_error ? ratio : 1;
}

}  // namespace sill
