#include "sill/flow/operation/sliding_sum.hpp"

#include <algorithm>
#include <cmath>

namespace sill::flow {

double half_window(double length, double interval) {
  constexpr double tolerance = 1e-6;
  return std::floor(length / (2.0 * interval) + 0.5 + tolerance);
}

void sliding_sum(std::span<const double> in, std::int64_t length, std::span<double> out, std::vector<double>& scratch) {
  const std::int64_t count = std::ssize(in);
  scratch.resize(in.size());
  const double* const from = in.data();
  double* const to_end = scratch.data();  // for each value, the sum from the value to the end of its block
  for (std::int64_t begin = 0; begin < count; begin += length) {
    const std::int64_t end = std::min(count, begin + length);
    double sum = 0.0;
    for (std::int64_t i = end - 1; i >= begin; --i) to_end[i] = sum += from[i];
  }
  double* const sums = out.data();
  for (std::int64_t begin = 0; begin < std::ssize(out); begin += length) {
    sums[begin] = to_end[begin];
    const std::int64_t end = std::min(std::ssize(out), begin + length);
    double head = 0.0;  // sum over the start of the next block
    for (std::int64_t i = begin + 1; i < end; ++i) sums[i] = to_end[i] + (head += from[i + length - 1]);
  }
}

void triangle_over_all(std::span<const double> in, double half, std::span<double> out) {
  // In each direction: the sum of (half + 1 - i + j) in[j] over j <= i. All terms are positive.
  const auto count = in.size();
  double sum = 0.0;
  double moment = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += in[i];
    moment += static_cast<double>(i) * in[i];
    out[i] = (half + 1.0 - static_cast<double>(i)) * sum + moment;
  }
  sum = moment = 0.0;
  for (std::size_t i = count - 1; i > 0; --i) {
    const auto from_end = static_cast<double>(count - 1 - i);
    sum += in[i];
    moment += from_end * in[i];
    out[i - 1] += (half - from_end) * sum + moment;
  }
}

}  // namespace sill::flow
