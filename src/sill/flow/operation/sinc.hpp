// Values of a trace between its samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// Interpolation by a sinc under a Kaiser window (beta 8), 16 points: the error is below 1e-3 of a sine's amplitude up
/// to 0.6 of the Nyquist frequency. Beyond the ends of a trace are zeros. At a sample its value is returned as it is.
/// The bits of the results are the same on every processor.
/// Source: J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974).
class SincInterpolation {
 public:
  /// Local. `trace` between zeros, as `interpolate` takes it.
  static void pad(std::span<const float> trace, std::vector<float>& padded);

  /// Local. out[i] is the value at place places[i], in samples from the first one; outside the trace by 8 samples and
  /// more it is 0. `padded` is a trace of `samples` samples, padded.
  static void interpolate(const std::vector<float>& padded, std::int64_t samples, std::span<const double> places,
                          std::span<float> out);

  /// Local. Moves a trace by a number of samples, positive to later ones: out[i] is the value at place i - by. Within
  /// a millionth of a whole number of samples the values are copied, whatever they are. `scratch` holds the padded
  /// trace.
  static void shift(std::span<float> trace, double by, std::vector<float>& scratch);
};

}  // namespace sill::flow
