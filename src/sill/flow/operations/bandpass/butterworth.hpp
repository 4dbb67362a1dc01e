// Butterworth filters as cascades of second-order sections.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"

namespace sill::flow {

enum class Band : std::uint8_t { low, high, pass, stop };

/// Samples are multiplied by `gain` and then pass through the sections in turn.
struct Cascade {
  double gain = 1.0;
  std::vector<Section> sections;
  double slowest_pole = 0.0;  ///< largest modulus of a pole, below 1
};

/// The parameters of a filter design. Corners are warped frequencies, w = tan(pi f dt); `w2` is used only for `pass`
/// and `stop`.
struct ButterworthDesign {
  Band band = Band::low;
  int order = 4;  ///< at each corner; `pass` and `stop` have twice as many poles
  double w1 = 0.0;
  double w2 = 0.0;
};

/// Local. Returns the warped frequency w = tan(pi f dt).
[[nodiscard]] double warped(double frequency_hz, double interval_s);

/// Local. Returns the filter with -10 log10(2) dB at its corners. Preconditions: order >= 1; 0 < w1 < w2.
[[nodiscard]] Cascade butterworth(const ButterworthDesign& design);

/// Local. Returns the design with corners moved so that the response after two passes is -10 log10(2) dB at the
/// original corners.
[[nodiscard]] ButterworthDesign corrected_for_two_passes(ButterworthDesign design);

/// Warped frequencies at which the filter attenuates by at most `pass_db` and by at least `stop_db`.
struct ButterworthCorners {
  Band band = Band::low;
  double pass1 = 0.0;
  double pass2 = 0.0;
  double stop1 = 0.0;
  double stop2 = 0.0;
  double pass_db = 3.0;
  double stop_db = 20.0;
};

/// Local. Returns the real number whose ceiling is the lowest order that meets the corners.
[[nodiscard]] double order_of(const ButterworthCorners& corners);

/// Local. Returns the design of order `order` that attenuates by exactly `pass_db` at the corners of the pass band; for
/// a band-stop, by exactly `pass_db` at one corner and by at most `pass_db` at the other.
[[nodiscard]] ButterworthDesign design_of(const ButterworthCorners& corners, int order);

}  // namespace sill::flow
