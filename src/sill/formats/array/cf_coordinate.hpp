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

/// Local. Adds the coordinate variable, of type f8, with the attributes `units`, `axis`, `standard_name`, for T also
/// `calendar` and for Z also `positive`. Adds the attribute `Conventions` to the dataset, unless the dataset has one.
/// Errors: usage if the dimension does not exist, if the axis is none of T, X, Y and Z, if the units are empty or the
/// units of T contain no date, or if `positive` is invalid. (CF-1.11, 2.6.1, 3.1, 4.)
void add_cf_coordinate(DatasetDescription& description, const CfCoordinate& coordinate);

}  // namespace sill
