// The pixels of a section: its traces in density or as wiggles.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/flow/view/drawing.hpp"
#include "sill/flow/view/section_reading.hpp"

namespace sill::flow::view {

enum class PictureKind : std::uint8_t { density, wiggle, both };

enum class Palette : std::uint8_t {
  grey,    ///< positive black, negative white
  redblue  ///< positive red, negative blue, zero white
};

struct PictureStyle {
  PictureKind kind = PictureKind::density;
  Palette palette = Palette::grey;
  int width = 1200;  ///< of the section in pixels, at most
  int height = 800;
};

/// Local. Traces of a panel that a picture has room for. Precondition: panels >= 1.
[[nodiscard]] std::int64_t max_traces_of(const PictureStyle& style, int panels);

/// Where traces and rows lie in the image, in pixels.
struct Placement {
  int trace_px = 1;  ///< width of a trace
  int row_px = 1;    ///< height of a row
  int width = 0;     ///< of the image
  int height = 0;
  std::vector<int> trace_x;  ///< left edge of each trace, in the first panel
  std::vector<int> panel_x;  ///< left edge of each panel
  int panel_width = 0;
  bool has_all_gaps = true;  ///< false: gathers are too many for gaps between them
};

[[nodiscard]] Placement place_traces(const Section& section, const PictureStyle& style);

// What is no sample: where a trace has none, dead traces, samples that are not finite.
[[nodiscard]] Colour absent_colour();
[[nodiscard]] Colour dead_colour();
[[nodiscard]] Colour nonfinite_colour(Palette palette);

/// Local. Draws what lies in the band of the picture whose upper left corner is at these pixels. Positive samples are
/// black (red), in wiggles filled to the right: no polarity is ever reversed.
void draw_picture(SectionReader& reader, const Placement& placement, const PictureStyle& style, Band& band, int x,
                  int y);

}  // namespace sill::flow::view
