// The times of the samples of traces.
#pragma once

#include <cstddef>

#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// Times in headers are in milliseconds. Source: SEG-Y rev 1, trace header bytes 95-114.
constexpr double ms_per_s = 1e3;

/// Longer times in headers are treated as damage.
constexpr double longest_time_ms = segy::farthest_start_us / 1e3;

/// The times of the samples of a trace: the first sample is at the delay of the trace, and the interval is
/// `interval_s`. Source: SEG-Y rev 1, trace header bytes 109-110, 215-216.
class TraceTimes {
 public:
  /// Local. Finds the delay word. Errors: usage if the samples of the survey are in depth, which `operation` does not
  /// support, or if their interval is unknown.
  TraceTimes(const SurveyState& state, const char* operation);

  [[nodiscard]] double interval_s() const { return interval_s_; }
  /// Local. Returns the time of the first sample, in seconds.
  [[nodiscard]] double start_s(const std::byte* header) const { return delay_.start_us(header, order_) * 1e-6; }
  /// Local. Returns the fractional index of the sample at time `time_s`.
  [[nodiscard]] double sample_at(double time_s, const std::byte* header) const {
    return (time_s - start_s(header)) / interval_s_;
  }
  /// Local. Returns the delay word, for `Access::numbers`: `start_s` is valid if the delay is finite and not too large.
  [[nodiscard]] HeaderNumber delay() const { return {delay_.word(), longest_time_ms}; }
  /// Local. Sets the delay of a trace. Errors: as DelayWord::set_start.
  void set_start(std::byte* header, double start_s) const { delay_.set_start(header, order_, start_s * 1e6); }

 private:
  segy::DelayWord delay_;
  ByteOrder order_;
  double interval_s_;
};

}  // namespace sill::flow
