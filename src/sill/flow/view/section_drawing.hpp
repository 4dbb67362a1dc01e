// A section with its axes and caption.
#pragma once

#include <optional>

#include "sill/flow/view/drawing.hpp"
#include "sill/flow/view/picture.hpp"
#include "sill/flow/view/section_reading.hpp"
#include "sill/flow/view/velocity_curves.hpp"

namespace sill::flow::view {

/// Local. Time, or depth, runs down at the left; the words of the section stand on top, with their values at traces
/// that have them; the caption is below. `placement` is that of `place_traces`.
/// `velocities` are drawn over it, if they are given. What the drawing refers to outlives it. Errors: usage, if there
/// are velocities and none can be drawn.
[[nodiscard]] Drawing draw_section(SectionReader& reader, const Placement& placement, const PictureStyle& style,
                                   const std::optional<ShownVelocities>& velocities = {});

}  // namespace sill::flow::view
