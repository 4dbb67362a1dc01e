// Windows that overlap by half, and how what is made of each is joined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sill::flow {

/// Local. Where windows of `length` of `count` places begin; the last one ends at the end. Precondition: length <=
/// count.
[[nodiscard]] inline std::vector<std::int64_t> window_starts(std::int64_t count, std::int64_t length) {
  std::vector<std::int64_t> starts{0};
  while (starts.back() + length < count)
    starts.push_back(std::min(starts.back() + std::max<std::int64_t>(1, length / 2), count - length));
  return starts;
}

/// Local. The weight of place i of a window, of sums that are divided by the sum of weights.
[[nodiscard]] inline double window_weight(std::int64_t i, std::int64_t length) {
  return static_cast<double>(std::min(i + 1, length - i));
}

}  // namespace sill::flow
