// Positions of the traces of a synthetic survey.
//
// Marine kinds have a shot every 25 m, and a receiver group every 12.5 m, starting 150 m behind the source. So there is
// a midpoint every 6.25 m along straight sail lines. Trace t (from 0) is channel t mod C of shot t div C, where C is
// the number of groups of all cables, one cable after another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sill/formats/segy/synthetic/earth_model.hpp"

namespace sill::segy {

inline constexpr double shot_interval_m = 25.0;
inline constexpr double group_interval_m = 12.5;
inline constexpr double near_offset_m = 150.0;
inline constexpr double marine_bin_m = group_interval_m / 2;
inline constexpr double cable_spacing_m = 100.0;
inline constexpr double source_spacing_m = 50.0;
inline constexpr double cube_bin_m = 25.0;

enum class SurveyKind : std::uint8_t {
  plain,     ///< sail lines of one slightly feathered streamer, 50 m apart; five hyperbolic events
  line,      ///< 2-D lines, each with one streamer, 500 m apart
  streamer,  ///< 3-D: four cables 100 m apart, two sources 50 m apart that fire in turn
  cube       ///< post-stack and migrated: inlines of crosslines, 25 m by 25 m
};

/// Local. Returns the names of the kinds as users write them, in the order of the enumeration.
[[nodiscard]] std::span<const std::string_view> survey_kind_words();
[[nodiscard]] std::string_view word_of(SurveyKind kind);

/// The positions of the source and receiver of a trace, and its midpoint bin. Coordinates are eastings and northings.
struct TraceGeometry {
  std::int64_t shot = 0;          ///< from 0, over all lines
  std::int64_t line = 0;          ///< sail line, from 0; the inline of a cube
  std::int64_t shot_of_line = 0;  ///< number of the shot in its line, from 0
  std::int64_t channel = 0;       ///< channel of the shot, from 0; the nearest group of a cable comes first
  double offset_m = 0.0;
  SurfacePoint source;  ///< position along the first sail line, and distance from it
  SurfacePoint receiver;
  double source_x_m = 0.0;
  double source_y_m = 0.0;
  double group_x_m = 0.0;
  double group_y_m = 0.0;
  std::int64_t bin = 0;        ///< number of the bin along the line; negative for bins behind the first shot
  std::int64_t bin_line = 0;   ///< number of the line of the bin, from 0
  std::int64_t bin_trace = 0;  ///< index of the trace in its bin, from 0
  double bin_along_m = 0.0;
  double bin_x_m = 0.0;
  double bin_y_m = 0.0;
};

class Acquisition {
 public:
  /// Local. Creates the positions of a survey. `channels` is the number of channels per cable, or of crosslines of a
  /// cube; 0 selects a number that depends on the number of traces. Errors: usage, if the survey is too large for its
  /// coordinates or for the numbers of its bins.
  Acquisition(SurveyKind kind, std::int64_t traces, int channels);

  [[nodiscard]] TraceGeometry trace(std::int64_t index) const;

  [[nodiscard]] SurveyKind kind() const { return kind_; }
  [[nodiscard]] bool is_cube() const { return kind_ == SurveyKind::cube; }
  [[nodiscard]] int channels() const { return channels_; }  ///< per cable; crosslines of a cube
  [[nodiscard]] int cables() const { return cables_; }
  [[nodiscard]] int traces_per_shot() const { return channels_ * cables_; }
  [[nodiscard]] std::int64_t shots() const { return shots_; }  ///< inlines of a cube
  [[nodiscard]] std::int64_t shots_per_line() const { return shots_per_line_; }
  [[nodiscard]] std::int64_t lines() const { return (shots_ + shots_per_line_ - 1) / shots_per_line_; }
  [[nodiscard]] double line_spacing_m() const { return line_spacing_m_; }
  [[nodiscard]] int full_fold() const;                               ///< traces in a bin that all channels reach
  [[nodiscard]] double feather_rad() const { return feather_rad_; }  ///< largest angle between cable and sail line

  /// Local. Return the number of the bin of a trace along its line, from 1, and its number across all lines.
  [[nodiscard]] std::int64_t bin_number(const TraceGeometry& geometry) const;
  [[nodiscard]] std::int64_t bin_number_of_all(const TraceGeometry& geometry) const;

 private:
  [[nodiscard]] TraceGeometry cube_trace(std::int64_t index) const;
  [[nodiscard]] std::int64_t bins_per_line() const;
  [[nodiscard]] int sources() const { return kind_ == SurveyKind::streamer ? 2 : 1; }

  SurveyKind kind_;
  int channels_;
  int cables_ = 1;
  std::int64_t shots_ = 0;
  std::int64_t shots_per_line_ = 4000;
  double line_spacing_m_ = 50.0;
  double feather_rad_ = 0.0;
};

}  // namespace sill::segy
