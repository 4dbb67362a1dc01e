// Distance and direction between source and receiver, and their midpoint.
#include "sill/formats/segy/words/derived_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

constexpr std::array<std::string_view, 4> derived_names = {"calc_offset", "azimuth", "midpoint_x", "midpoint_y"};

[[noreturn]] void throw_angular_coordinates(DerivedKind kind, int unit, const WordRef& word) {
  std::string_view unit_name = "seconds of arc";
  if (unit == 3) unit_name = "decimal degrees";
  if (unit == 4) unit_name = "degrees, minutes and seconds";
  throw Error(
      {.code = ErrorCode::input,
       .problem = fmt::format("{} needs coordinates that are lengths, but the coordinates are {} (coordinate units {})",
                              derived_names[static_cast<std::size_t>(kind)], unit_name, unit),
       .clause = word.standard != nullptr ? word.standard->clause() : "",
       .action = "use words instead (sx, sy, gx, gy, offset)"});
}

double azimuth_degrees(double east, double north) {
  double degrees = std::atan2(east, north) * 180.0 / std::numbers::pi;
  if (degrees < 0.0) degrees += 360.0;
  // A tiny negative angle rounds to 360; adding 0.0 turns -0.0 into 0.0.
  return degrees >= 360.0 ? 0.0 : degrees + 0.0;
}

}  // namespace

std::span<const std::string_view> DerivedValue::names() { return derived_names; }

std::optional<DerivedValue> DerivedValue::named(std::string_view name, const HeaderMap& map) {
  const auto found = std::ranges::find(derived_names, detail::lower_case(name));
  if (found == derived_names.end()) return std::nullopt;
  DerivedValue derived;
  derived.kind_ = static_cast<DerivedKind>(found - derived_names.begin());
  const auto include = [&](const WordRef& word) {
    require_true_value(word, name);
    derived.needed_bytes_ = joined(derived.needed_bytes_, bytes_of_true_value(word));
  };
  for (const std::string_view coordinate : {"sx", "sy", "gx", "gy"}) {
    derived.coordinates_.push_back(map.word(coordinate));
    include(derived.coordinates_.back());
  }
  if (map.find("counit") != nullptr) {
    derived.unit_ = map.word("counit");
    include(*derived.unit_);
  }
  return derived;
}

double DerivedValue::value(const std::byte* header, ByteOrder order) const {
  if (unit_) {
    const double unit = true_value(*unit_, header, order);
    if (unit >= 2.0 && unit <= 4.0) [[unlikely]]
      throw_angular_coordinates(kind_, static_cast<int>(unit), *unit_);
  }
  const auto at = [&](std::size_t i) { return true_value(coordinates_[i], header, order); };
  switch (kind_) {
    case DerivedKind::offset: return std::hypot(at(2) - at(0), at(3) - at(1));
    case DerivedKind::azimuth: return azimuth_degrees(at(2) - at(0), at(3) - at(1));
    case DerivedKind::midpoint_x: return (at(0) + at(2)) / 2.0;
    case DerivedKind::midpoint_y: return (at(1) + at(3)) / 2.0;
  }
  return 0.0;
}

}  // namespace sill::segy
