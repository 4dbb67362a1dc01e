// The pixels and paths of a section: its traces in density or as wiggles.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/draw/canvas.hpp"
#include "sill/draw/frame.hpp"
#include "sill/view/section_reading.hpp"

namespace sill::view {

enum class PictureKind : std::uint8_t { density, wiggle, both };

enum class Interpolation : std::uint8_t {
  none,    ///< each sample a rectangle
  linear,  ///< between neighbouring traces and rows
  cubic    ///< likewise, by Catmull-Rom splines
};

struct PictureStyle {
  PictureKind kind = PictureKind::density;
  Interpolation interpolation = Interpolation::linear;
  draw::ColourMap colours = draw::ColourMap::parse("grey");
  draw::PageSize page;
};

/// Local. What is known of a picture before anything is read. `top_rows`: of labels above the area.
[[nodiscard]] draw::FrameLayout layout_of(const PictureStyle& style, int top_rows);

/// Local. Traces of a panel that the area has room for. Precondition: panels >= 1.
[[nodiscard]] std::int64_t max_traces_of(const PictureStyle& style, const draw::FrameLayout& layout, int panels);

/// Where traces and rows lie in the area, in pixels from its corner.
struct Placement {
  double trace_px = 1.0;        ///< width of a trace
  double row_px = 1.0;          ///< height of a row
  std::vector<double> trace_x;  ///< left edge of each trace, in its panel
  std::vector<double> panel_x;  ///< left edge of each panel
  double panel_width = 0.0;
  bool has_all_gaps = true;  ///< false: gathers are too many for gaps between them
};

[[nodiscard]] Placement place_traces(const Section& section, const draw::FrameLayout& layout);

/// Local. Draws the area, as far as the canvas shows it. Positive samples have the upper colours, and are filled to the
/// right in wiggles: no polarity is ever reversed.
void draw_picture(SectionReader& reader, const draw::FrameLayout& layout, const Placement& placement,
                  const PictureStyle& style, draw::Canvas& canvas);

}  // namespace sill::view
