// Velocities drawn over panels of semblance.
#pragma once

#include <vector>

#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/view/picture.hpp"

namespace sill::flow::view {

/// Velocities as `nmo` takes them.
struct ShownVelocities {
  const VelocityField* field = nullptr;
  double unit_m = 1.0;  ///< in which the offset word states velocities a second
};

/// A point of the image in pixels; those of one curve are joined.
struct CurvePoint {
  int x = 0;
  int y = 0;
  bool is_given = false;  ///< at a time of the table
  bool begins = false;    ///< the first of a curve
};

/// Local. A curve for each gather of the first panel whose traces state velocities, ascending, in the offset word:
/// where its velocities lie at each row, as far as there are traces of them. Precondition: the section has the words
/// offset and that of the locations.
[[nodiscard]] std::vector<CurvePoint> curves_of(const Section& section, const Placement& placement,
                                                const ShownVelocities& velocities);

/// Local. Draws what lies in the band of curves over the picture whose upper left corner is at these pixels.
void draw_curves(const std::vector<CurvePoint>& points, Palette palette, Band& band, int x, int y);

}  // namespace sill::flow::view
