// Draws the frame around an area: title, axes, colour bar, caption.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sill/draw/canvas.hpp"

namespace sill::draw {

/// The elements that a frame leaves space for.
struct FrameParts {
  int top_rows = 0;  ///< rows of labels above the area
  bool has_bottom_axis = false;
  bool has_colour_bar = false;
  double numbers_em = 4.0;  ///< width of the numbers of side axes
};

/// The position of the area on a page, in integer pixels, and the size of texts. The layout depends only on the page
/// size and the elements, so it is known before any data are read.
struct FrameLayout {
  FrameLayout(const PageSize& page, const FrameParts& parts);

  PageSize page;
  FrameParts parts;
  double em = 12.0;            ///< font size in pixels
  double line_px = 1.0;        ///< width of lines
  bool has_right_axis = true;  ///< false: the page is too narrow for numbers on both sides
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// A tick of an axis at a position of the page.
struct FrameTick {
  double at = 0.0;  ///< in pixels
  std::string text;
};

struct FrameAxis {
  std::string name = {};  ///< with its unit
  std::vector<FrameTick> ticks = {};
};

/// A position that may be labelled: its x in pixels and its label.
struct LabelPlace {
  double x = 0.0;
  double value = 0.0;  ///< value of the label; NaN if the label is not a number
  std::string text;
  double width = 0.0;  ///< width of the text in pixels
};

/// A row of labels above the area, for one quantity.
struct FrameRow {
  std::string name = {};
  std::vector<LabelPlace> places = {};  ///< ascending in x; widths are not set
  bool has_ticks = false;
  double max_width = 1e9;  ///< maximum width of a label, in pixels
};

struct ColourBar {
  ColourMap map;
  double low = 0.0;
  double high = 1.0;
  std::string name;       ///< with its unit
  bool is_whole = false;  ///< only whole numbers are labelled
};

/// A section of the area with an outline, over the full height of the area.
struct FrameBox {
  double x = 0.0;
  double width = 0.0;
};

struct Frame {
  FrameLayout layout;
  std::string title = {};
  std::vector<std::string> notes = {};  ///< notes of the caption; as many are drawn as fit into two lines of small text
  FrameAxis left = {};                  ///< repeated on the right
  FrameAxis bottom = {};
  std::vector<FrameRow> rows = {};
  std::optional<ColourBar> bar = {};
  std::vector<FrameBox> boxes = {};
};

/// Local. Returns ticks at the round numbers from `first` to `last`, which are at the pixels `first_at` and `last_at`.
/// Ticks are at least 2.5 em apart, or 5 em if `is_wide`; their numbers differ by at least `min_step`.
[[nodiscard]] std::vector<FrameTick> ticks_between(const FrameLayout& layout, double first, double last,
                                                   double first_at, double last_at, bool is_wide,
                                                   double min_step = 0.0);

/// Local. Draws the frame but not the content of the area. Without boxes, the area has an outline.
void draw_frame(Canvas& canvas, const TextMeasure& measure, const Frame& frame);

}  // namespace sill::draw
