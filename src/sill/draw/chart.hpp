// Charts: a raster, marks and curves over two axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sill/draw/canvas.hpp"
#include "sill/draw/frame.hpp"

namespace sill::draw {

/// From the left to the right, or from below upwards.
struct ChartAxis {
  std::string name = {};  ///< with its unit
  double first = 0.0;
  double last = 1.0;
};

/// Cells of one size, row by row from below; NaN: nothing is there.
struct Raster {
  int columns = 0;
  int rows = 0;
  double left = 0.0;    ///< the middle of the first column
  double bottom = 0.0;  ///< the middle of the first row
  double column_step = 1.0;
  double row_step = 1.0;
  bool is_interpolated = false;  ///< linear between the middles of cells, where all four are there
  std::vector<float> values = {};
};

/// Points with one colour, or with that of their values.
struct Marks {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<float> values = {};  ///< as many, or none
  double radius_px = 1.5;
};

/// Points joined by lines, or filled down to the lower axis.
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
  bool has_equal_scales = false;  ///< axes are made longer until a unit is as long on both
  ColourMap colours = ColourMap::parse("viridis");
  double low = 0.0;  ///< of the values that have colours
  double high = 1.0;
  std::string value_name = {};  ///< empty: there is no colour bar
  std::optional<Raster> raster = {};
  std::optional<Marks> marks = {};
  std::vector<Curve> curves = {};
};

/// Local. Where the area of a chart is.
[[nodiscard]] FrameLayout chart_layout(const PageSize& page, bool has_colour_bar);

/// Local. Writes a chart. Errors: io; those of `sink`.
void write_chart(PictureForm form, const PageSize& page, const Chart& chart, const Sink& sink);

}  // namespace sill::draw
