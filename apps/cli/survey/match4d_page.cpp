#include "cli/survey/match4d_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {
namespace {

constexpr double plot_px = 480.0;  // width of a histogram, and of the longer side of a map
constexpr double line_px = 16.0;

struct Rgb {
  double red = 0.0;
  double green = 0.0;
  double blue = 0.0;
};

// Source: viridis of matplotlib (CC0), every 32nd of its 256 colours.
constexpr std::array<Rgb, 9> viridis{{{68, 1, 84},
                                      {71, 44, 122},
                                      {59, 81, 139},
                                      {44, 113, 142},
                                      {33, 144, 141},
                                      {39, 173, 129},
                                      {92, 200, 99},
                                      {170, 220, 50},
                                      {253, 231, 37}}};

std::string colour_of(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (viridis.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
  const double rest = at - static_cast<double>(i);
  const auto channel = [&](double Rgb::*c) {
    return static_cast<int>(std::lround((1.0 - rest) * viridis[i].*c + rest * viridis[i + 1].*c));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(&Rgb::red), channel(&Rgb::green), channel(&Rgb::blue));
}

// Returns bars of equal width from the smallest value to the largest.
std::string histogram_of(const PairNumber& number) {
  const std::span<const double> sorted = number.sorted;
  // By the Rice rule, if the bars are wide enough to be visible.
  const std::size_t bars =
      std::clamp<std::size_t>(static_cast<std::size_t>(2.0 * std::cbrt(static_cast<double>(sorted.size()))), 10, 60);
  constexpr double height = 160.0;
  const double low = sorted.front();
  const double width = (sorted.back() - low) / static_cast<double>(bars);
  std::vector<std::int64_t> counts(bars);
  for (const double value : sorted) {
    const double bar = width > 0.0 ? std::min((value - low) / width, static_cast<double>(bars - 1)) : 0.0;
    ++counts[static_cast<std::size_t>(bar)];
  }
  const auto max = static_cast<double>(*std::ranges::max_element(counts));
  std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">\n",
                                plot_px, height + 2 * line_px, escaped("histogram of " + number.name));
  for (std::size_t i = 0; i < bars; ++i) {
    const double tall = height * static_cast<double>(counts[i]) / max;
    const double step = plot_px / static_cast<double>(bars);
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"#3b6ea5\"/>\n",
                       static_cast<double>(i) * step, height - tall, step * 0.92, tall);
  }
  svg += svg_text(0, height + line_px, "start", fmt::format("{:.4g}", low));
  svg += svg_text(plot_px / 2, height + line_px, "middle",
                  fmt::format("{} [{}]; the highest bar is {} pairs", number.name, number.unit,
                              format_count(static_cast<std::int64_t>(max))));
  svg += svg_text(plot_px, height + line_px, "end", fmt::format("{:.4g}", sorted.back()));
  return svg + "</svg>\n";
}

struct Extent {
  double low = 0.0;
  double high = 0.0;
  [[nodiscard]] double length() const { return high - low; }
};

Extent extent_of(std::span<const Match4dPair> pairs, double PositionPair::*coordinate) {
  const auto [low, high] = std::ranges::minmax(pairs, {}, [&](const Match4dPair& one) { return one.pair.*coordinate; });
  return {low.pair.*coordinate, high.pair.*coordinate};
}

