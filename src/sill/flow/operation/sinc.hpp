// Interpolates between the samples of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// Interpolation by a sinc with a Kaiser window (beta 8), 16 points: the error is below 1e-3 of a sine's amplitude up
/// to 0.6 of the Nyquist frequency. Samples beyond the ends of a trace are zeros. At a sample position the result is
/// the unchanged sample. The bits of the results are the same on every processor. Source: J. F. Kaiser, "Nonrecursive
/// digital filter design using the I0-sinh window function" (1974).
class SincInterpolation {
 public:
  /// Local. Pads `trace` with zeros at both ends, as `interpolate` requires.
  static void pad(std::span<const float> trace, std::vector<float>& padded);

  /// Local. Sets out[i] to the value at position places[i], in samples from the first one; 0 at 8 or more samples
  /// outside the trace. `padded` is a padded trace of `samples` samples.
  static void interpolate(const std::vector<float>& padded, std::int64_t samples, std::span<const double> places,
                          std::span<float> out);

  /// Values of an upsampled trace per sample.
  static constexpr std::int64_t upsampling = 8;

  /// Local. Sets `dense` to the values of a trace at multiples of 1/8 of a sample, from one sample before the first one
  /// to less than two after the last one: the bits that `interpolate` computes. `scratch` stores the padded trace.
  static void upsample(std::span<const float> trace, std::vector<float>& dense, std::vector<float>& scratch);

  /// Local. Sets out[i] to the value at position at[i] + parts[i] of `dense`, an upsampled trace, by the cubic
  /// polynomial through the nearest four values. For traces that are interpolated at many times their number of
  /// samples: takes a quarter of the time of `interpolate`. Adds an error of at most 3e-4 of a sine's amplitude up to
  /// 0.8 of the Nyquist frequency. Preconditions: parts[i] is from 0 to 1; at[i] is at least 1, and at most the number
  /// of values minus 3.
  static void interpolate_upsampled(std::span<const float> dense, std::span<const std::int32_t> at,
                                    std::span<const float> parts, std::span<float> out);

  /// Local. Shifts a trace by a number of samples, positive to later times: out[i] is the value at position i - by. If
  /// `by` is within a millionth of an integer, all values are copied. `scratch` stores the padded trace.
  static void shift(std::span<float> trace, double by, std::vector<float>& scratch);
};

}  // namespace sill::flow
