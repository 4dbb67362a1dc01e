// Coordinates of a dataset by the CF conventions, so that other programs recognize times and positions.
#pragma once

#include <string>

#include "sill/formats/array/dataset_description.hpp"

namespace sill {

/// The coordinate variable of a dimension. It has the name of the dimension, and its values are written like the values
/// of any variable.
struct CfCoordinate {
  std::string dimension;
  std::string axis;                ///< "T", "X", "Y" or "Z"
  std::string units;               ///< "m", "degrees_east"; for T "seconds since 2026-01-01 00:00:00"
  std::string positive = {};       ///< for Z "up" or "down": the direction of growing values
  std::string standard_name = {};  ///< empty: "time", "longitude" or "latitude" if axis and units imply it
};

/// Local. Adds the variable, of type f8, with the attributes `units`, `axis`, `standard_name`, for T `calendar` and for
/// Z `positive`. Adds `Conventions` to the dataset, unless it has one. Errors: usage if there is no such dimension, for
/// another axis, for empty units, for T for units without a date, and for an invalid `positive`. (CF-1.11, 2.6.1, 3.1,
/// 4.)
void add_cf_coordinate(DatasetDescription& description, const CfCoordinate& coordinate);

}  // namespace sill
