// Butterworth filters as cascades of second-order sections.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"

namespace sill::flow {

enum class Band : std::uint8_t { low, high, pass, stop };

/// Samples are multiplied by `gain` and then pass the sections in turn.
struct Cascade {
  double gain = 1.0;
  std::vector<Section> sections;
  double slowest_pole = 0.0;  ///< largest modulus of a pole, below 1
};

/// What a filter is designed from. Corners are warped frequencies, w = tan(pi f dt); `w2` only of `pass` and `stop`.
struct ButterworthDesign {
  Band band = Band::low;
  int order = 4;  ///< at each edge: the poles of `pass` and `stop` are twice as many
  double w1 = 0.0;
  double w2 = 0.0;
};

/// Local. w = tan(pi f dt).
[[nodiscard]] double warped(double frequency_hz, double interval_s);

/// Local. The filter with corners at -10 log10(2) dB. Preconditions: order >= 1; 0 < w1 < w2.
[[nodiscard]] Cascade butterworth(const ButterworthDesign& design);

/// Local. The same design with corners moved so that it has -10 log10(2) dB there after two passes.
[[nodiscard]] ButterworthDesign corrected_for_two_passes(ButterworthDesign design);

/// Warped frequencies where the filter loses at most `pass_db` and at least `stop_db`.
struct ButterworthCorners {
  Band band = Band::low;
  double pass1 = 0.0;
  double pass2 = 0.0;
  double stop1 = 0.0;
  double stop2 = 0.0;
  double pass_db = 3.0;
  double stop_db = 20.0;
};

/// Local. The real number whose ceiling is the lowest order that meets the corners.
[[nodiscard]] double order_of(const ButterworthCorners& corners);

/// Local. The design of that order which loses exactly `pass_db` at the corners of the pass band; of a band-stop at one
/// of them, and at most that at the other.
[[nodiscard]] ButterworthDesign design_of(const ButterworthCorners& corners, int order);

}  // namespace sill::flow
