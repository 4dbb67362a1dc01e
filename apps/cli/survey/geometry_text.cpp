#include "cli/survey/geometry_text.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"
#include "sill/survey/arrays/trace_grid.hpp"

namespace sill::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Rows of a name and its value.
class Rows {
 public:
  void add(std::string_view name, const std::string& value) { text_ += fmt::format("  {:<23} {}\n", name, value); }
  [[nodiscard]] std::string text() const { return text_.substr(0, text_.size() - 1); }

 private:
  std::string text_;
};

std::string place_text(const Place& place, bool is_line) {
  return is_line ? fmt::format("{}", place.xline) : fmt::format("{}/{}", place.iline, place.xline);
}

std::string places_text(const std::vector<Place>& places, std::int64_t all, bool is_line) {
  std::string text;
  for (const Place& place : places) text += (text.empty() ? "" : ", ") + place_text(place, is_line);
  return text + (all > std::ssize(places) ? ", ..." : "");
}

std::string axis_text(const LineAxis& axis) {
  if (axis.lines == 1) return fmt::format("{}: one line", axis.first);
  std::string text =
      fmt::format("{} to {} by {}: {} numbers", axis.first, axis.last, axis.step, format_count(axis.lines));
  if (axis.missing() > 0) text += fmt::format(", {} missing", format_count(axis.missing()));
  if (axis.usual_step != axis.step) text += fmt::format(", mostly by {}", axis.usual_step);
  if (axis.reversed) text += ", descending";
  return text;
}

std::string sizes_text(const GroupSizes& sizes) {
  if (sizes.min == sizes.max) return fmt::format("{}", format_count(sizes.min));
  return fmt::format("{} to {}, {:.2f} on average", format_count(sizes.min), format_count(sizes.max), sizes.mean());
}

std::string order_text(const SurveyGeometry& geometry) {
  std::string text;
  for (const OrderKey& key : geometry.order) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", then ", key.word, key.ascending ? "ascending" : "descending");
  }
  if (!text.empty()) return text;
  return geometry.order_found ? "one trace" : "none found";
}

std::string number(double value) { return fmt::format("{:.10g}", value); }

void add_grid(Rows& rows, const SurveyGrid& grid, const GroupSizes& fold) {
  if (grid.is_line()) {
    rows.add(grid.xlines.word + " numbers", axis_text(grid.xlines));
  } else {
    rows.add(grid.ilines.word + " numbers", axis_text(grid.ilines));
    rows.add(grid.xlines.word + " numbers", axis_text(grid.xlines));
    rows.add("positions with traces",
             fmt::format("{} of {}", format_count(grid.occupied), format_count(grid.occupied + grid.holes)));
  }
  if (grid.holes > 0) {
    rows.add("holes", fmt::format("{}: {}", format_count(grid.holes),
                                  places_text(grid.first_holes, grid.holes, grid.is_line())));
  }
  rows.add("fold", sizes_text(fold));
  if (grid.duplicates > 0) {
    rows.add("positions with duplicates",
             fmt::format("{}: {}", format_count(grid.duplicates),
                         places_text(grid.first_duplicates, grid.duplicates, grid.is_line())));
  }
}

void add_fit(Rows& rows, const GridFit& fit, const SurveyGeometry& geometry) {
  const std::string_view unit = name_of(geometry.unit);
  for (const Corner& corner : fit.corners) {
    rows.add("corner " + place_text(corner.place, false), fmt::format("x {:.3f}, y {:.3f}", corner.x, corner.y));
  }
  if (fit.between_ilines) {
    rows.add("between inlines", fmt::format("{} {}", number(*fit.between_ilines), unit));
    rows.add("between crosslines", fmt::format("{} {}", number(*fit.between_xlines), unit));
    rows.add("along inlines", fmt::format("{:.4f} degrees from +y, clockwise; inline numbers ascend {:.4f} degrees {}",
                                          *fit.iline_azimuth, std::abs(*fit.angle),
                                          *fit.angle < 0.0 ? "to the left of that" : "to the right of that"));
  }
  rows.add("fit of positions",
           fmt::format("{}: {} root mean square of {} traces, {} at most (trace {}){}", fit.good ? "good" : "poor",
                       fmt::format("{:.4g}", fit.rms), format_count(fit.fitted), fmt::format("{:.4g}", fit.largest),
                       fit.largest_trace + 1,
                       fit.far > 0 ? fmt::format("; {} traces are more than half a bin away from their position",
                                                 format_count(fit.far))
                                   : ""));
}

