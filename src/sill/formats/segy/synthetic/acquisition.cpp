#include "sill/formats/segy/synthetic/acquisition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

constexpr std::array<std::string_view, 4> kind_words{"plain", "line", "streamer", "cube"};

constexpr std::int64_t bins_per_shot = 4;  // shot interval divided by bin size
constexpr int streamer_cables = 4;
constexpr double cube_begin_m = 500.0;  // position along the model, close to the first fault

constexpr double first_easting_m = 431'250.0;
constexpr double first_northing_m = 6'512'400.0;
constexpr double azimuth_rad = 52.0 * std::numbers::pi / 180.0;  // of the sail lines, clockwise from north
constexpr double max_breadth_m = 2'000'000.0;                    // so that coordinates in centimetres fit into 32 bits
constexpr std::int64_t max_number = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void refuse_survey(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Chooses about as many shots as channels, if there are few traces.
int default_channels(SurveyKind kind, std::int64_t traces) {
  const auto root = [&](int part) { return static_cast<int>(std::sqrt(static_cast<double>(traces / part))); };
  switch (kind) {
    case SurveyKind::cube: return std::max(1, root(1));
    case SurveyKind::streamer: return std::clamp(root(16), 1, 240);
    case SurveyKind::plain:
    case SurveyKind::line: break;
  }
  return std::clamp(root(1), 1, 240);
}

double easting_of(SurfacePoint point) {
  return first_easting_m + point.y_m * std::cos(azimuth_rad) + point.x_m * std::sin(azimuth_rad);
}
double northing_of(SurfacePoint point) {
  return first_northing_m - point.y_m * std::sin(azimuth_rad) + point.x_m * std::cos(azimuth_rad);
}

}  // namespace

std::span<const std::string_view> survey_kind_words() { return kind_words; }

std::string_view word_of(SurveyKind kind) { return kind_words[static_cast<std::size_t>(kind)]; }

Acquisition::Acquisition(SurveyKind kind, std::int64_t traces, int channels)
    : kind_(kind),
      channels_(channels > 0 ? channels : default_channels(kind, traces)),
      cables_(kind == SurveyKind::streamer ? streamer_cables : 1) {
  constexpr int max_traces_per_shot = 32'767;  // limit of bytes 3213-3214
  if (!is_cube() && traces_per_shot() > max_traces_per_shot)
    refuse_survey(fmt::format("a shot cannot have {} traces", traces_per_shot()),
                  fmt::format("give at most {} channels per cable", max_traces_per_shot / cables_));
  shots_ = (traces + traces_per_shot() - 1) / traces_per_shot();
  switch (kind_) {
    case SurveyKind::plain: break;
    case SurveyKind::line: line_spacing_m_ = 500.0; break;
    case SurveyKind::streamer: {
      // The survey is about as wide as it is long.
      line_spacing_m_ = cable_spacing_m * streamer_cables / 2;
      const double lines = std::sqrt(static_cast<double>(shots_) * shot_interval_m / line_spacing_m_);
      const auto whole_lines = std::max<std::int64_t>(1, std::llround(lines));
      shots_per_line_ = (shots_ + whole_lines - 1) / whole_lines;
      break;
    }
    case SurveyKind::cube:
      line_spacing_m_ = cube_bin_m;
      shots_per_line_ = 1;
      break;
  }
  if (static_cast<double>(lines()) * line_spacing_m_ > max_breadth_m)
    refuse_survey(
        fmt::format("a survey of {} {} is too large for its coordinates", shots_, is_cube() ? "inlines" : "shots"),
        is_cube() ? "give more crosslines with --channels" : "give more channels per cable");
  if (lines() * cables_ * sources() * bins_per_line() > max_number)
    refuse_survey("the survey has more midpoint bins than a header word can store", "give fewer traces or channels");

  if (kind_ != SurveyKind::plain) return;
  // A feathered streamer shifts midpoints along the line. Within 2.5 m they stay in their bins of 6.25 m.
  const double far_offset_m = near_offset_m + group_interval_m * (channels_ - 1);
  feather_rad_ = std::min(3.5 * std::numbers::pi / 180.0, std::acos(1.0 - std::min(1.0, 5.0 / far_offset_m)));
}

