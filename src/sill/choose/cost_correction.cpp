#include "sill/choose/cost_correction.hpp"

#include <algorithm>
#include <optional>

namespace sill {

void CostCorrection::add(const Policy& policy, double expected_s, double measured_s) {
  constexpr double min_s = 1e-3;
  constexpr double max_ratio = 1e6;  // finite even if a profile states almost no cost
  if (expected_s <= 0 || measured_s < min_s) return;
  auto found = std::ranges::find(measured_, policy, &Measured::policy);
  if (found == measured_.end()) found = measured_.insert(found, Measured{policy, {}});
  found->ratios.add(std::min(max_ratio, measured_s / expected_s));
}

double CostCorrection::factor(const Policy& policy) const {
  std::optional<double> min;
  for (const Measured& each : measured_) {
    if (!each.is_known()) continue;
    if (each.policy == policy) return each.factor();
    min = std::min(min.value_or(each.factor()), each.factor());
  }
  return min.value_or(1);
}

bool CostCorrection::Measured::is_known() const {
  constexpr std::size_t min_writes = 3;  // a single slow write does not change a median of three
  return ratios.size() >= min_writes;
}

double CostCorrection::Measured::factor() const {
  const double ratio = ratios.median();
  return ratio > 1 + estimate_error ? ratio : 1;
}

}  // namespace sill
