// Determines the live samples of a trace: the samples that are not muted, in a trace that is not dead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

namespace detail {

// Number of samples that are compared at once.
inline constexpr std::int64_t compared_samples = 16;

inline bool are_zero(const float* samples) {
  bool has_live = false;
  for (std::int64_t i = 0; i < compared_samples; ++i) has_live |= samples[i] != 0.0F;
  return !has_live;
}

}  // namespace detail

/// Local. Returns the samples from the first nonzero one to the last; none for a trace of zeros. The zeros before and
/// after them are muted.
[[nodiscard]] inline segy::SampleRange live_samples(std::span<const float> trace) {
  const float* const samples = trace.data();
  std::int64_t end = std::ssize(trace);
  std::int64_t first = 0;
  while (end - first >= detail::compared_samples && detail::are_zero(samples + first))
    first += detail::compared_samples;
  while (first < end && samples[first] == 0.0F) ++first;
  if (first == end) return {};
  while (end - first >= detail::compared_samples && detail::are_zero(samples + end - detail::compared_samples))
    end -= detail::compared_samples;
  while (samples[end - 1] == 0.0F) --end;
  return {first, end - first};
}

/// Local. Sets the samples before and after the live samples of a trace to zero again.
inline void mute_again(std::span<float> trace, segy::SampleRange live) {
  std::fill_n(trace.begin(), live.first, 0.0F);
  std::fill(trace.begin() + live.first + live.count, trace.end(), 0.0F);
}

}  // namespace sill::flow