std::int64_t Acquisition::bins_per_line() const {
  return is_cube() ? channels_ : bins_per_shot * shots_per_line_ + channels_;
}

int Acquisition::full_fold() const {
  const int shots_between = static_cast<int>(bins_per_shot) * sources();
  return is_cube() ? 1 : (channels_ + shots_between - 1) / shots_between;
}

std::int64_t Acquisition::bin_number(const TraceGeometry& geometry) const {
  return is_cube() ? geometry.bin + 1 : geometry.bin + channels_;  // the lowest bin is 1 - channels
}

std::int64_t Acquisition::bin_number_of_all(const TraceGeometry& geometry) const {
  return geometry.bin_line * bins_per_line() + bin_number(geometry);
}

TraceGeometry Acquisition::cube_trace(std::int64_t index) const {
  TraceGeometry g;
  g.shot = index / channels_;
  g.line = g.shot;
  g.bin_line = g.shot;
  g.bin = index % channels_;
  g.channel = g.bin;
  g.bin_along_m = cube_begin_m + cube_bin_m * static_cast<double>(g.bin);
  g.source = {g.bin_along_m, cube_bin_m * static_cast<double>(g.line)};
  g.receiver = g.source;
  g.source_x_m = g.group_x_m = g.bin_x_m = easting_of(g.source);
  g.source_y_m = g.group_y_m = g.bin_y_m = northing_of(g.source);
  return g;
}

TraceGeometry Acquisition::trace(std::int64_t index) const {
  if (is_cube()) return cube_trace(index);
  TraceGeometry g;
  g.shot = index / traces_per_shot();
  g.channel = index % traces_per_shot();
  g.line = g.shot / shots_per_line_;
  g.shot_of_line = g.shot % shots_per_line_;
  const std::int64_t cable = g.channel / channels_;
  const std::int64_t group = g.channel % channels_;
  const std::int64_t source = g.shot_of_line % sources();
  const double along_cable_m = near_offset_m + group_interval_m * static_cast<double>(group);
  const double line_aside_m = line_spacing_m_ * static_cast<double>(g.line);
  const double source_aside_m = source_spacing_m * (static_cast<double>(source) - 0.5 * (sources() - 1));
  const double cable_aside_m = cable_spacing_m * (static_cast<double>(cable) - 0.5 * (cables_ - 1));

  g.source = {shot_interval_m * static_cast<double>(g.shot_of_line), line_aside_m + source_aside_m};
  g.source_x_m = easting_of(g.source);
  g.source_y_m = northing_of(g.source);
  const double feather_rad = feather_rad_ * (0.6 + 0.4 * std::sin(static_cast<double>(g.shot) / 60.0));
  const SurfacePoint cable_begin{g.source.x_m, line_aside_m + cable_aside_m};
  g.receiver = {cable_begin.x_m - along_cable_m, cable_begin.y_m};
  g.group_x_m = easting_of(cable_begin) - along_cable_m * std::sin(azimuth_rad + feather_rad);
  g.group_y_m = northing_of(cable_begin) - along_cable_m * std::cos(azimuth_rad + feather_rad);
  g.offset_m = std::hypot(along_cable_m, cable_aside_m - source_aside_m);

  g.bin = bins_per_shot * g.shot_of_line - group;
  g.bin_line = g.line * cables_ * sources() + cable * sources() + source;
  // The first shot that reaches a bin is the first shot of its source with 4 * shot >= bin; each later one adds a
  // trace.
  const std::int64_t first_shot = g.bin <= 0 ? 0 : (g.bin + bins_per_shot - 1) / bins_per_shot;
  const std::int64_t first_of_source = first_shot + (source - first_shot % sources() + sources()) % sources();
  g.bin_trace = (g.shot_of_line - first_of_source) / sources();
  g.bin_along_m = marine_bin_m * static_cast<double>(g.bin) - near_offset_m / 2;
  const SurfacePoint bin{g.bin_along_m, line_aside_m + 0.5 * (source_aside_m + cable_aside_m)};
  g.bin_x_m = easting_of(bin);
  g.bin_y_m = northing_of(bin);
  return g;
}

}  // namespace sill::segy
