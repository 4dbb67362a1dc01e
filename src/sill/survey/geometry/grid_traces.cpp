#include "sill/survey/geometry/grid_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/geometry/geometry.hpp"
#include "sill/survey/geometry/geometry_rows.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::int64_t hole = -1;

// Calls `visit(iline, xline, trace)` for the traces of this rank that are seismic data, on several threads.
template <class Visit>
void visit_places(const Resources& resources, const SurveyReader& reader, const SurveyGrid& grid, const Visit& visit) {
  const auto iline = segy::Expression::parse(grid.ilines.word, reader.words());
  const auto xline = segy::Expression::parse(grid.xlines.word, reader.words());
  const RowReader rows(reader.words());
  const ItemRange block = block_of(reader.traces(), resources.comm.size(), resources.comm.rank());
  visit_where(reader, block, nullptr, joined(joined(iline.needed_bytes(), xline.needed_bytes()), rows.needed_bytes()),
              resources.threads(), [&](std::int64_t trace, const segy::HeaderView& header, int /*thread*/) {
                if (!rows.is_auxiliary(header.header, header.order))
                  visit(iline.integer(header), xline.integer(header), trace);
              });
}

// Reduces the range `from` to `to` of a line, on which numbers are `start` + share * `along`, to its part less than one
// line outside of the axis.
void clip_line(double start, double along, const LineAxis& axis, double& from, double& to) {
  const double below = static_cast<double>(axis.first - axis.step) - start;
  const double above = static_cast<double>(axis.last + axis.step) - start;
  if (along == 0.0) {
    if (below > 0.0 || above < 0.0) to = -1.0;
    return;
  }
  from = std::max(from, std::min(below / along, above / along));
  to = std::min(to, std::max(below / along, above / along));
}

std::int64_t stride_for(std::int64_t places, std::int64_t max_places) { return (places + max_places - 1) / max_places; }

}  // namespace

SurveyGeometry require_grid(const Resources& resources, const SurveyReader& reader) {
  SurveyGeometry geometry = find_geometry(resources, reader);
  if (geometry.kind == SurveyKind::grid_post_stack && geometry.grid && geometry.grid->duplicates == 0) return geometry;
  const bool has_duplicates = geometry.grid && geometry.grid->duplicates > 0;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = has_duplicates
                      ? fmt::format("{} positions of the grid have more than one trace", geometry.grid->duplicates)
                      : fmt::format("this needs one trace per inline and crossline, but the survey is: {}",
                                    name_of(geometry.kind)),
       .where = {.file = reader.paths().front()},
       .action = "see 'sill info FILE --geometry'; give the positions of inline and crossline numbers with --map"});
}

GridTraces grid_traces(const Resources& resources, const SurveyReader& reader, const SurveyGrid& grid,
                       std::int64_t max_rows, std::int64_t max_columns) {
  GridTraces found;
  found.ilines = grid.ilines;
  found.xlines = grid.xlines;
  found.iline_stride = stride_for(found.ilines.places(), max_rows);
  found.xline_stride = stride_for(found.xlines.places(), max_columns);
  found.rows = stride_for(found.ilines.places(), found.iline_stride);
  found.columns = stride_for(found.xlines.places(), found.xline_stride);
  run_and_agree(resources.comm, [&] {
    found.numbers.assign(static_cast<std::size_t>(found.rows * found.columns), hole);
    const std::int64_t row_step = found.ilines.step * found.iline_stride;
    const std::int64_t column_step = found.xlines.step * found.xline_stride;
    visit_places(resources, reader, grid, [&](std::int64_t iline, std::int64_t xline, std::int64_t trace) {
      const std::int64_t row = iline - found.ilines.first;
      const std::int64_t column = xline - found.xlines.first;
      if (row % row_step != 0 || column % column_step != 0) return;
      found.numbers[static_cast<std::size_t>(row / row_step * found.columns + column / column_step)] = trace;
    });
  });
  resources.comm.all_reduce(std::span(found.numbers), Reduction::max);
  return found;
}

SliceSamples samples_at(const SurveyReader& reader, std::span<const std::int64_t> numbers, double at_us) {
  const segy::FileDescription& file = reader.files().front();
  const segy::DelayWord delay(reader.words());
  std::vector<std::pair<std::int64_t, std::size_t>> cells;  // trace and bin, in the order of the file
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] >= 0) cells.emplace_back(numbers[i], i);
  std::ranges::sort(cells);
  SliceSamples found;
  const segy::IntervalWord interval(reader.words(), file.interval_us);
  const RowReader rows(reader.words());
  const std::int64_t header_bytes = std::max<std::int64_t>(
      {segy::trace_header_bytes, delay.needed_bytes().end, interval.needed_bytes().end(), rows.needed_bytes().end()});
  constexpr std::size_t headers_at_once = 4096;
  for (std::size_t begin = 0; begin < cells.size(); begin += headers_at_once) {
    const std::span batch = std::span(cells).subspan(begin, std::min(headers_at_once, cells.size() - begin));
    std::vector<std::int64_t> traces;
    for (const auto& [trace, place] : batch) traces.push_back(trace);
    std::vector<std::byte> headers(traces.size() * static_cast<std::size_t>(header_bytes));
    reader.read_own_headers(traces, headers, header_bytes);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto& [trace, place] = batch[i];
      const std::byte* const header = headers.data() + i * static_cast<std::size_t>(header_bytes);
      interval.add_to(found.others, trace + 1, header, file.byte_order);
      const double start_us = delay.usable_start_us(header, file.byte_order);
      const double sample = std::round((at_us - start_us) / file.interval_us);
      if (!(sample >= 0.0) || sample >= static_cast<double>(reader.shape_of(trace).samples)) continue;
      found.off_us = std::max(found.off_us, std::abs(start_us + sample * file.interval_us - at_us));
      found.traces.push_back(trace);
      found.samples.push_back(static_cast<std::int64_t>(sample));
      found.places.push_back(place);
      found.are_dead.push_back(rows.is_dead(header, file.byte_order) ? 1 : 0);
    }
  }
  return found;
}

