// Velocities drawn over panels of semblance.
#pragma once

#include <vector>

#include "sill/flow/operation/velocity_field.hpp"
#include "sill/view/picture.hpp"

namespace sill::view {

/// Velocities as `nmo` takes them.
struct ShownVelocities {
  const flow::VelocityField* field = nullptr;
  double unit_m = 1.0;  ///< in which the offset word states velocities a second
};

/// A curve on the page, in pixels.
struct VelocityCurve {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    bool is_given = false;  ///< at a time of the table
  };
  std::vector<Point> points;
};

/// Local. A curve for each gather of the first panel whose traces state velocities, ascending, in the offset word:
/// where its velocities lie at each row of pixels, as far as there are traces of them. Precondition: the section has
/// the words offset and that of the locations.
[[nodiscard]] std::vector<VelocityCurve> curves_of(const Section& section, const draw::FrameLayout& layout,
                                                   const Placement& placement, const ShownVelocities& velocities);

/// Local. Draws them, with a mark at each time of the table.
void draw_curves(const std::vector<VelocityCurve>& curves, const draw::FrameLayout& layout,
                 const draw::ColourMap& colours, draw::Canvas& canvas);

}  // namespace sill::view
