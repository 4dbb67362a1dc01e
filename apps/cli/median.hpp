// The median of repeated measurements, which assumes nothing about how they are distributed.
#pragma once

#include <vector>

namespace sill::cli {

/// A median and where the true one lies.
struct Median {
  double value = 0.0;
  double least = 0.0;
  double most = 0.0;
};

/// Local. The median, and the order statistics that cover the true one with a probability of at least 95 %; below six
/// values, which no two cover so, the smallest and the largest. Precondition: there is a value.
[[nodiscard]] Median median_of(std::vector<double> values);

}  // namespace sill::cli
