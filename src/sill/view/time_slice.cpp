#include "sill/view/time_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::view {

double parse_slice(const std::string& text, const SurveyReader& reader) {
  const segy::FileDescription& file = reader.files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit =
      trimmed(std::string_view(text).substr(static_cast<std::size_t>(result.ptr - text.data())));
  const double scale = !is_depth ? (unit == "s"    ? 1e6
                                    : unit == "ms" ? 1e3
                                                   : 0.0)
                                 : (unit.empty() || unit == "m" || unit == "ft" ? 1e3 : 0.0);
  if (!(file.interval_us > 0.0))
    throw usage_error("the sample interval is 0: no sample has a time", "give the interval with --assume interval=US",
                      {.file = file.path});
  if (result.ec != std::errc{} || !std::isfinite(value) || scale == 0.0)
    throw usage_error(fmt::format("`{}` is not a {} of a slice", echoed(text), is_depth ? "depth" : "time"),
                      is_depth ? "the samples are in depth: write a number such as 1500m"
                               : "write a time with its unit, such as 1.2s or 1200ms",
                      {.file = file.path});
  return value * scale;
}

draw::Chart slice_chart(const SurveyReader& reader, const GridTraces& grid, double at_us, const ClipRequest& clip,
                        const draw::ColourMap& colours, bool is_interpolated, Progress* progress) {
  const segy::FileDescription& file = reader.files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  const auto [traces, samples, places, off_us] = samples_at(reader, grid.numbers, at_us);
  if (traces.empty())
    throw usage_error("no trace has a sample at the slice", "see the times of the samples: 'sill info FILE'",
                      {.file = file.path});
  std::vector<double> values(traces.size());
  constexpr std::int64_t traces_at_once = 1 << 14;
  const std::int64_t count = std::ssize(traces);
  if (progress != nullptr) progress->begin("reading samples", count * segy::bytes_of(file.sample_format));
  for (std::int64_t first = 0; first < count; first += traces_at_once) {
    const auto begin = static_cast<std::size_t>(first);
    const auto some = static_cast<std::size_t>(std::min(traces_at_once, count - first));
    reader.read_own_sample(std::span(traces).subspan(begin, some), std::span(samples).subspan(begin, some),
                           std::span(values).subspan(begin, some));
    count_done(progress, static_cast<std::int64_t>(some) * segy::bytes_of(file.sample_format));
  }
  draw::Raster raster{.columns = static_cast<int>(grid.columns),
                      .rows = static_cast<int>(grid.rows),
                      .left = static_cast<double>(grid.xlines.first),
                      .bottom = static_cast<double>(grid.ilines.first),
                      .column_step = static_cast<double>(grid.xlines.step * grid.xline_stride),
                      .row_step = static_cast<double>(grid.ilines.step * grid.iline_stride),
                      .is_interpolated = is_interpolated};
  raster.values.assign(grid.numbers.size(), std::numeric_limits<float>::quiet_NaN());
  ClipLevel level(clip);
  std::int64_t nonfinite = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    const bool is_finite = std::isfinite(value);
    raster.values[places[i]] = is_finite ? value : std::numeric_limits<float>::infinity();
    if (is_finite)
      level.add({&value, 1});
    else
      ++nonfinite;
  }
  draw::Chart chart;
  chart.x = {grid.xlines.word, raster.left - 0.5 * raster.column_step,
             raster.left + (static_cast<double>(grid.columns) - 0.5) * raster.column_step, true};
  chart.y = {grid.ilines.word, raster.bottom - 0.5 * raster.row_step,
             raster.bottom + (static_cast<double>(grid.rows) - 0.5) * raster.row_step, true};
  chart.colours = colours;
  chart.high = level.level() > 0.0F ? static_cast<double>(level.level()) : 1.0;
  chart.low = -chart.high;
  chart.value_name = "amplitude";
  const std::string at = is_depth ? fmt::format("depth {:g}", at_us / 1e3) : fmt::format("time {:g} s", at_us / 1e6);
  chart.title = fmt::format("{}: slice at {}", echoed(file.path, 200), at);
  chart.notes.push_back(
      grid.iline_stride == 1 && grid.xline_stride == 1
          ? "every trace"
          : fmt::format("1 of {} inlines, 1 of {} crosslines, none averaged", grid.iline_stride, grid.xline_stride));
  if (off_us > 1e-6 * file.interval_us)
    chart.notes.push_back(fmt::format("nearest samples, {:.4g} {} off at most", off_us / 1e3, is_depth ? "" : "ms"));
  chart.notes.push_back(fmt::format("clip \u00b1{:.6g}, {} traces, {} bins without a sample", chart.high,
                                    format_count(std::ssize(traces)),
                                    format_count(std::ssize(grid.numbers) - std::ssize(traces))));
  if (nonfinite > 0)
    chart.notes.push_back(fmt::format("{} sample{} NaN or infinite ({})", format_count(nonfinite),
                                      nonfinite == 1 ? " is" : "s are", colours.nonfinite()));
  chart.raster = std::move(raster);
  return chart;
}

}  // namespace sill::view