void add_course(Rows& rows, const LineCourse& course, const SurveyGeometry& geometry) {
  const std::string_view unit = name_of(geometry.unit);
  for (const Corner* end : {&course.first, &course.last}) {
    rows.add(fmt::format("end {}", end->place.xline), fmt::format("x {:.3f}, y {:.3f}", end->x, end->y));
  }
  if (course.direct) rows.add("from end to end", fmt::format("{} {}", number(*course.direct), unit));
  if (course.length) rows.add("length along traces", fmt::format("{} {}", number(*course.length), unit));
  if (course.azimuth) rows.add("direction", fmt::format("{:.4f} degrees from +y, clockwise", *course.azimuth));
}

Json json_of(const LineAxis& axis) {
  return {{"word", axis.word},          {"first", axis.first},           {"last", axis.last},
          {"step", axis.step},          {"usual_step", axis.usual_step}, {"lines", axis.lines},
          {"missing", axis.missing()},  {"reversed", axis.reversed},     {"sparse", axis.sparse()},
          {"negative", axis.negative()}};
}

Json json_of(const GroupSizes& sizes, std::string_view groups) {
  Json histogram = Json::array();
  for (std::size_t i = 0; i < sizes.histogram.size(); ++i) {
    if (sizes.histogram[i] == 0) continue;
    histogram.push_back({{"traces_from", GroupSizes::min_of(i)}, {"count", sizes.histogram[i]}});
  }
  return {{std::string(groups), sizes.groups},
          {"least", sizes.min},
          {"most", sizes.max},
          {"mean", sizes.mean()},
          {"histogram", histogram}};
}

Json json_of(const std::vector<Place>& places, bool is_line) {
  Json all = Json::array();
  for (const Place& place : places) {
    if (is_line) {
      all.push_back(place.xline);
    } else {
      all.push_back(Json::array({place.iline, place.xline}));
    }
  }
  return all;
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const SurveyGrid& grid) {
  return {{"inlines", grid.is_line() ? Json() : json_of(grid.ilines)},
          {"crosslines", json_of(grid.xlines)},
          {"places", grid.occupied},
          {"holes", grid.holes},
          {"first_holes", json_of(grid.first_holes, grid.is_line())},
          {"duplicates", grid.duplicates},
          {"first_duplicates", json_of(grid.first_duplicates, grid.is_line())},
          {"fold", json_of(grid.fold, "places")},
          {"map",
           {{"rows", grid.map_rows},
            {"columns", grid.map_columns},
            {"traces", grid.map_traces},
            {"places", grid.map_places}}}};
}

Json json_of(const Corner& corner, bool is_line) {
  Json json;
  if (!is_line) json["inline"] = corner.place.iline;
  json["crossline"] = corner.place.xline;
  json["x"] = corner.x;
  json["y"] = corner.y;
  return json;
}

Json json_of(const GridFit& fit) {
  Json corners = Json::array();
  for (const Corner& corner : fit.corners) corners.push_back(json_of(corner, false));
  return {{"corners", corners},
          {"x", Json::array({fit.x0, fit.x_iline, fit.x_xline})},
          {"y", Json::array({fit.y0, fit.y_iline, fit.y_xline})},
          {"between_inlines", json_of(fit.between_ilines)},
          {"between_crosslines", json_of(fit.between_xlines)},
          {"inline_azimuth", json_of(fit.iline_azimuth)},
          {"angle_to_inline_numbers", json_of(fit.angle)},
          {"good", fit.good},
          {"fitted_traces", fit.fitted},
          {"rms", fit.rms},
          {"largest_distance", fit.largest},
          {"largest_distance_trace", fit.largest_trace + 1},
          {"far_traces", fit.far}};
}

}  // namespace

std::string geometry_text(const SurveyGeometry& geometry) {
  Rows rows;
  rows.add("geometry", fmt::format("{}{}", geometry.dimensions == 2 ? "2-D " : "",
                                   geometry.dimensions == 3 && (geometry.kind == SurveyKind::shot_gathers ||
                                                                geometry.kind == SurveyKind::receiver_gathers)
                                       ? fmt::format("3-D {}", name_of(geometry.kind))
                                       : std::string(name_of(geometry.kind))));
  if (geometry.traces > 0) rows.add("order of traces", order_text(geometry));
  if (geometry.grid) add_grid(rows, *geometry.grid, geometry.grid->fold);
  if (geometry.gathers) {
    const GatherFacts& gathers = *geometry.gathers;
    rows.add("gathers", fmt::format("{} by {}{}", format_count(gathers.sizes.groups), fmt::join(gathers.words, ", "),
                                    gathers.contiguous() ? "" : ", whose traces are not adjacent"));
    rows.add("traces per gather", sizes_text(gathers.sizes));
  }
  if (geometry.offsets) {
    const OffsetFacts& offsets = *geometry.offsets;
    rows.add("offsets",
             fmt::format("{} to {}: {} different{}", offsets.smallest, offsets.largest, format_count(offsets.distinct),
                         offsets.step ? fmt::format(", by {}", *offsets.step) : ""));
  }
  if (geometry.bounds) {
    const Bounds& bounds = *geometry.bounds;
    rows.add("positions", fmt::format("by {}, in {}", name_of(geometry.positions), name_of(geometry.unit)));
    rows.add("x", fmt::format("{:.3f} to {:.3f}", bounds.smallest_x, bounds.largest_x));
    rows.add("y", fmt::format("{:.3f} to {:.3f}", bounds.smallest_y, bounds.largest_y));
    if (geometry.without_position > 0)
      rows.add("without a position", fmt::format("{} traces", format_count(geometry.without_position)));
  }
  if (geometry.fit) add_fit(rows, *geometry.fit, geometry);
  if (geometry.course) add_course(rows, *geometry.course, geometry);
  for (const std::string& sentence : geometry.evidence) rows.add("evidence", sentence);
  return rows.text();
}

