#include "sill/formats/array/cf_coordinate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sill/base/error.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(const CfCoordinate& coordinate, const std::string& problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("coordinate {}: {}", coordinate.dimension, problem),
               .action = std::move(action)});
}

// Source: CF-1.11, 4.1 and 4.4.
std::string_view standard_name_of(const CfCoordinate& coordinate) {
  if (!coordinate.standard_name.empty()) return coordinate.standard_name;
  if (coordinate.axis == "T") return "time";
  if (coordinate.axis == "X" && coordinate.units == "degrees_east") return "longitude";
  if (coordinate.axis == "Y" && coordinate.units == "degrees_north") return "latitude";
  return {};
}

}  // namespace

void add_cf_coordinate(DatasetDescription& description, const CfCoordinate& coordinate) {
  const std::string& axis = coordinate.axis;
  (void)description.dimension_named(coordinate.dimension);
  if (axis != "T" && axis != "X" && axis != "Y" && axis != "Z") {
    refuse(coordinate, fmt::format("axis \"{}\"", axis), "give T, X, Y or Z");
  }
  const bool has_date = coordinate.units.find(" since ") != std::string::npos;
  if (coordinate.units.empty() || (axis == "T") != has_date) {
    refuse(coordinate, fmt::format("units \"{}\" of axis {}", coordinate.units, axis),
           "give for example m or degrees_east; for T, seconds since 2026-01-01 00:00:00");
  }
  const std::string& positive = coordinate.positive;
  if (axis == "Z" ? positive != "up" && positive != "down" : !positive.empty()) {
    refuse(coordinate, fmt::format("positive \"{}\" of axis {}", positive, axis), "give up or down, and only for Z");
  }
  Variable variable{.name = coordinate.dimension,
                    .type = ElementType::f8,
                    .dimensions = {coordinate.dimension},
                    .attributes = {{"units", coordinate.units}, {"axis", axis}}};
  const std::string_view standard_name = standard_name_of(coordinate);
  if (!standard_name.empty()) variable.attributes.emplace_back("standard_name", standard_name);
  if (axis == "T") variable.attributes.emplace_back("calendar", "standard");
  if (axis == "Z") variable.attributes.emplace_back("positive", positive);
  description.variables.push_back(std::move(variable));
  std::vector<Attribute>& attributes = description.attributes;
  const bool has_conventions = std::any_of(attributes.begin(), attributes.end(),
                                           [](const Attribute& each) { return each.name == "Conventions"; });
  if (!has_conventions) attributes.emplace_back("Conventions", "CF-1.11");
}

}  // namespace sill
