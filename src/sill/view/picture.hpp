// Draws the pixels and paths of a section: its traces in density or as wiggles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/draw/canvas.hpp"
#include "sill/draw/frame.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

enum class PictureKind : std::uint8_t { density, wiggle, both };

enum class Interpolation : std::uint8_t {
  none,    ///< each sample is a rectangle
  linear,  ///< between neighbouring traces and rows
  cubic    ///< between neighbouring traces and rows, by Catmull-Rom splines
};

struct PictureStyle {
  PictureKind kind = PictureKind::density;
  Interpolation interpolation = Interpolation::linear;
  draw::ColourMap colours = draw::ColourMap::parse("grey");
  draw::PageSize page;
};

/// Local. Returns the layout of a picture, which is known before any trace is read. `top_rows`: rows of labels above
/// the area.
[[nodiscard]] draw::FrameLayout layout_of(const PictureStyle& style, int top_rows);

/// Local. Returns the maximum number of traces that fit into a panel. Precondition: panels >= 1.
[[nodiscard]] std::int64_t max_traces_of(const PictureStyle& style, const draw::FrameLayout& layout, int panels);

/// Positions of traces and rows in the area, in pixels from its upper left corner.
struct Placement {
  double trace_px = 1.0;        ///< width of a trace
  double row_px = 1.0;          ///< height of a row
  std::vector<double> trace_x;  ///< left edge of each trace within its panel
  std::vector<double> panel_x;  ///< left edge of each panel
  double panel_width = 0.0;
  bool has_all_gaps = true;  ///< false: there are too many gathers for gaps between them
};

/// Local. Returns a note about dead traces and samples that are not finite, with their colours; empty if there are
/// none.
[[nodiscard]] std::string oddities_text(std::int64_t dead_traces, std::int64_t nonfinite_samples,
                                        const draw::ColourMap& colours);

/// Local. Returns the sample of the lowest color: -clip; 0 if no sample is negative, as in semblance, and the colors do
/// not diverge from 0.
[[nodiscard]] inline double lowest_colored(double clip, bool has_negative, const draw::ColourMap& colours) {
  return has_negative || colours.is_diverging() ? -clip : 0.0;
}
/// Local. The same for a section; that of wiggles is -clip.
[[nodiscard]] inline double lowest_colored(const Section& section, const PictureStyle& style) {
  return lowest_colored(static_cast<double>(section.clip), section.has_negative || style.kind == PictureKind::wiggle,
                        style.colours);
}

/// Local. Returns the clip of a caption: "clip ±2" or "clip 0 to 2".
[[nodiscard]] std::string clip_text(double lowest, double clip);

/// Local. Returns the positions of the section's traces and rows.
[[nodiscard]] Placement place_traces(const Section& section, const draw::FrameLayout& layout);

/// Local. Draws the rows of the area that the canvas covers. Positive samples have the upper colours, and are filled to
/// the right in wiggles: polarity is never reversed.
void draw_picture(SectionReader& reader, const draw::FrameLayout& layout, const Placement& placement,
                  const PictureStyle& style, draw::Canvas& canvas);

}  // namespace sill::view
