// Velocities drawn over semblance panels.
#pragma once

#include <vector>

#include "sill/flow/operation/velocity_field.hpp"
#include "sill/view/picture.hpp"

namespace sill::view {

/// Velocities in the form that `nmo` takes.
struct ShownVelocities {
  const flow::VelocityField* field = nullptr;
  double unit_m = 1.0;  ///< unit of length of the velocities in the offset word
};

/// A curve on the page, in pixels.
struct VelocityCurve {
  struct Point {
    double x = 0.0;
    double y = 0.0;
    bool is_given = false;  ///< the time of this point is in the velocity table
  };
  std::vector<Point> points;
};

/// Local. Returns a curve for each gather of the first panel. The gather must be a panel of velocities: its offset
/// words are velocities, in ascending order. A curve has a point for each row of pixels in which the velocity is within
/// the range of the traces, and is interrupted at other rows. Precondition: the section has the offset word and the
/// location word of the velocities.
[[nodiscard]] std::vector<VelocityCurve> curves_of(const Section& section, const draw::FrameLayout& layout,
                                                   const Placement& placement, const ShownVelocities& velocities);

/// Local. Draws the curves, with a mark at each time of the velocity table.
void draw_curves(const std::vector<VelocityCurve>& curves, const draw::FrameLayout& layout,
                 const draw::ColourMap& colours, draw::Canvas& canvas);

}  // namespace sill::view
