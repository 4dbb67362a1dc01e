#include "sill/flow/view/velocity_curves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace sill::flow::view {
namespace {

std::size_t index_of_word(const Section& section, const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(section.words, word) - section.words.begin());
}

// Where a velocity lies among the traces `first` to `end` - 1, in pixels.
std::optional<double> place_of(const Section& section, const Placement& placement, std::size_t word, std::size_t first,
                               std::size_t end, double velocity) {
  const auto value = [&](std::size_t i) { return section.traces[i].numbers[word]; };
  const auto middle = [&](std::size_t i) { return placement.trace_x[i] + 0.5 * placement.trace_px; };
  for (std::size_t i = first; i + 1 < end; ++i)
    if (velocity >= value(i) && velocity <= value(i + 1) && value(i) < value(i + 1))
      return middle(i) + (velocity - value(i)) / (value(i + 1) - value(i)) * (middle(i + 1) - middle(i));
  return std::nullopt;
}

}  // namespace

std::vector<CurvePoint> curves_of(const Section& section, const Placement& placement,
                                  const ShownVelocities& velocities) {
  const std::size_t offset = index_of_word(section, "offset");
  const std::size_t location = index_of_word(section, velocities.field->location_word());
  const double row_s = section.interval_us * 1e-6 * static_cast<double>(section.samples_per_row);
  std::vector<CurvePoint> points;
  for (std::size_t first = 0; first < section.traces.size();) {
    std::size_t end = first + 1;
    while (end < section.traces.size() && !section.traces[end].starts_gather) ++end;
    const VelocityFunction function = velocities.field->function_at(section.traces[first].numbers[location]);
    bool begins = true;
    for (int y = 0; y < placement.height; ++y) {
      const double row = (y + 0.5) / placement.row_px;
      const double time_s = section.first_us * 1e-6 + (row - 0.5) * row_s;
      const double next_s = time_s + row_s / placement.row_px;
      const auto place = place_of(section, placement, offset, first, end, function.at(time_s) / velocities.unit_m);
      if (!place) {
        begins = true;
        continue;
      }
      const bool is_given =
          std::ranges::any_of(function.times(), [&](double given) { return given >= time_s && given < next_s; });
      points.push_back({static_cast<int>(*place), y, is_given, std::exchange(begins, false)});
    }
    first = end;
  }
  return points;
}

void draw_curves(const std::vector<CurvePoint>& points, Palette palette, Band& band, int x, int y) {
  const Colour curve_colour = palette == Palette::grey ? Colour{30, 90, 230} : Colour{};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& point = points[i];
    const int from = point.begins ? point.x : points[i - 1].x;
    band.fill(x + std::min(from, point.x), y + point.y, std::abs(point.x - from) + 2, 1, curve_colour);
    constexpr int mark_px = 7;
    if (point.is_given) band.fill(x + point.x - mark_px / 2, y + point.y - mark_px / 2, mark_px, mark_px, curve_colour);
  }
}

}  // namespace sill::flow::view
