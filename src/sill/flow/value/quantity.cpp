#include "sill/flow/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::flow {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor;
};

constexpr std::array units{Unit{"s", Dimension::time, 1.0},        Unit{"ms", Dimension::time, 1e-3},
                           Unit{"us", Dimension::time, 1e-6},      Unit{"Hz", Dimension::frequency, 1.0},
                           Unit{"m", Dimension::length, 1.0},      Unit{"km", Dimension::length, 1e3},
                           Unit{"ft", Dimension::length, 0.3048},  Unit{"m/s", Dimension::velocity, 1.0},
                           Unit{"km/s", Dimension::velocity, 1e3}, Unit{"ft/s", Dimension::velocity, 0.3048},
                           Unit{"%", Dimension::share, 0.01},      Unit{"dB", Dimension::decibel, 1.0},
                           Unit{"deg", Dimension::angle, 1.0}};

// Returns true for dimensions with only one unit or none.
bool may_lack_unit(Dimension dimension) {
  return dimension == Dimension::number || dimension == Dimension::frequency || dimension == Dimension::angle;
}

}  // namespace

std::string_view units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::number: return "no unit";
    case Dimension::time: return "s, ms, us or samples";
    case Dimension::frequency: return "Hz";
    case Dimension::length: return "m, km or ft";
    case Dimension::velocity: return "m/s, km/s or ft/s";
    case Dimension::share: return "%";
    case Dimension::decibel: return "dB";
    case Dimension::angle: return "deg";
  }
  return "";
}

double parse_quantity(std::string_view text, Dimension dimension, double interval_s) {
  const auto refuse = [&](std::string problem, std::string action = {}) {
    throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
  };
  const std::string_view all = trimmed(text);
  double value = 0.0;
  const char* const end = all.data() + all.size();
  const std::size_t plus = all.starts_with('+') ? 1 : 0;
  const auto [rest, failure] = std::from_chars(all.data() + plus, end, value);
  if (failure != std::errc() || !std::isfinite(value))
    refuse(fmt::format("'{}' is not a number", echoed(all)),
           fmt::format("write a number with {}", units_of(dimension)));
  const std::string_view unit = trimmed(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  if (unit.empty()) {
    if (!may_lack_unit(dimension))
      refuse(fmt::format("'{}' has no unit", echoed(all)), fmt::format("write it in {}", units_of(dimension)));
    return value;
  }
  if (unit == "samples" && dimension == Dimension::time) {
    if (interval_s <= 0.0)
      refuse("the sample interval is not known",
             "give the interval with --assume interval=MICROSECONDS, or write a time");
    return value * interval_s;
  }
  if (unit.find(',') != std::string_view::npos)
    refuse(fmt::format("'{}' contains a comma where one value is expected", echoed(all)),
           "write one value; its decimal separator is a point");
  const auto found = std::ranges::find(units, unit, &Unit::name);
  if (found == units.end() || found->dimension != dimension) {
    if (dimension == Dimension::number)
      refuse(fmt::format("'{}' is not a number", echoed(all)), "write a number without a unit");
    refuse(fmt::format("'{}' is not in {}", echoed(all), units_of(dimension)),
           fmt::format("write it in {}", units_of(dimension)));
  }
  return value * found->factor;
}

std::optional<double> factor_of_unit(std::string_view unit, Dimension dimension) {
  const auto is_it = [&](const Unit& known) {
    return known.dimension == dimension && segy::detail::lower_case(known.name) == segy::detail::lower_case(unit);
  };
  const auto found = std::ranges::find_if(units, is_it);
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> entries;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view entry = trimmed(text.substr(0, comma));
    if (entry.empty()) throw Error({.code = ErrorCode::usage, .problem = "a list has an empty entry"});
    entries.emplace_back(entry);
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace sill::flow
