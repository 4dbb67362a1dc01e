// The times of the samples of traces.
#pragma once

#include <cstddef>

#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// Times in headers are in milliseconds. Source: SEG-Y rev 1, trace header bytes 95-114.
constexpr double ms_per_s = 1e3;

/// Longer times in headers are damage.
constexpr double longest_time_ms = segy::farthest_start_us / 1e3;

/// Where the samples of a trace lie in time: the first at its delay, all `interval_s` apart.
/// Source: SEG-Y rev 1, trace header bytes 109-110, 215-216.
class TraceTimes {
 public:
  /// Local. Errors: usage, if the samples of the survey lie along depth, which `operation` has no meaning for, or if
  /// their interval is not known.
  TraceTimes(const SurveyState& state, const char* operation);

  [[nodiscard]] double interval_s() const { return interval_s_; }
  /// Local. The time of the first sample, in seconds.
  [[nodiscard]] double start_s(const std::byte* header) const { return delay_.start_us(header, order_) * 1e-6; }
  /// Local. Which sample lies at `time_s` after the first one's, as a fraction.
  [[nodiscard]] double sample_at(double time_s, const std::byte* header) const {
    return (time_s - start_s(header)) / interval_s_;
  }
  /// Local. The delay, for `Access`: `start_s` is of use where it is finite and not too large.
  [[nodiscard]] HeaderNumber delay() const { return {delay_.word(), longest_time_ms}; }
  /// Local. Sets the delay of a trace. Errors: as DelayWord::set_start.
  void set_start(std::byte* header, double start_s) const { delay_.set_start(header, order_, start_s * 1e6); }

 private:
  segy::DelayWord delay_;
  ByteOrder order_;
  double interval_s_;
};

}  // namespace sill::flow
