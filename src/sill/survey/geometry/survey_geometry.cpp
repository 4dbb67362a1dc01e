#include "sill/survey/geometry/survey_geometry.hpp"

#include <fmt/format.h>

namespace sill {

std::string_view name_of(SurveyKind kind) {
  switch (kind) {
    case SurveyKind::empty: return "no traces";
    case SurveyKind::line_post_stack: return "line, post-stack";
    case SurveyKind::grid_post_stack: return "3-D grid, post-stack";
    case SurveyKind::grid_pre_stack: return "3-D grid, pre-stack";
    case SurveyKind::cmp_gathers: return "line of CMP gathers";
    case SurveyKind::shot_gathers: return "shot gathers";
    case SurveyKind::receiver_gathers: return "receiver gathers";
    case SurveyKind::irregular: return "irregular";
    case SurveyKind::unknown: return "unknown";
  }
  return "";
}

std::string_view name_of(CoordinateUnit unit) {
  switch (unit) {
    case CoordinateUnit::not_stated: return "length units";
    case CoordinateUnit::metres: return "metres";
    case CoordinateUnit::feet: return "feet";
    case CoordinateUnit::arc_seconds: return "arc seconds";
    case CoordinateUnit::degrees: return "degrees";
    case CoordinateUnit::dms: return "degrees, minutes, seconds";
  }
  return "";
}

std::string_view name_of(PositionSource source) {
  switch (source) {
    case PositionSource::none: return "none";
    case PositionSource::ensemble: return "cdpx, cdpy";
    case PositionSource::midpoint: return "midpoint of sx, sy and gx, gy";
    case PositionSource::source: return "sx, sy";
  }
  return "";
}

std::string GridCandidate::header_map() const {
  const auto word = [](LinePlace place) {
    return fmt::format(R"({{"byte": {}, "type": "i{}"}})", place.byte, place.bytes);
  };
  return fmt::format(R"({{"words": {{"iline": {}, "xline": {}}}}})", word(ilines.place), word(xlines.place));
}

std::string GridCandidate::advice() const {
  if (ilines.named_by_text && xlines.named_by_text) return "--map text reads them at these bytes";
  return "give a file with this text as --map: " + header_map();
}

}  // namespace sill
