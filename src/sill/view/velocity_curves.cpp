#include "sill/view/velocity_curves.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sill::view {
namespace {

std::size_t index_of_word(const Section& section, const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(section.words, word) - section.words.begin());
}

// Returns the position of a velocity among the traces `first` to `end` - 1, in pixels.
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

std::vector<VelocityCurve> curves_of(const Section& section, const draw::FrameLayout& layout,
                                     const Placement& placement, const ShownVelocities& velocities) {
  const std::size_t offset = index_of_word(section, "offset");
  const std::size_t location = index_of_word(section, velocities.field->location_word());
  const double row_s = section.interval_us * 1e-6 * static_cast<double>(section.samples_per_row);
  std::vector<VelocityCurve> curves;
  for (std::size_t first = 0; first < section.traces.size();) {
    std::size_t end = first + 1;
    while (end < section.traces.size() && !section.traces[end].starts_gather) ++end;
    const flow::VelocityFunction function = velocities.field->function_at(section.traces[first].numbers[location]);
    VelocityCurve curve;
    const auto finish_curve = [&] {
      if (!curve.points.empty()) curves.push_back(std::exchange(curve, {}));
    };
    for (int y = 0; y < layout.height; ++y) {
      const double row = (y + 0.5) / placement.row_px;
      const double time_s = section.first_us * 1e-6 + (row - 0.5) * row_s;
      const double next_s = time_s + row_s / placement.row_px;
      const auto place = place_of(section, placement, offset, first, end, function.at(time_s) / velocities.unit_m);
      if (!place) {
        finish_curve();
        continue;
      }
      const bool is_given =
          std::ranges::any_of(function.times(), [&](double given) { return given >= time_s && given < next_s; });
      curve.points.push_back({layout.x + *place, layout.y + y + 0.5, is_given});
    }
    finish_curve();
    first = end;
  }
  return curves;
}

void draw_curves(const std::vector<VelocityCurve>& curves, const draw::FrameLayout& layout,
                 const draw::ColourMap& colours, draw::Canvas& canvas) {
  constexpr draw::Colour blue{30, 90, 230};
  canvas.set_colour(colours.name() == "grey" ? blue : draw::black);
  canvas.set_line_width(2.0 * layout.line_px);
  const double mark = 7.0 * layout.line_px;
  for (const VelocityCurve& curve : curves) {
    for (const VelocityCurve::Point& point : curve.points)
      &point == curve.points.data() ? canvas.move_to(point.x, point.y) : canvas.line_to(point.x, point.y);
    canvas.stroke();
    for (const VelocityCurve::Point& point : curve.points)
      if (point.is_given) canvas.rectangle(point.x - 0.5 * mark, point.y - 0.5 * mark, mark, mark);
  }
}

}  // namespace sill::view
