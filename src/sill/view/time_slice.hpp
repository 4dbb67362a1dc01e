// A slice of a post-stack grid at one time or depth.
#pragma once

#include <string>

#include "sill/draw/chart.hpp"
#include "sill/survey/geometry/grid_traces.hpp"
#include "sill/view/clip_level.hpp"

namespace sill::view {

/// Local. Reads "1.2s" or "1200ms" for a survey in time, and "1500", "1500m" or "1500ft" for a survey in depth. Returns
/// the value in the unit of sample intervals: microseconds, or thousandths of the depth unit. Errors: usage.
[[nodiscard]] double parse_slice(const std::string& text, const SurveyReader& reader);

/// Local. Draws the samples of the traces of `grid` nearest to `at_us`: crosslines to the right, inlines upwards.
/// Positions without a trace and traces without such a sample are white. `progress` counts the bytes read. Errors:
/// usage, if no trace has such a sample; io; input.
[[nodiscard]] draw::Chart slice_chart(const SurveyReader& reader, const GridTraces& grid, double at_us,
                                      const ClipRequest& clip, const draw::ColourMap& colours, bool is_interpolated,
                                      Progress* progress = nullptr);

}  // namespace sill::view
