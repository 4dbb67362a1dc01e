#include "cli/check/check_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {
namespace {

constexpr double drawing_width = 560.0;
constexpr double text_height = 16.0;

std::string svg_begin(double height, std::string_view what) {
  return fmt::format("<svg viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">\n", drawing_width,
                     height, what);
}

// Returns a colour from pale to dark for a fraction from 0 to 1.
std::string shade(double share) {
  const auto channel = [&](double from, double to) {
    return static_cast<int>(std::lround(from + (to - from) * share));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(222, 8), channel(235, 48), channel(247, 107));
}

struct Point {
  double x = 0.0;
  double y = 0.0;
};

// The outline of a file on the map: a closed outline, or a line of two points.
struct Outline {
  std::vector<Point> points;
  std::size_t file = 0;
  CoordinateUnit unit = CoordinateUnit::not_stated;
};

std::vector<Point> outline_of(const SurveyGeometry& geometry) {
  std::vector<Point> points;
  if (geometry.fit && geometry.fit->good) {
    for (const Corner& corner : geometry.fit->corners) points.push_back({corner.x, corner.y});
  } else if (geometry.course) {
    points = {{geometry.course->first.x, geometry.course->first.y}, {geometry.course->last.x, geometry.course->last.y}};
  } else if (geometry.bounds) {
    const Bounds& b = *geometry.bounds;
    points = {{b.smallest_x, b.smallest_y},
              {b.largest_x, b.smallest_y},
              {b.largest_x, b.largest_y},
              {b.smallest_x, b.largest_y}};
  }
  const bool finite = std::ranges::all_of(points, [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); });
  return finite ? points : std::vector<Point>{};
}

std::string drawing_of(std::span<const Outline> outlines, CoordinateUnit unit) {
  Point min = outlines.front().points.front();
  Point max = min;
  for (const Outline& outline : outlines) {
    for (const Point& p : outline.points) {
      min = {std::min(min.x, p.x), std::min(min.y, p.y)};
      max = {std::max(max.x, p.x), std::max(max.y, p.y)};
    }
  }
  constexpr double margin = 30.0;
  constexpr double tallest = 480.0;
  const double span_x = std::max(max.x - min.x, 1e-9 * std::max(1.0, std::abs(max.x)));
  const double span_y = std::max(max.y - min.y, 1e-9 * std::max(1.0, std::abs(max.y)));
  const double scale = std::min((drawing_width - 2 * margin) / span_x, tallest / span_y);
  const double height = span_y * scale + 2 * margin;
  const auto at = [&](Point p) {
    return Point{margin + (p.x - min.x) * scale, height - margin - (p.y - min.y) * scale};
  };
  std::string svg = svg_begin(height + 2 * text_height, "positions");
  for (const Outline& outline : outlines) {
    std::string points;
    Point middle;
    for (const Point& p : outline.points) {
      const Point drawn = at(p);
      points += fmt::format("{:.1f},{:.1f} ", drawn.x, drawn.y);
      middle = {middle.x + drawn.x / static_cast<double>(outline.points.size()),
                middle.y + drawn.y / static_cast<double>(outline.points.size())};
    }
    svg += fmt::format(
        "<{} points=\"{}\" fill=\"#3b6ea5\" fill-opacity=\"0.15\" stroke=\"#3b6ea5\" "
        "stroke-width=\"2\"/>\n",
        outline.points.size() == 2 ? "polyline" : "polygon", points);
    svg += svg_text(middle.x, middle.y + 4.0, "middle", fmt::format("{}", outline.file));
  }
  svg += svg_text(0, height + text_height - 4.0, "start",
                  fmt::format("x {:.10g} to {:.10g}, y {:.10g} to {:.10g}, in {}; +y is up", min.x, max.x, min.y, max.y,
                              name_of(unit)));
  return svg + "</svg>\n";
}

}  // namespace

