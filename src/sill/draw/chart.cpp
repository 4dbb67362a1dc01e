#include "sill/draw/chart.hpp"

#include <algorithm>
#include <cmath>

namespace sill::draw {
namespace {

constexpr Colour curve_colour{31, 84, 148};
constexpr int max_strip_pixels = 1 << 22;

class ChartPainter {
 public:
  ChartPainter(const Chart& chart, const PageSize& page)
      : chart_(chart), frame_{.layout = chart_layout(page, !chart.value_name.empty())}, x_(chart.x), y_(chart.y) {
    const FrameLayout& layout = frame_.layout;
    widen(x_);
    widen(y_);
    if (chart.has_equal_scales) {
      const double per_px = std::max((x_.last - x_.first) / layout.width, (y_.last - y_.first) / layout.height);
      lengthen(x_, per_px * layout.width);
      lengthen(y_, per_px * layout.height);
    }
    frame_.title = chart.title;
    frame_.notes = chart.notes;
    frame_.left = {y_.name,
                   ticks_between(layout, y_.first, y_.last, layout.y + layout.height, layout.y, false, min_step(y_))};
    frame_.bottom = {x_.name,
                     ticks_between(layout, x_.first, x_.last, layout.x, layout.x + layout.width, true, min_step(x_))};
    if (!chart.value_name.empty())
      frame_.bar = ColourBar{chart.colours, chart.low, chart.high, chart.value_name, chart.has_whole_values};
  }

  void paint(Canvas& canvas, const TextMeasure& measure) const {
    const FrameLayout& layout = frame_.layout;
    if (chart_.raster) paint_raster(canvas, *chart_.raster);
    canvas.within(layout.x, layout.y, layout.width, layout.height, [&] {
      for (const Curve& curve : chart_.curves) paint_curve(canvas, curve);
      if (chart_.marks) paint_marks(canvas, *chart_.marks);
    });
    draw_frame(canvas, measure, frame_);
  }

 private:
  // Extends the axis if it has only a single value.
  static void widen(ChartAxis& axis) {
    if (axis.last > axis.first) return;
    double more = axis.first == 0.0 ? 1.0 : 0.01 * std::abs(axis.first);
    if (axis.is_whole) more = std::max(more, 1.0);
    axis.first -= more;
    axis.last += more;
  }
  static double min_step(const ChartAxis& axis) { return axis.is_whole ? 1.0 : 0.0; }
  static void lengthen(ChartAxis& axis, double length) {
    const double more = 0.5 * (length - (axis.last - axis.first));
    axis.first -= more;
    axis.last += more;
  }

  [[nodiscard]] double at_x(double value) const {
    return frame_.layout.x + (value - x_.first) / (x_.last - x_.first) * frame_.layout.width;
  }
  [[nodiscard]] double at_y(double value) const {
    return frame_.layout.y + (y_.last - value) / (y_.last - y_.first) * frame_.layout.height;
  }
  [[nodiscard]] Colour colour_of(double value) const {
    return chart_.colours.at(chart_.high > chart_.low ? (value - chart_.low) / (chart_.high - chart_.low) : 0.5);
  }

  void paint_raster(Canvas& canvas, const Raster& raster) const {
    const FrameLayout& layout = frame_.layout;
    const int first = std::max(0, canvas.first_y() - layout.y);
    const int end = std::min(layout.height, canvas.end_y() - layout.y);
    const int strip = std::max(1, max_strip_pixels / layout.width);
    for (int y = first; y < end; y += strip) {
      Image image(layout.width, std::min(strip, end - y));
      for (int j = 0; j < image.height; ++j) {
        const double value_y = y_.last - (y + j + 0.5) / layout.height * (y_.last - y_.first);
        const double row = (value_y - raster.bottom) / raster.row_step;
        for (int i = 0; i < image.width; ++i) {
          const double value_x = x_.first + (i + 0.5) / layout.width * (x_.last - x_.first);
          image.set(i, j, colour_at(raster, (value_x - raster.left) / raster.column_step, row));
        }
      }
      canvas.image(image, layout.x, layout.y + y);
    }
  }

