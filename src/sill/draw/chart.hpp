// Charts: a raster, marks and curves over two axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sill/draw/canvas.hpp"
#include "sill/draw/frame.hpp"

namespace sill::draw {

/// An axis, from left to right or from bottom to top.
struct ChartAxis {
  std::string name = {};  ///< with its unit
  double first = 0.0;
  double last = 1.0;
  bool is_whole = false;  ///< only whole numbers are labelled
};

/// Cells of equal size, row by row from the bottom; NaN: no value, in the colour `absent`; infinite: a value that is
/// not finite, in ColourMap::nonfinite_colour.
struct Raster {
  int columns = 0;
  int rows = 0;
  double left = 0.0;    ///< centre of the first column
  double bottom = 0.0;  ///< centre of the first row
  double column_step = 1.0;
  double row_step = 1.0;
  bool is_interpolated = false;  ///< linear between the centres of cells that have values, and constant to the edges
  Colour absent = white;
  std::vector<float> values = {};
  std::vector<char> dead = {};  ///< for each value: 1 if it is of a dead trace; empty: none

  /// Local. Returns the index of the value in a column and a row.
  [[nodiscard]] std::size_t cell(double column, double row) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(row) * columns + static_cast<std::int64_t>(column));
  }
  [[nodiscard]] bool is_dead(std::size_t cell) const { return !dead.empty() && dead[cell] != 0; }
};

/// Points with one colour, or coloured by value.
struct Marks {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<float> values = {};  ///< one value per point; empty: all points have one colour
  double radius_px = 1.5;
};

/// Points connected by lines, or filled down to the lower axis.
struct Curve {
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool is_filled = false;
};

struct Chart {
  std::string title = {};
  std::vector<std::string> notes = {};
  ChartAxis x = {};
  ChartAxis y = {};
  bool has_equal_scales = false;  ///< axes are extended until both have the same scale
  ColourMap colours = ColourMap::parse("viridis");
  double low = 0.0;  ///< lowest value of the colour range
  double high = 1.0;
  std::string value_name = {};    ///< empty: no colour bar
  bool has_whole_values = false;  ///< only whole numbers are labelled
  std::optional<Raster> raster = {};
  std::optional<Marks> marks = {};
  std::vector<Curve> curves = {};
};

/// Local. Returns the layout of a chart.
[[nodiscard]] FrameLayout chart_layout(const PageSize& page, bool has_colour_bar);

/// Local. Writes a chart. Errors: io; errors of `sink`.
void write_chart(PictureForm form, const PageSize& page, const Chart& chart, const TextSink& sink);

}  // namespace sill::draw
