// The median of repeated measurements, without assumptions about their distribution.
#pragma once

#include <vector>

namespace sill::cli {

/// A sample median and a confidence interval for the true median.
struct Median {
  double value = 0.0;
  double min = 0.0;
  double max = 0.0;
};

/// Local. Returns the median, and the order statistics that cover the true median with a probability of at least 95 %;
/// for fewer than six values, for which no such interval exists, the minimum and the maximum. Precondition: at least
/// one value.
[[nodiscard]] Median median_of(std::vector<double> values);

}  // namespace sill::cli
