// Names of attributes, and texts, of dimension scales and of netCDF-4.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sill::hdf5 {

/// Source: HDF5 Dimension Scale Specification.
inline constexpr const char* scale_class = "DIMENSION_SCALE";
inline constexpr const char* scales_attribute = "DIMENSION_LIST";
inline constexpr const char* references_attribute = "REFERENCE_LIST";
inline constexpr const char* labels_attribute = "DIMENSION_LABELS";
/// Source: NetCDF File Format Specifications, netCDF-4.
inline constexpr const char* dimension_only = "This is a netCDF dimension but not a netCDF variable.";
inline constexpr const char* not_coordinate = "_nc4_non_coord_";
/// The attribute of `count_name` that names the dimension of steps.
inline constexpr const char* steps_of_attribute = "steps_of";

/// Local. Returns true for attributes that describe dimensions, and are not the user's.
[[nodiscard]] constexpr bool is_reserved(std::string_view attribute) {
  constexpr std::array<std::string_view, 9> names{"CLASS",
                                                  "NAME",
                                                  "DIMENSION_LIST",
                                                  "REFERENCE_LIST",
                                                  "DIMENSION_LABELS",
                                                  "_Netcdf4Dimid",
                                                  "_Netcdf4Coordinates",
                                                  "_NCProperties",
                                                  "_nc3_strict"};
  return std::ranges::find(names, attribute) != names.end();
}

}  // namespace sill::hdf5
