// A section with its axes and caption.
#pragma once

#include "sill/flow/view/drawing.hpp"
#include "sill/flow/view/picture.hpp"
#include "sill/flow/view/section_reading.hpp"

namespace sill::flow::view {

/// Local. Time, or depth, runs down at the left; the words of the section stand on top, with their values at traces
/// that have them; the caption is below. `placement` is that of `place_traces`.
/// What the drawing refers to outlives it.
[[nodiscard]] Drawing draw_section(SectionReader& reader, const Placement& placement, const PictureStyle& style);

}  // namespace sill::flow::view
