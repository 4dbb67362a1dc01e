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

  /// Local. Shifts a trace by a number of samples, positive to later times: out[i] is the value at position i - by. If
  /// `by` is within a millionth of an integer, all values are copied. `scratch` stores the padded trace.
  static void shift(std::span<float> trace, double by, std::vector<float>& scratch);
};

}  // namespace sill::flow
