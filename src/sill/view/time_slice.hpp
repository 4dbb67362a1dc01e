// A slice of a post-stack grid at one time or depth.
#pragma once

#include <string>

#include "sill/draw/chart.hpp"
#include "sill/view/clip_level.hpp"
#include "sill/view/grid_traces.hpp"

namespace sill::view {

/// Local. Reads "1.2s", "1200ms" for a survey along time, "1500", "1500m" or "1500ft" for one along depth; returns it
/// in the microseconds, or thousandths, in which intervals are. Errors: usage.
[[nodiscard]] double parse_slice(const std::string& text, const SurveyReader& reader);

/// Local. Draws the samples of the traces of `grid` nearest to `at_us`: crosslines to the right, inlines upwards. Holes
/// and traces that have no such sample are white. Errors: usage, if no trace has one; io; input.
[[nodiscard]] draw::Chart slice_chart(const SurveyReader& reader, const GridTraces& grid, double at_us,
                                      const ClipRequest& clip, const draw::ColourMap& colours, bool is_interpolated);

}  // namespace sill::view
