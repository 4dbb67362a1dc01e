#include "sill/view/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/operation/lanes/real_fft.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/view/axis_words.hpp"
#include "sill/view/picture.hpp"
#include "sill/view/shown_headers.hpp"

namespace sill::view {
namespace {

constexpr double lowest_db = -60.0;
constexpr std::int64_t samples_at_once = std::int64_t{4} << 20;

bool are_live(std::span<const float> samples) {
  return std::ranges::all_of(samples, [](float x) { return std::isfinite(x); }) &&
         std::ranges::any_of(samples, [](float x) { return x != 0.0F; });
}

// Calls `visit` with the samples of each trace, in order; with an empty span for a trace that is dead, auxiliary, or
// has samples that are not finite.
void for_each_trace_of(const SurveyReader& reader, std::span<const std::int64_t> traces, const ShownHeaders& headers,
                       Progress* progress, const std::function<void(std::span<const float>)>& visit) {
  std::vector<float> samples;
  std::int64_t bytes = 0;
  for (const std::int64_t trace : traces) bytes += reader.bytes_of({trace, 1});
  if (progress != nullptr) progress->begin("reading traces", bytes);
  for (std::size_t begin = 0; begin < traces.size();) {
    std::size_t end = begin;
    std::int64_t count = 0;
    while (end < traces.size() && (end == begin || count < samples_at_once))
      count += reader.shape_of(traces[end++]).samples;
    samples.resize(static_cast<std::size_t>(count));
    reader.read_own_samples(traces.subspan(begin, end - begin), samples);
    std::span<const float> rest = samples;
    for (std::size_t i = begin; i < end; ++i) {
      const auto length = static_cast<std::size_t>(reader.shape_of(traces[i]).samples);
      const std::span<const float> own = rest.first(length);
      visit(!headers.is_dead(i) && headers.is_counted(i) && are_live(own) ? own : std::span<const float>{});
      rest = rest.subspan(length);
    }
    for (; begin < end; ++begin) count_done(progress, reader.bytes_of({traces[begin], 1}));
  }
}

// Returns the common length of all traces. Errors: usage, if lengths differ, the interval is not stated or the samples
// are or may be in depth.
std::int64_t require_series(const SurveyReader& reader) {
  const segy::FileDescription& file = reader.files().front();
  if (!reader.is_uniform())
    throw usage_error("traces differ in length", "give them one length with 'sill flow --do window'",
                      {.file = file.path});
  try {
    (void)flow::TraceTimes(flow::state_of(reader), "a spectrum");
  } catch (const Error& error) {
    throw_at(error, {.file = file.path});
  }
  return reader.shape_of(0).samples;
}

// Adds notes about traces that are not used, of which there are `left_out`, and about those of other intervals.
void add_trace_notes(std::vector<std::string>& notes, std::int64_t left_out, const std::string& fate,
                     const std::string& interval_note) {
  if (left_out > 0)
    notes.push_back(fmt::format("{} {}: dead, auxiliary, or with samples that are not finite",
                                format_count(left_out, "trace"), fate));
  if (!interval_note.empty()) notes.push_back(interval_note);
}

// Calls `visit` with the spectrum of each trace, in order; with an empty span for a trace that is not live.
void for_each_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces, const ShownHeaders& headers,
                       const flow::RealFft& fft, Progress* progress,
                       const std::function<void(std::span<const std::complex<double>>)>& visit) {
  flow::Workspace workspace;
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fft.frequencies()));
  for_each_trace_of(reader, traces, headers, progress, [&](std::span<const float> samples) {
    if (samples.empty()) return visit({});
    const float* const series = samples.data();
    const double* const rows = flow::spectra_of(fft, {&series, 1}, std::ssize(samples), workspace).spectra;
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      spectrum[k] = {rows[2 * k * flow::lane_count], rows[(2 * k + 1) * flow::lane_count]};
    visit(spectrum);
  });
}

double step_hz_of(const SurveyReader& reader, const flow::RealFft& fft) {
  return 1e6 / (reader.files().front().interval_us * static_cast<double>(fft.length()));
}

[[noreturn]] void refuse_dead(const SurveyReader& reader) {
  throw usage_error("all of the traces are dead, auxiliary, or have samples that are not finite", "choose other traces",
                    {.file = reader.files().front().path});
}

double db_of(double amplitude, double largest) {
  return amplitude > 0.0 ? std::max(lowest_db, 20.0 * std::log10(amplitude / largest)) : lowest_db;
}

}  // namespace