Json geometry_json(const SurveyGeometry& geometry) {
  Json order = Json::array();
  for (const OrderKey& key : geometry.order) order.push_back({{"word", key.word}, {"ascending", key.ascending}});
  Json words = Json::array();
  for (const WordEvidence& word : geometry.words) {
    words.push_back({{"word", word.name},
                     {"byte", word.byte == 0 ? Json() : Json(word.byte)},
                     {"smallest", word.smallest},
                     {"largest", word.largest},
                     {"zeros", word.zeros},
                     {"changes", word.changes},
                     {"unfit", word.unfit}});
  }
  Json candidates = Json::array();
  for (const GridCandidate& candidate : geometry.candidates) {
    const auto numbers = [](const LineNumbers& lines) {
      return Json{{"byte", lines.place.byte},
                  {"type", fmt::format("i{}", lines.place.bytes)},
                  {"smallest", lines.smallest},
                  {"largest", lines.largest},
                  {"named_by_text", lines.named_by_text}};
    };
    candidates.push_back({{"inline", numbers(candidate.ilines)},
                          {"crossline", numbers(candidate.xlines)},
                          {"map", Json::parse(candidate.header_map())}});
  }
  Json arrays = Json::array();
  for (const TraceDimension& each : dimensions_of(geometry))
    arrays.push_back({{"name", each.name}, {"expression", each.expression}});
  Json json{{"kind", name_of(geometry.kind)},
            {"dimensions", geometry.dimensions == 0 ? Json() : Json(geometry.dimensions)},
            {"traces", geometry.traces},
            {"auxiliary", geometry.auxiliary},
            {"order_found", geometry.order_found},
            {"order", order},
            {"grid", geometry.grid ? json_of(*geometry.grid) : Json()},
            {"gathers", Json()},
            {"offsets", Json()},
            {"positions", name_of(geometry.positions)},
            {"rejected_positions", Json()},
            {"unit", name_of(geometry.unit)},
            {"bounds", Json()},
            {"without_position", geometry.without_position},
            {"fit", geometry.fit ? json_of(*geometry.fit) : Json()},
            {"line", Json()},
            {"candidates", candidates},
            {"evidence", geometry.evidence},
            {"words", words},
            {"array_dimensions", arrays},
            {"header_reads", geometry.header_reads}};
  if (geometry.gathers) {
    json["gathers"] = json_of(geometry.gathers->sizes, "count");
    json["gathers"]["words"] = geometry.gathers->words;
    json["gathers"]["together"] = geometry.gathers->contiguous();
  }
  if (geometry.offsets) {
    json["offsets"] = {{"smallest", geometry.offsets->smallest},
                       {"largest", geometry.offsets->largest},
                       {"distinct", geometry.offsets->distinct},
                       {"step", json_of(geometry.offsets->step)}};
  }
  if (geometry.rejected) {
    json["rejected_positions"] = {{"words", geometry.rejected->words},
                                  {"bytes", Json::array({geometry.rejected->first_byte, geometry.rejected->last_byte})},
                                  {"reason", geometry.rejected->reason}};
  }
  if (geometry.bounds) {
    json["bounds"] = {{"x", Json::array({geometry.bounds->smallest_x, geometry.bounds->largest_x})},
                      {"y", Json::array({geometry.bounds->smallest_y, geometry.bounds->largest_y})}};
  }
  if (geometry.course) {
    json["line"] = {{"first", json_of(geometry.course->first, true)},
                    {"last", json_of(geometry.course->last, true)},
                    {"direct", json_of(geometry.course->direct)},
                    {"length", json_of(geometry.course->length)},
                    {"azimuth", json_of(geometry.course->azimuth)}};
  }
  return json;
}

}  // namespace sill::cli
