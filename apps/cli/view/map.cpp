// sill map, sill plot: values of trace headers as points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/view/picture_options.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/survey/geometry/geometry.hpp"
#include "sill/view/axis_words.hpp"
#include "sill/view/charts.hpp"
#include "sill/view/header_points.hpp"

namespace sill::cli {
namespace {

constexpr std::ptrdiff_t max_marks = 200'000;
constexpr std::int64_t max_histogram_traces = 4000;

struct MapArguments : DrawingArguments {
  std::string show;
  std::string color;
};

struct PlotArguments : DrawingArguments {
  std::string x = "trace";
  std::string y;
  std::string color;
  bool is_histogram = false;
};

struct Positions {
  std::string unit;
  std::string show;
  std::string x;
  std::string y;
};

// Collective. Returns the positions to show, by default those from which the geometry is inferred. Positions in length
// units are rounded to integers: midpoints of one bin differ by the rounding of their coordinates.
Positions positions_of(const Resources& resources, const SurveyReader& reader, const std::string& show) {
  const SurveyGeometry geometry = find_geometry(resources, reader);
  const std::string_view unit = geometry.unit == CoordinateUnit::metres ? "m"
                                : geometry.unit == CoordinateUnit::feet ? "ft"
                                                                        : name_of(geometry.unit);
  Positions found{geometry.unit == CoordinateUnit::not_stated ? "" : fmt::format(" [{}]", unit), show, "", ""};
  if (show.empty())
    found.show = geometry.positions == PositionSource::ensemble ? "bins"
                 : geometry.positions == PositionSource::source ? "sources"
                                                                : "midpoints";
  const auto of = [&](const char* axis) {
    const std::string value = found.show == "sources"     ? fmt::format("true(s{})", axis)
                              : found.show == "receivers" ? fmt::format("true(g{})", axis)
                              : found.show == "bins"      ? fmt::format("true(cdp{})", axis)
                                                          : fmt::format("(true(s{0}) + true(g{0})) / 2", axis);
    return is_length(geometry.unit) ? fmt::format("round({})", value) : value;
  };
  found.x = of("x");
  found.y = of("y");
  return found;
}

bool is_whole(const SurveyReader& reader, const std::string& expression) {
  return segy::Expression::parse(expression, reader.words()).kind() == segy::ValueKind::integer;
}

std::string name_with_unit(const SurveyReader& reader, const std::string& expression) {
  const std::string unit = view::unit_of(expression, reader.words(), reader.files().front());
  return echoed(expression, 100) + (unit.empty() ? "" : fmt::format(" [{}]", unit));
}

// Adds marks, or, for many points, cells of two pixels with the mean of the points in them.
void add_points(draw::Chart& chart, const draw::PageSize& page, const std::vector<view::HeaderPoint>& points) {
  const auto [low_x, high_x] = std::ranges::minmax(points, {}, &view::HeaderPoint::x);
  const auto [low_y, high_y] = std::ranges::minmax(points, {}, &view::HeaderPoint::y);
  const auto [low, high] = std::ranges::minmax(points, {}, &view::HeaderPoint::mean);
  const double margin_x = 0.02 * (high_x.x - low_x.x);
  const double margin_y = 0.02 * (high_y.y - low_y.y);
  chart.x.first = low_x.x - margin_x;
  chart.x.last = high_x.x + margin_x;
  chart.y.first = low_y.y - margin_y;
  chart.y.last = high_y.y + margin_y;
  chart.low = low.mean;
  chart.high = high.mean;
  const draw::FrameLayout layout = draw::chart_layout(page, !chart.value_name.empty());
  if (std::ssize(points) <= max_marks) {
    const double room_px =
        std::sqrt(static_cast<double>(layout.width) * layout.height / static_cast<double>(points.size()));
    draw::Marks marks{.radius_px = std::clamp(0.45 * room_px / layout.line_px, 1.0, 4.0)};
    for (const view::HeaderPoint& point : points) {
      marks.x.push_back(point.x);
      marks.y.push_back(point.y);
      if (!chart.value_name.empty()) marks.values.push_back(static_cast<float>(point.mean));
    }
    chart.marks = std::move(marks);
    return;
  }
  double column = 2.0 * (chart.x.last - chart.x.first) / layout.width;
  double row = 2.0 * (chart.y.last - chart.y.first) / layout.height;
  if (chart.has_equal_scales) column = row = std::max(column, row);
  const auto cells = [](double length, double step) { return std::max(1, static_cast<int>(std::ceil(length / step))); };
  draw::Raster raster{.columns = cells(chart.x.last - chart.x.first, column),
                      .rows = cells(chart.y.last - chart.y.first, row),
                      .left = chart.x.first + 0.5 * column,
                      .bottom = chart.y.first + 0.5 * row,
                      .column_step = column,
                      .row_step = row};
  std::vector<double> sums(static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows));
  std::vector<std::int64_t> counts(sums.size());
  for (const view::HeaderPoint& point : points) {
    const auto i = std::min(static_cast<int>((point.x - chart.x.first) / column), raster.columns - 1);
    const auto j = std::min(static_cast<int>((point.y - chart.y.first) / row), raster.rows - 1);
    const auto cell =
        static_cast<std::size_t>(j) * static_cast<std::size_t>(raster.columns) + static_cast<std::size_t>(i);
    sums[cell] += point.mean;
    ++counts[cell];
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    raster.values.push_back(counts[i] == 0 ? std::nanf("")
                                           : static_cast<float>(sums[i] / static_cast<double>(counts[i])));
  chart.raster = std::move(raster);
  chart.notes.push_back("points in one cell of two pixels: their mean");
}

std::string of_what(const SurveyReader& reader, const view::HeaderPoints& found) {
  const std::string condition = found.condition.empty() ? "" : fmt::format(", where {}", echoed(found.condition, 200));
  return fmt::format("{} point{} from {} of {} traces{}{}", format_count(std::ssize(found.points)),
                     found.points.size() == 1 ? "" : "s", format_count(found.traces), format_count(reader.traces()),
                     condition,
                     found.auxiliary > 0 ? fmt::format(", {} auxiliary left out", format_count(found.auxiliary)) : "");
}

int run_map(Session& session, const MapArguments& options) {
  run_and_agree(session.comm(), [&] { options.picture.require_valid(); });
  const InputSurvey reader(session, {session.reserved_input(options.file, {options.picture.output})});
  const Positions positions = positions_of(session.resources(), reader, options.show);
  const view::HeaderPoints found = view::header_points(session.resources(), reader,
                                                       {.traces = options.traces,
                                                        .x = positions.x,
                                                        .y = positions.y,
                                                        .value = options.color,
                                                        .leaves_out_auxiliary = true});
  run_and_agree(session.comm(), [&] {
    if (found.points.size() > 1 || found.traces < 2) return;
    throw usage_error(fmt::format("all {} of the selected traces are at one point, {:g}, {:g}", positions.show,
                                  found.points.front().x, found.points.front().y),
                      "give --show sources, receivers, midpoints or bins (cdpx, cdpy); 'sill info FILE --geometry' "
                      "shows which words contain positions",
                      {.file = reader.paths().front()});
  });
  return draw_chart(
      session, options.picture, reader,
      [&] {
        draw::Chart chart;
        chart.x.name = "x" + positions.unit;
        chart.y.name = "y" + positions.unit;
        chart.has_equal_scales = true;
        chart.colours = options.picture.colour_map();
        const bool is_fold = options.color.empty();
        chart.has_whole_values = is_fold || is_whole(reader, options.color);
        chart.value_name = !is_fold ? "mean of " + name_with_unit(reader, options.color)
                           : positions.show == "bins" || positions.show == "midpoints" ? "fold [traces]"
                                                                                       : "traces";
        chart.title = fmt::format("{}: {}", echoed(options.file, 200), positions.show);
        chart.notes.push_back(of_what(reader, found));
        add_points(chart, options.picture.page(), found.points);
        return chart;
      },
      of_what(reader, found));
}

int run_plot(Session& session, const PlotArguments& options) {
  run_and_agree(session.comm(), [&] {
    options.picture.require_valid();
    if (options.is_histogram || !options.y.empty()) return;
    throw usage_error("nothing is selected to plot", "give either --y, such as --y offset, or --histogram");
  });
  const InputSurvey reader(session, {session.reserved_input(options.file, {options.picture.output})});
  if (options.is_histogram) {
    reader.require_sample_format();
    const view::ShownTraces shown =
        view::choose_shown_traces(session.resources(), reader, options.traces, max_histogram_traces);
    const std::string what =
        fmt::format("{} of {} traces", format_count(std::ssize(shown.numbers)), format_count(shown.selected));
    return draw_chart(
        session, options.picture, reader,
        [&] {
          draw::Chart chart = view::amplitude_histogram(reader, shown.numbers, session.resources().progress);
          chart.title = fmt::format("{}: amplitudes", echoed(options.file, 200));
          chart.notes.insert(chart.notes.begin(), what);
          return chart;
        },
        what);
  }
  view::PointsRequest request{.traces = options.traces, .x = options.x, .y = options.y, .value = options.color};
  const std::int64_t stride = (reader.traces() + request.max_points - 1) / request.max_points;
  if (stride > 1) {
    const std::string every = fmt::format("trace % {} == 1", stride);
    request.traces.where =
        request.traces.where.empty() ? every : fmt::format("({}) and {}", request.traces.where, every);
  }
  const view::HeaderPoints found = view::header_points(session.resources(), reader, request);
  return draw_chart(
      session, options.picture, reader,
      [&] {
        draw::Chart chart;
        chart.x = {.name = name_with_unit(reader, options.x), .is_whole = is_whole(reader, options.x)};
        chart.y = {.name = name_with_unit(reader, options.y), .is_whole = is_whole(reader, options.y)};
        chart.colours = options.picture.colour_map();
        chart.has_whole_values = !options.color.empty() && is_whole(reader, options.color);
        if (!options.color.empty()) chart.value_name = "mean of " + name_with_unit(reader, options.color);
        chart.title =
            fmt::format("{}: {} by {}", echoed(options.file, 200), echoed(options.y, 100), echoed(options.x, 100));
        chart.notes.push_back(of_what(reader, found));
        add_points(chart, options.picture.page(), found.points);
        return chart;
      },
      of_what(reader, found));
}

}  // namespace

void add_map(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "map",
      "Draw positions of sources, receivers, midpoints or bins\nColors show the fold, or the mean of a word.",
      "  sill map shots.sgy -o fold.png\n"
      "  sill map shots.sgy -o sources.png --show sources --color fldr\n"
      "  sill map cube.sgy -o bins.pdf --show bins --color 'true(cdpx)'\n",
      run_map);
  add_drawing_options(parser, *options);
  add_choice(parser, "--show", options->show, {"sources", "receivers", "midpoints", "bins"},
             "Positions to draw: sources (sx, sy), receivers (gx, gy), midpoints halfway between them, or bins (cdpx, "
             "cdpy). Default: bins or midpoints, as 'sill info --geometry' determines");
  parser.add_option("--color", options->color,
                    "Word or expression whose mean at each position is shown as color. Default: the number of traces");
  add_map_option({parser, command});
  add_input_options({parser, command});
}

void add_plot(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "plot", "Plot header words, or a histogram of amplitudes",
                  "  sill plot shots.sgy -o offsets.png --y offset\n"
                  "  sill plot shots.sgy -o elevations.png --x trace --y 'true(gelev)'\n"
                  "  sill plot shots.sgy -o amplitudes.png --histogram --where 'offset < 1000'\n",
                  run_plot);
  add_drawing_options(parser, *options);
  CLI::Option* const histogram =
      parser.add_flag("--histogram", options->is_histogram, "Plot the number of samples for each amplitude");
  parser.add_option("--x", options->x, "Word or expression on the horizontal axis (`sill help expressions`)")
      ->capture_default_str()
      ->excludes(histogram);
  parser.add_option("--y", options->y, "Word or expression on the vertical axis")->excludes(histogram);
  CLI::Option* const color =
      parser.add_option("--color", options->color, "Word or expression whose mean at each point is shown as color");
  color->excludes(histogram);
  parser.get_option("--colors")->needs(color);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
