#include "cli/median.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sill::cli {
Median median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  Median result{.value = (values[(n - 1) / 2] + values[n / 2]) / 2, .min = values.front(), .max = values.back()};
  // The probability that the true median is outside values k + 1 to n - k is twice the probability of at most k heads
  // in n tosses.
  double chance = std::pow(0.5, static_cast<double>(n));
  double sum = chance;
  for (std::size_t k = 0; 2 * k < n && 2 * sum <= 0.05; ++k) {
    result.min = values[k];
    result.max = values[n - 1 - k];
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    sum += chance;
  }
  return result;
}

}  // namespace sill::cli
