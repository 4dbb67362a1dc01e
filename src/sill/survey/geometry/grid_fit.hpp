// Fits positions to line numbers. Uses only numbers as input and output.
#pragma once

#include <optional>
#include <span>

#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// The position of a trace with its inline and crossline numbers.
struct PlacedTrace {
  double iline = 0.0;
  double xline = 0.0;
  double x = 0.0;
  double y = 0.0;
};

/// Local. Returns the least-squares fit. Repeats the fit up to twice, without the traces that are farther away than
/// both four times the median distance and a quarter of the smaller bin side. Sets x0 to y_xline, `fitted` and `rms`.
/// Returns nullopt if the numbers do not spread in both directions. `iline_step` and `xline_step` are the steps of the
/// numbers.
[[nodiscard]] std::optional<GridFit> fit_positions(std::span<const PlacedTrace> traces, double iline_step,
                                                   double xline_step);

/// Local. Returns the direction from the origin to (x, y): degrees clockwise from +y, in [0, 360).
[[nodiscard]] double azimuth_of(double x, double y);

/// Local. Returns the shorter side of a bin, in units of the coordinates.
[[nodiscard]] double smaller_side(const GridFit& fit, double iline_step, double xline_step);

/// Local. Adds corners and, for units of length, bin sides and directions.
void describe_fit(GridFit& fit, const LineAxis& ilines, const LineAxis& xlines, CoordinateUnit unit);

/// Local. Returns the ratio, 0 to 1, of the standard deviations of points across and along their main direction;
/// nullopt if all points coincide.
[[nodiscard]] std::optional<double> relative_width(std::span<const PlacedTrace> points);

}  // namespace sill
