#include "sill/draw/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sill::draw {
namespace {

constexpr std::array<double, 3> mantissas{1.0, 2.0, 5.0};

bool stay_apart(std::span<const LabelPlace> places, std::span<const std::size_t> chosen, double gap) {
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const LabelPlace& a = places[chosen[i - 1]];
    const LabelPlace& b = places[chosen[i]];
    if (b.x - a.x < 0.5 * (a.width + b.width) + gap) return false;
  }
  return true;
}

std::vector<std::size_t> multiples_of(std::span<const LabelPlace> places, double step) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double multiple = places[i].value / step;
    const bool repeats = !chosen.empty() && places[chosen.back()].text == places[i].text;
    if (multiple == std::round(multiple) && !repeats) chosen.push_back(i);
  }
  return chosen;
}

std::vector<std::size_t> every_nth(std::span<const LabelPlace> places, double gap) {
  std::vector<std::size_t> chosen;
  for (std::size_t n = 1; n <= places.size(); ++n) {
    chosen.clear();
    for (std::size_t i = 0; i < places.size(); i += n) chosen.push_back(i);
    if (stay_apart(places, chosen, gap)) break;
  }
  return chosen;
}

}  // namespace

std::vector<Tick> round_ticks(double first, double last, int max_ticks, double min_step) {
  std::vector<Tick> ticks;
  const double span = last - first;
  if (!(span > 0.0)) return {{first, fmt::format("{:g}", first)}};
  for (int power = static_cast<int>(std::floor(std::log10(span))) - 3; ticks.empty(); ++power)
    for (const double mantissa : mantissas) {
      const double step = mantissa * std::pow(10.0, power);
      const double slack = 1e-9 * span;
      const double from = std::ceil((first - slack) / step);
      const double to = std::floor((last + slack) / step);
      if (step < min_step || to - from + 1 > std::max(1, max_ticks)) continue;
      for (double multiple = from; multiple <= to; ++multiple)
        ticks.push_back({multiple * step, fmt::format("{:.{}f}", multiple * step + 0.0, std::max(0, -power))});
      if (ticks.empty()) ticks.push_back({first, fmt::format("{:g}", first)});
      break;
    }
  return ticks;
}

std::vector<std::size_t> places_to_label(std::span<const LabelPlace> places, double gap) {
  if (places.empty()) return {};
  double largest = 1.0;
  for (const LabelPlace& place : places)
    if (std::isfinite(place.value)) largest = std::max(largest, std::abs(place.value));
  for (double power = 1.0; power <= largest; power *= 10.0)
    for (const double mantissa : mantissas) {
      const std::vector<std::size_t> chosen = multiples_of(places, mantissa * power);
      if (chosen.size() < 2) return every_nth(places, gap);
      if (stay_apart(places, chosen, gap)) return chosen;
    }
  return every_nth(places, gap);
}

}  // namespace sill::draw