draw::Chart amplitude_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces, Progress* progress) {
  const std::int64_t samples = require_series(reader);
  const flow::RealFft fft(flow::RealFft::fast_length(samples));
  const ShownHeaders headers(reader, traces);
  std::vector<double> sums(static_cast<std::size_t>(fft.frequencies()));
  std::int64_t live = 0;
  for_each_spectrum(reader, traces, headers, fft, progress, [&](std::span<const std::complex<double>> spectrum) {
    if (spectrum.empty()) return;
    ++live;
    for (std::size_t k = 0; k < spectrum.size(); ++k) sums[k] += std::abs(spectrum[k]);
  });
  if (live == 0) refuse_dead(reader);
  const double largest = *std::ranges::max_element(sums);
  draw::Chart chart;
  draw::Curve curve;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    curve.x.push_back(static_cast<double>(k) * step_hz_of(reader, fft));
    curve.y.push_back(db_of(sums[k], largest));
  }
  chart.x = {"frequency [Hz]", 0.0, curve.x.back()};
  chart.y = {"amplitude [dB]", lowest_db, 0.0};
  chart.curves.push_back(std::move(curve));
  chart.notes.push_back(fmt::format("mean amplitude of {} live traces, 0 dB is {:.6g}", format_count(live),
                                    largest / static_cast<double>(live)));
  add_trace_notes(chart.notes, std::ssize(traces) - live, "left out", headers.interval_note());
  return chart;
}

draw::Chart fk_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces, double spacing,
                        const std::string& unit, Progress* progress) {
  const std::int64_t samples = require_series(reader);
  const flow::RealFft fft(flow::RealFft::fast_length(samples));
  const auto frequencies = static_cast<std::size_t>(fft.frequencies());
  const ShownHeaders headers(reader, traces);
  std::vector<std::complex<double>> rows;  // trace by trace; zeros for traces that are not live
  rows.reserve(traces.size() * frequencies);
  std::int64_t live = 0;
  for_each_spectrum(reader, traces, headers, fft, progress, [&](std::span<const std::complex<double>> spectrum) {
    if (!spectrum.empty()) ++live;
    rows.insert(rows.end(), spectrum.begin(), spectrum.end());
    rows.resize(rows.size() + frequencies - spectrum.size());
  });
  if (live == 0) refuse_dead(reader);
  // A discrete transform across the traces, starting at the most negative wavenumber.
  const std::size_t count = traces.size();
  std::vector<std::complex<double>> turns(count);
  for (std::size_t i = 0; i < count; ++i)
    turns[i] = std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count));
  draw::Raster raster{
      .columns = static_cast<int>(count), .rows = static_cast<int>(frequencies), .is_interpolated = true};
  raster.values.resize(count * frequencies);
  double largest = 0.0;
  std::vector<double> amplitudes(count * frequencies);
  for (std::size_t column = 0; column < count; ++column) {
    // With a negative spacing, the first trace is the farthest.
    const std::size_t up = (column + count - count / 2) % count;
    const std::size_t k = spacing > 0.0 ? up : (count - up) % count;
    std::vector<std::complex<double>> sums(frequencies);
    for (std::size_t i = 0; i < count; ++i) {
      // An event that arrives later at larger distances has positive wavenumbers.
      const std::complex<double> turn = turns[i * k % count];
      for (std::size_t f = 0; f < frequencies; ++f) sums[f] += turn * rows[i * frequencies + f];
    }
    for (std::size_t f = 0; f < frequencies; ++f) {
      amplitudes[f * count + column] = std::abs(sums[f]);
      largest = std::max(largest, amplitudes[f * count + column]);
    }
  }
  for (std::size_t i = 0; i < amplitudes.size(); ++i)
    raster.values[i] = static_cast<float>(db_of(amplitudes[i], largest));
  draw::Chart chart;
  raster.column_step = 1.0 / (std::abs(spacing) * static_cast<double>(count));
  raster.row_step = step_hz_of(reader, fft);
  raster.left = -raster.column_step * static_cast<double>(count / 2);
  chart.x = {unit.empty() ? "wavenumber [cycles per unit]" : fmt::format("wavenumber [cycles/{}]", unit),
             raster.left - 0.5 * raster.column_step,
             raster.left + (static_cast<double>(count) - 0.5) * raster.column_step};
  chart.y = {"frequency [Hz]", 0.0, raster.row_step * static_cast<double>(frequencies - 1)};
  chart.raster = std::move(raster);
  chart.low = lowest_db;
  chart.high = 0.0;
  chart.value_name = "amplitude [dB]";
  chart.notes.push_back(fmt::format("{} traces {:.6g}{}{} apart, 0 dB is {:.6g}", format_count(std::ssize(traces)),
                                    std::abs(spacing), unit.empty() ? "" : " ", unit, largest));
  add_trace_notes(chart.notes, std::ssize(traces) - live, "replaced by zeros", headers.interval_note());
  return chart;
}