std::string histogram_drawing(const AmplitudeBars& bars) {
  if (bars.counts.empty()) return "";
  constexpr double height = 160.0;
  const auto max = static_cast<double>(std::max<std::int64_t>(1, std::ranges::max(bars.counts)));
  const double step = drawing_width / static_cast<double>(bars.counts.size());
  std::string svg = svg_begin(height + 3 * text_height, "amplitudes");
  for (std::size_t i = 0; i < bars.counts.size(); ++i) {
    if (bars.counts[i] == 0) continue;
    // Square roots make rare amplitudes visible next to many zeros.
    const double tall = std::max(1.0, height * std::sqrt(static_cast<double>(bars.counts[i]) / max));
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#3b6ea5\"/>\n",
                       static_cast<double>(i) * step, height - tall, step * 0.92, tall);
  }
  const double below = height + text_height;
  svg += svg_text(0, below, "start", fmt::format("{:.4g}", bars.lowest));
  svg += svg_text(drawing_width / 2, below, "middle", "0");
  svg += svg_text(drawing_width, below, "end", fmt::format("{:.4g}", bars.highest));
  svg += svg_text(0, below + text_height, "start",
                  fmt::format("heights are square roots of counts; {} samples are below, {} above",
                              format_count(bars.below), format_count(bars.above)));
  return svg + "</svg>\n";
}

std::string fold_drawing(const SurveyGeometry& geometry) {
  if (!geometry.grid || geometry.grid->map_rows < 1 || geometry.grid->map_columns < 1) return "";
  const SurveyGrid& grid = *geometry.grid;
  const auto rows = static_cast<std::size_t>(grid.map_rows);
  const auto columns = static_cast<std::size_t>(grid.map_columns);
  const auto fold = [&](std::size_t cell) {
    return grid.map_places[cell] == 0
               ? 0.0
               : static_cast<double>(grid.map_traces[cell]) / static_cast<double>(grid.map_places[cell]);
  };
  double max = 1.0;
  for (std::size_t cell = 0; cell < rows * columns; ++cell) max = std::max(max, fold(cell));
  const double wide = drawing_width / static_cast<double>(columns);
  const double tall = std::clamp(wide, 3.0, 24.0);
  const double height = tall * static_cast<double>(rows);
  // Runs of cells of one shade, drawn with one path per shade, because a page may contain thousands of maps.
  constexpr std::size_t shades = 16;
  std::array<std::string, shades> paths;
  const auto level = [&](std::size_t cell) {  // 0: no trace
    return static_cast<std::size_t>(std::ceil(fold(cell) / max * static_cast<double>(shades)));
  };
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns;) {
      const std::size_t here = level(row * columns + column);
      std::size_t end = column + 1;
      while (end < columns && level(row * columns + end) == here) ++end;
      if (here > 0) paths[here - 1] += fmt::format("M{} {}h{}v1h-{}z", column, row, end - column, end - column);
      column = end;
    }
  }
  std::string svg = svg_begin(height + 3 * text_height, "traces per bin");
  svg += fmt::format("<g transform=\"scale({:.4f} {:.4f})\" shape-rendering=\"crispEdges\">\n", wide, tall);
  for (std::size_t i = 0; i < shades; ++i) {
    if (paths[i].empty()) continue;
    svg += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", paths[i],
                       shade(static_cast<double>(i + 1) / static_cast<double>(shades)));
  }
  svg += "</g>\n";
  svg += fmt::format("<rect x=\"0\" y=\"0\" width=\"{}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#888\"/>\n",
                     drawing_width, height);
  const auto axis = [](const LineAxis& lines, std::string_view direction) {
    return fmt::format("{} {} to {}", direction, lines.first, lines.last);
  };
  std::string numbers = axis(grid.xlines, "to the right: crosslines");
  if (!grid.is_line()) numbers = axis(grid.ilines, "down: inlines") + ", " + numbers;
  svg += svg_text(0, height + text_height, "start", numbers);
  svg += svg_text(0, height + 2 * text_height, "start",
                  fmt::format("the darkest cell has {:.4g} traces per bin; white has none", max));
  return svg + "</svg>\n";
}

std::string position_drawing(std::span<const CheckedFile> files) {
  std::vector<Outline> outlines;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].result || !files[i].result->geometry) continue;
    const SurveyGeometry& geometry = *files[i].result->geometry;
    Outline outline{outline_of(geometry), i + 1, geometry.unit};
    if (!outline.points.empty()) outlines.push_back(std::move(outline));
  }
  std::ranges::stable_sort(outlines, {}, &Outline::unit);
  std::string svg;
  for (auto first = outlines.begin(); first != outlines.end();) {
    const auto end = std::find_if(first, outlines.end(), [&](const Outline& o) { return o.unit != first->unit; });
    svg += drawing_of({first, end}, first->unit);
    first = end;
  }
  return svg;
}

}  // namespace sill::cli