  [[nodiscard]] Colour colour_at(const Raster& raster, double column, double row) const {
    const double nearest_column = std::floor(column + 0.5);
    const double nearest_row = std::floor(row + 0.5);
    if (nearest_column < 0.0 || nearest_row < 0.0 || nearest_column >= raster.columns || nearest_row >= raster.rows)
      return raster.absent;
    const std::size_t cell = raster.cell(nearest_column, nearest_row);
    const bool is_dead = raster.is_dead(cell);
    float value = raster.values[cell];
    if (std::isnan(value)) return raster.absent;
    if (std::isinf(value)) return chart_.colours.nonfinite_colour();
    if (raster.is_interpolated && !is_dead)
      if (const float mixed = interpolated(raster, column, row); std::isfinite(mixed)) value = mixed;
    const Colour colour = colour_of(static_cast<double>(value));
    return is_dead ? dead_sample_colour(colour, value == 0.0F) : colour;
  }

  // Returns NaN if one of the neighbours has no value or is dead. Beyond the centres of the outer cells, values do
  // not change towards the edge.
  [[nodiscard]] static float interpolated(const Raster& raster, double column, double row) {
    const double c = std::floor(std::max(column, 0.0));
    const double r = std::floor(std::max(row, 0.0));
    const auto u = static_cast<float>(std::max(column, 0.0) - c);
    const auto v = static_cast<float>(std::max(row, 0.0) - r);
    const auto value = [&](double right, double above) {
      const std::size_t cell =
          raster.cell(std::min(c + right, raster.columns - 1.0), std::min(r + above, raster.rows - 1.0));
      return raster.is_dead(cell) ? std::nanf("") : raster.values[cell];
    };
    return (1 - v) * ((1 - u) * value(0, 0) + u * value(1, 0)) + v * ((1 - u) * value(0, 1) + u * value(1, 1));
  }

  void paint_curve(Canvas& canvas, const Curve& curve) const {
    if (curve.x.empty()) return;
    canvas.set_colour(curve_colour);
    canvas.set_line_width(1.3 * frame_.layout.line_px);
    const double base = at_y(y_.first);
    canvas.move_to(at_x(curve.x.front()), curve.is_filled ? base : at_y(curve.y.front()));
    for (std::size_t i = 0; i < curve.x.size(); ++i) canvas.line_to(at_x(curve.x[i]), at_y(curve.y[i]));
    if (!curve.is_filled) return canvas.stroke();
    canvas.line_to(at_x(curve.x.back()), base);
    canvas.close();
    canvas.fill();
  }

  void paint_marks(Canvas& canvas, const Marks& marks) const {
    const double radius = marks.radius_px * frame_.layout.line_px;
    canvas.set_colour(curve_colour);
    for (std::size_t i = 0; i < marks.x.size(); ++i) {
      const double y = at_y(marks.y[i]);
      if (y < canvas.first_y() - radius || y > canvas.end_y() + radius) continue;
      if (!marks.values.empty()) canvas.set_colour(colour_of(static_cast<double>(marks.values[i])));
      canvas.circle(at_x(marks.x[i]), y, radius);
    }
  }

  const Chart& chart_;
  Frame frame_;
  ChartAxis x_;
  ChartAxis y_;
};

}  // namespace

FrameLayout chart_layout(const PageSize& page, bool has_colour_bar) {
  return {page, {.has_bottom_axis = true, .has_colour_bar = has_colour_bar, .numbers_em = 5.0}};
}

void write_chart(PictureForm form, const PageSize& page, const Chart& chart, const TextSink& sink) {
  const ChartPainter painter(chart, page);
  const TextMeasure measure;
  write_picture(
      form, page, chart.title, [&](Canvas& canvas) { painter.paint(canvas, measure); }, sink);
}

}  // namespace sill::draw