draw::Chart amplitude_histogram(const SurveyReader& reader, std::span<const std::int64_t> traces, Progress* progress) {
  constexpr std::int64_t classes = 201;
  ClipLevel level({.is_percentile = true, .percent = 99.9});
  const ShownHeaders headers(reader, traces);
  std::int64_t live = 0;
  for_each_trace_of(reader, traces, headers, progress, [&](std::span<const float> samples) {
    if (samples.empty()) return;
    ++live;
    level.add(samples);
  });
  if (live == 0) refuse_dead(reader);
  const double reach = static_cast<double>(level.level());
  const double width = 2.0 * reach / static_cast<double>(classes);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes));
  std::int64_t beyond = 0;
  for_each_trace_of(reader, traces, headers, progress, [&](std::span<const float> samples) {
    for (const float sample : samples) {
      const double place = (static_cast<double>(sample) + reach) / width;
      if (place < 0.0 || place > static_cast<double>(classes))
        ++beyond;
      else
        ++counts[static_cast<std::size_t>(std::min(static_cast<std::int64_t>(place), classes - 1))];
    }
  });
  draw::Chart chart;
  draw::Curve curve{.is_filled = true};
  for (std::int64_t i = 0; i < classes; ++i)
    for (const std::int64_t edge : {i, i + 1}) {
      curve.x.push_back(-reach + width * static_cast<double>(edge));
      curve.y.push_back(static_cast<double>(counts[static_cast<std::size_t>(i)]));
    }
  chart.x = {"amplitude", -reach, reach};
  chart.y = {"samples", 0.0, 1.05 * *std::ranges::max_element(curve.y)};
  chart.curves.push_back(std::move(curve));
  chart.notes.push_back(fmt::format("{} live traces, {} classes of {:.6g}, {} samples beyond", format_count(live),
                                    classes, width, format_count(beyond)));
  add_trace_notes(chart.notes, std::ssize(traces) - live, "left out", "");
  return chart;
}

double parse_slice(const std::string& text, const SurveyReader& reader) {
  const segy::FileDescription& file = reader.files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit =
      trimmed(std::string_view(text).substr(static_cast<std::size_t>(result.ptr - text.data())));
  const std::string_view own = length_unit_of(file.measurement_system);
  const bool is_length = unit == "m" || unit == "ft";
  if (is_depth && is_length && own.empty())
    throw usage_error("the file does not state whether its depths are in metres or in feet",
                      "write the depth without a unit, as a number of the file", {.file = file.path});
  constexpr double metres_per_foot = 0.3048;
  const double scale = !is_depth                     ? (unit == "s"    ? 1e6
                                                        : unit == "ms" ? 1e3
                                                                       : 0.0)
                       : unit.empty() || unit == own ? 1e3
                       : is_length                   ? (unit == "ft" ? 1e3 * metres_per_foot : 1e3 / metres_per_foot)
                                                     : 0.0;
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
  const auto [traces, samples, places, are_dead, off_us, others] = samples_at(reader, grid.numbers, at_us);
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
                      .is_interpolated = is_interpolated,
                      .absent = draw::absent_colour};
  raster.values.assign(grid.numbers.size(), std::numeric_limits<float>::quiet_NaN());
  raster.dead.assign(grid.numbers.size(), 0);
  ClipLevel level(clip);
  std::int64_t nonfinite = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    const bool is_finite = std::isfinite(value);
    raster.values[places[i]] = is_finite ? value : std::numeric_limits<float>::infinity();
    raster.dead[places[i]] = are_dead[i];
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
  chart.low = lowest_colored(chart.high, level.has_negative() || !(level.level() > 0.0F), colours);
  chart.value_name = "amplitude";
  const std::string_view depth_unit = length_unit_of(file.measurement_system);
  const std::string unit = is_depth ? (depth_unit.empty() ? "" : fmt::format(" {}", depth_unit)) : " ms";
  const std::string at =
      is_depth ? fmt::format("depth {:g}{}", at_us / 1e3, unit) : fmt::format("time {:g} s", at_us / 1e6);
  chart.title = fmt::format("{}: slice at {}", echoed(file.path, 200), at);
  chart.notes.push_back(
      grid.iline_stride == 1 && grid.xline_stride == 1
          ? "every trace"
          : fmt::format("1 of {} inlines, 1 of {} crosslines, none averaged", grid.iline_stride, grid.xline_stride));
  if (off_us > 1e-6 * file.interval_us)
    chart.notes.push_back(fmt::format("nearest samples, {:.4g}{} off at most", off_us / 1e3, unit));
  chart.notes.push_back(fmt::format("{}, {} traces, {} bins without a sample", clip_text(chart.low, chart.high),
                                    format_count(std::ssize(traces)),
                                    format_count(std::ssize(grid.numbers) - std::ssize(traces))));
  if (const std::string oddities = oddities_text(std::ranges::count(are_dead, 1), nonfinite, colours);
      !oddities.empty())
    chart.notes.push_back(oddities);
  if (others.traces > 0) chart.notes.push_back(segy::IntervalWord(reader.words(), file.interval_us).note(others));
  chart.raster = std::move(raster);
  return chart;
}

}  // namespace sill::view
