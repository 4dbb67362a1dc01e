// The page of `sill check`.
#include "cli/check/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cli/survey/geometry_text.hpp"
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

// Returns a bar chart of the frequency of amplitudes; empty without amplitudes.
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

// Returns a map of the number of traces by inline and crossline; empty if the file is not a grid or a line.
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

// Returns a map of the positions of all files, for files with one unit of coordinates: grids by their corners, lines
// from end to end, other files by the bounds of all positions. Labels are file numbers, from 1. Empty without
// positions.
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

std::string grade_mark(Grade grade) { return fmt::format("<span class=\"grade {0}\">{0}</span>", name_of(grade)); }

std::string overview_of(std::span<const CheckedFile> files) {
  std::string html =
      "<table>\n<tr><th>file</th><th>format</th><th class=\"number\">traces</th><th class=\"number\">size</th>"
      "<th>worst</th><th class=\"number\">findings</th></tr>\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    const CheckedFile& file = files[i];
    html += fmt::format("<tr><td><a href=\"#file{}\">{}</a></td>", i + 1, escaped(file.path));
    if (!file.result) {
      html += fmt::format("<td colspan=\"3\">could not be checked</td><td>{}</td><td></td></tr>\n",
                          grade_mark(Grade::critical));
      continue;
    }
    const segy::FileDescription& about = file.result->file;
    html += fmt::format(
        "<td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "</tr>\n",
        escaped(format_of(about)), format_count(about.traces), format_bytes(about.file_bytes),
        grade_mark(file.result->worst()), file.result->findings.size());
  }
  return html + "</table>\n";
}

std::string findings_of(std::span<const Finding> findings) {
  if (findings.empty()) return "<p>No findings.</p>\n";
  std::string html = "<table>\n<tr><th>grade</th><th>finding</th><th>where</th><th>clause</th><th>done</th></tr>\n";
  for (const Finding& finding : findings) {
    const Diagnostic& stated = finding.diagnostic;
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", grade_mark(stated.grade),
                        escaped(stated.problem), escaped(stated.where), escaped(stated.clause), escaped(stated.action));
  }
  return html + "</table>\n";
}

std::string amplitudes_of(const Amplitudes& amplitudes, const AmplitudeBars& bars) {
  if (amplitudes.finite() == 0) return "<p>There are no finite samples.</p>\n";
  std::string html =
      "<div class=\"side\">\n<div>" + histogram_drawing(bars) + "</div>\n<table style=\"width: auto\">\n";
  html += row_of("smallest", fmt::format("{:.7g}", amplitudes.smallest));
  for (const Percentile& one : amplitudes.percentiles)
    html += row_of(fmt::format("{:g} %", one.percent),
                   fmt::format("{:.5g} ± {:.1g}", one.amplitude.middle(), one.amplitude.error()));
  html += row_of("largest", fmt::format("{:.7g}", amplitudes.largest));
  html += row_of("rms", fmt::format("{:.7g}", amplitudes.rms));
  html += row_of("samples", format_count(amplitudes.samples));
  html += row_of("of these zero", format_count(amplitudes.zeros));
  html += row_of("NaN, infinite",
                 fmt::format("{}, {}", format_count(amplitudes.nans), format_count(amplitudes.infinities)));
  return html + "</table>\n</div>\n";
}

std::string facts_of(const segy::FileDescription& file) {
  std::string html = "<table style=\"width: auto\">\n";
  html += row_of("format", format_of(file));
  html += row_of("size", fmt::format("{} ({} bytes)", format_bytes(file.file_bytes), format_count(file.file_bytes)));
  html += row_of("byte order", name_of(file.byte_order));
  html +=
      row_of("samples", fmt::format("{}: {}", segy::code_of(file.sample_format), segy::name_of(file.sample_format)));
  html += row_of("traces", format_count(file.traces));
  html += row_of("samples per trace", file.lengths_vary ? "different numbers" : format_count(file.samples));
  html += row_of("interval", fmt::format("{} us", file.interval_us));
  return html + "</table>\n";
}

// Returns the lines of a preformatted text.
std::string lines_of(std::string_view text) {
  std::string html = "<pre>";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    html += escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html + "</pre>\n";
}

std::string geometry_of(const CheckResult& result) {
  if (!result.geometry) {
    return result.no_geometry.empty()
               ? ""
               : fmt::format("<h3>Geometry</h3>\n<p>Not inferred: {}</p>\n", escaped(result.no_geometry));
  }
  return "<h3>Geometry</h3>\n" + lines_of(geometry_text(*result.geometry)) + fold_drawing(*result.geometry);
}

std::string text_header_of(std::span<const std::string> lines) {
  if (lines.empty()) return "";
  std::string html = "<h3>Text header</h3>\n<pre>";
  for (const std::string& line : lines) html += escaped(line) + "\n";
  return html + "</pre>\n";
}

std::string section_of(const CheckedFile& file, std::size_t number) {
  std::string html = fmt::format("<h2 id=\"file{}\">{}</h2>\n", number, escaped(file.path));
  if (!file.result) {
    return html + fmt::format("<p>{} could not be checked:</p>\n{}", grade_mark(Grade::critical),
                              lines_of(file.error->what()));
  }
  const CheckResult& result = *file.result;
  html += facts_of(result.file);
  html += "<h3>Findings</h3>\n" + findings_of(result.findings);
  if (!file.section_element.empty()) html += "<h3>Section</h3>\n" + file.section_element;
  if (!file.no_section.empty()) html += "<h3>Section</h3>\n<p>Not shown: " + escaped(file.no_section) + "</p>\n";
  html += "<h3>Amplitudes</h3>\n" + amplitudes_of(result.amplitudes, file.bars);
  html += geometry_of(result);
  html += text_header_of(result.text_header);
  return html;
}

}  // namespace

std::string page_of(std::span<const CheckedFile> files) {
  std::string html = page_begin("sill check");
  html += fmt::format("<h1>sill check: {} file{}</h1>\n", files.size(), files.size() == 1 ? "" : "s");
  html += overview_of(files);
  const std::string positions = position_drawing(files);
  if (!positions.empty()) html += "<h2>Positions of the surveys</h2>\n" + positions;
  for (std::size_t i = 0; i < files.size(); ++i) html += section_of(files[i], i + 1);
  return html + fmt::format("<p>Made by sill {}.</p>\n</body>\n</html>", SILL_VERSION);
}

}  // namespace sill::cli