// Returns a map of the mean of the quantity in cells of equal size; +y is up. Colours range from the minimum to the
// 98th percentile, so that a few outliers do not make all other values look equal.
std::string map_of(const PairNumber& number, std::span<const Match4dPair> pairs) {
  const std::span<const double> sorted = number.sorted;
  constexpr double cells = 96.0;  // along the longer side
  const Extent x = extent_of(pairs, &PositionPair::x);
  const Extent y = extent_of(pairs, &PositionPair::y);
  const double longer = std::max({x.length(), y.length(), 1e-9});
  const double cell = longer / cells;
  const auto columns = static_cast<std::size_t>(x.length() / cell) + 1;
  const auto rows = static_cast<std::size_t>(y.length() / cell) + 1;
  std::vector<double> sums(columns * rows);
  std::vector<std::int64_t> counts(columns * rows);
  for (const Match4dPair& one : pairs) {
    const double value = number.of(one);
    if (!std::isfinite(value)) continue;
    const auto column = static_cast<std::size_t>((one.pair.x - x.low) / cell);
    const auto row = static_cast<std::size_t>((one.pair.y - y.low) / cell);
    sums[row * columns + column] += value;
    ++counts[row * columns + column];
  }
  const double low = sorted.front();
  const double high = sorted[static_cast<std::size_t>(0.98 * static_cast<double>(sorted.size() - 1))];
  const auto share = [&](double value) { return high > low ? (value - low) / (high - low) : 0.0; };
  const double px = plot_px / (cells + 1);
  const double height = static_cast<double>(rows) * px;
  constexpr double bar_px = 12.0;
  std::string svg = fmt::format("<svg viewBox=\"0 0 {0} {1:.1f}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">\n",
                                plot_px, height + bar_px + 5 * line_px, escaped("map of " + number.name));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double mean = sums[i] / static_cast<double>(counts[i]);
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{:.4g} {}, {} "
        "pairs</title></rect>\n",
        static_cast<double>(i % columns) * px, height - static_cast<double>(i / columns + 1) * px, px, px,
        colour_of(share(mean)), mean, escaped(number.unit), counts[i]);
  }
  double below = height + line_px;
  svg += svg_text(0, below, "start", fmt::format("midpoints: x {:.10g} to {:.10g}", x.low, x.high));
  below += line_px;
  svg += svg_text(0, below, "start", fmt::format("y {:.10g} to {:.10g}, up", y.low, y.high));
  below += line_px / 2;
  constexpr int steps = 48;
  for (int i = 0; i < steps; ++i)
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>\n",
                       plot_px * i / steps, below, plot_px / steps + 0.5, bar_px,
                       colour_of((i + 0.5) / static_cast<double>(steps)));
  below += bar_px + line_px;
  svg += svg_text(0, below, "start", fmt::format("{:.4g}", low));
  svg += svg_text(plot_px / 2, below, "middle", fmt::format("mean {} [{}]", number.name, number.unit));
  svg += svg_text(plot_px, below, "end", fmt::format("{:.4g}{}", high, sorted.back() > high ? " and more" : ""));
  return svg + "</svg>\n";
}

}  // namespace

std::vector<PairNumber> pair_numbers(std::span<const Match4dPair> pairs, PositionMeasure measure,
                                     const std::string& length_unit, bool has_likeness) {
  std::vector<PairNumber> numbers;
  const bool is_dsdr = measure == PositionMeasure::dsdr;
  numbers.push_back({is_dsdr ? "DSDR" : "azimuth difference", is_dsdr ? length_unit : "degrees",
                     [](const Match4dPair& one) { return one.pair.distance; }});
  if (has_likeness) {
    numbers.push_back({"NRMS", "%", [](const Match4dPair& one) { return one.likeness.nrms_percent; }});
    numbers.push_back(
        {"predictability", "%", [](const Match4dPair& one) { return one.likeness.predictability_percent; }});
    numbers.push_back({"time shift", "ms", [](const Match4dPair& one) { return one.likeness.shift_ms; }});
  }
  for (PairNumber& number : numbers) {
    for (const Match4dPair& one : pairs)
      if (const double value = number.of(one); std::isfinite(value)) number.sorted.push_back(value);
    std::ranges::sort(number.sorted);
  }
  return numbers;
}

Spread spread_of(const PairNumber& number) {
  const std::span<const double> values = number.sorted;
  if (values.empty()) return {};
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {std::ssize(values), values.front(), at(0.5), at(0.9), values.back()};
}

std::string match4d_page_of(const std::string& title, std::span<const Match4dPair> pairs,
                            std::span<const PairNumber> numbers) {
  std::string html = page_begin("sill match4d") + fmt::format("<h1>{}</h1>\n", escaped(title));
  for (const PairNumber& number : numbers) {
    const Spread spread = spread_of(number);
    html += fmt::format("<h2>{}</h2>\n", escaped(fmt::format("{} [{}]", number.name, number.unit)));
    if (spread.count == 0) {
      html += "<p>No pair has a value.</p>\n";
      continue;
    }
    html += "<table style=\"width: auto\">\n" + row_of("pairs", format_count(spread.count)) +
            row_of("smallest", fmt::format("{:.5g}", spread.smallest)) +
            row_of("median", fmt::format("{:.5g}", spread.median)) +
            row_of("90 % of all up to", fmt::format("{:.5g}", spread.percentile_90)) +
            row_of("largest", fmt::format("{:.5g}", spread.largest)) + "</table>\n";
    html += "<div class=\"side\">\n<div>" + histogram_of(number) + "</div>\n<div>" + map_of(number, pairs) +
            "</div>\n</div>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace sill::cli