std::vector<LinePoint> parse_line(const std::string& text) {
  const auto refuse_line = [&] {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("`{}` is not a line", echoed(text)),
                 .action = "write X1,Y1:X2,Y2, or more points, in the coordinates of the survey"});
  };
  std::vector<LinePoint> points;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    double value = 0.0;
    const auto result = std::from_chars(at, end, value);
    constexpr double farthest = 1e15;  // so that the length of a line is finite
    if (result.ec != std::errc{} || !(std::abs(value) <= farthest)) refuse_line();
    at = result.ptr;
    return value;
  };
  while (true) {
    LinePoint point;
    point.x = number();
    if (at == end || *at++ != ',') refuse_line();
    point.y = number();
    points.push_back(point);
    if (at == end) break;
    if (*at++ != ':') refuse_line();
  }
  if (points.size() < 2) refuse_line();
  return points;
}

std::vector<std::int64_t> traces_along(const Resources& resources, const SurveyReader& reader,
                                       const std::vector<LinePoint>& line, std::string& top) {
  const SurveyGeometry geometry = require_grid(resources, reader);
  if (!geometry.fit || !geometry.fit->good)
    throw Error({.code = ErrorCode::usage,
                 .problem = "the positions of the traces do not fit their inline and crossline numbers, so the traces "
                            "along a line are unknown",
                 .where = {.file = reader.paths().front()},
                 .action = "see 'sill info FILE --geometry'; show inlines and crosslines instead"});
  const GridFit& fit = *geometry.fit;
  const LineAxis& ilines = geometry.grid->ilines;
  const LineAxis& xlines = geometry.grid->xlines;
  top = ilines.word + "," + xlines.word;
  // Finds the positions nearest to points half a bin apart.
  const auto side = [](double x, double y, std::int64_t step) { return std::hypot(x, y) * static_cast<double>(step); };
  const double bin = std::min(side(fit.x_iline, fit.y_iline, ilines.step), side(fit.x_xline, fit.y_xline, xlines.step));
  const double determinant = fit.x_iline * fit.y_xline - fit.x_xline * fit.y_iline;
  const auto nearest = [](double number, const LineAxis& axis) {
    const double places = std::round((number - static_cast<double>(axis.first)) / static_cast<double>(axis.step));
    return axis.first + static_cast<std::int64_t>(places) * axis.step;
  };
  // Line numbers of a point or, without the origin, of a difference of points.
  const auto numbers_at = [&](double x, double y) {
    return std::pair((x * fit.y_xline - y * fit.x_xline) / determinant,
                     (y * fit.x_iline - x * fit.y_iline) / determinant);
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double dx = line[i].x - line[i - 1].x;
    const double dy = line[i].y - line[i - 1].y;
    const auto start = numbers_at(line[i - 1].x - fit.x0, line[i - 1].y - fit.y0);
    const auto along = numbers_at(dx, dy);
    // Only the part of the line inside the grid: the line may be much longer.
    double from = 0.0;
    double to = 1.0;
    clip_line(start.first, along.first, ilines, from, to);
    clip_line(start.second, along.second, xlines, from, to);
    if (!(from <= to)) continue;
    const auto steps =
        std::max<std::int64_t>(1, static_cast<std::int64_t>((to - from) * std::hypot(dx, dy) / (0.5 * bin)));
    for (std::int64_t s = 0; s <= steps; ++s) {
      const double share = from + (to - from) * static_cast<double>(s) / static_cast<double>(steps);
      const std::pair place{nearest(start.first + share * along.first, ilines),
                            nearest(start.second + share * along.second, xlines)};
      if (places.empty() || places.back() != place) places.push_back(place);
    }
  }
  std::vector<std::int64_t> numbers(places.size(), hole);
  run_and_agree(resources.comm, [&] {
    std::multimap<std::pair<std::int64_t, std::int64_t>, std::size_t> wanted;
    for (std::size_t i = 0; i < places.size(); ++i) wanted.emplace(places[i], i);
    visit_places(resources, reader, *geometry.grid, [&](std::int64_t iline, std::int64_t xline, std::int64_t trace) {
      const auto [begin, end] = wanted.equal_range({iline, xline});
      for (auto each = begin; each != end; ++each) numbers[each->second] = trace;
    });
  });
  resources.comm.all_reduce(std::span(numbers), Reduction::max);
  std::erase(numbers, hole);
  if (numbers.empty()) {
    const auto corner = [&](std::size_t i) { return fmt::format("{:.1f},{:.1f}", fit.corners[i].x, fit.corners[i].y); };
    throw Error({.code = ErrorCode::usage,
                 .problem = "no trace is along the line",
                 .where = {.file = reader.paths().front()},
                 .action = fmt::format("the survey's corners are {}, {}, {} and {}", corner(0), corner(1), corner(2),
                                       corner(3))});
  }
  return numbers;
}

}  // namespace sill
