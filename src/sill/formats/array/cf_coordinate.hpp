// Coordinates of a dataset as the CF conventions describe them, so that other programs know times and places.
#pragma once

#include <string>

#include "sill/formats/array/dataset_description.hpp"

namespace sill {

/// The coordinate variable of a dimension: it has the name of the dimension, and its values are written like those of
/// any variable.
struct CfCoordinate {
  std::string dimension;
  std::string axis;                ///< "T", "X", "Y" or "Z"
  std::string units;               ///< "m", "degrees_east"; of T "seconds since 2026-01-01 00:00:00"
  std::string positive = {};       ///< of Z "up" or "down": where the values grow to
  std::string standard_name = {};  ///< empty: "time", "longitude" or "latitude" where axis and units say so, or none
};

/// Local. Adds the variable, of f8, with the attributes `units`, `axis`, `standard_name`, of T `calendar` and of Z
/// `positive`; and to the dataset `Conventions`, unless it has one. Errors: usage if there is no such dimension, for
/// another axis, for no units or, of T, units without a date, and for what `positive` is not. (CF-1.11, 2.6.1, 3.1, 4.)
void add_cf_coordinate(DatasetDescription& description, const CfCoordinate& coordinate);

}  // namespace sill
