// Windows that overlap by half, and the blending of their results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// Local. Returns the starts of windows of `length` elements in `count` elements; the last window ends at element
/// `count`. Precondition: length <= count.
[[nodiscard]] inline std::vector<std::int64_t> window_starts(std::int64_t count, std::int64_t length) {
  std::vector<std::int64_t> starts{0};
  while (starts.back() + length < count)
    starts.push_back(std::min(starts.back() + std::max<std::int64_t>(1, length / 2), count - length));
  return starts;
}

/// Blends the results of windows over the traces and samples of a gather: their mean, with weights that decrease
/// towards the edges of each window.
class WindowSums {
 public:
  /// Local. Creates sums for a gather of `traces` traces of `samples` samples.
  WindowSums(std::int64_t traces, std::int64_t samples)
      : samples_(samples), sums_(static_cast<std::size_t>(traces * samples)), weights_(sums_.size()) {}

  /// Local. Adds the result `made`, trace by trace, of the window that starts at this trace and sample.
  void add(std::int64_t trace, std::int64_t sample, std::span<const std::vector<float>> made) {
    const auto length = std::ssize(made.front());
    std::vector<double> of_samples(static_cast<std::size_t>(length));
    for (std::int64_t s = 0; s < length; ++s) of_samples[static_cast<std::size_t>(s)] = weight_of(s, length);
    for (std::int64_t i = 0; i < std::ssize(made); ++i) {
      const auto at = static_cast<std::size_t>((trace + i) * samples_ + sample);
      add(made[static_cast<std::size_t>(i)].data(), of_samples, weight_of(i, std::ssize(made)), sums_.data() + at,
          weights_.data() + at);
    }
  }

  /// Local. Writes the samples of a trace to `out`. Precondition: the added windows cover all of its samples.
  void give(std::int64_t trace, std::span<float> out) const {
    for (std::size_t s = 0; s < out.size(); ++s) {
      const std::size_t at = static_cast<std::size_t>(trace * samples_) + s;
      out[s] = static_cast<float>(sums_[at] / weights_[at]);
    }
  }

 private:
  static void add(const float* values, std::span<const double> of_samples, double of_trace, double* __restrict sums,
                  double* __restrict weights) {
    for (std::size_t s = 0; s < of_samples.size(); ++s) {
      const double weight = of_trace * of_samples[s];
      sums[s] += weight * static_cast<double>(values[s]);
      weights[s] += weight;
    }
  }
  static double weight_of(std::int64_t i, std::int64_t length) {
    return static_cast<double>(std::min(i + 1, length - i));
  }

  std::int64_t samples_;
  std::vector<double> sums_;
  std::vector<double> weights_;
};

}  // namespace sill::flow
