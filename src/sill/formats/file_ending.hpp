// The format that the ending of a file name states.
#pragma once

#include <string>

#include "sill/formats/array/container.hpp"

namespace sill {

/// Local. Returns true if `path` has an ending of SEG-Y or Seismic Unix.
[[nodiscard]] bool is_survey_name(const std::string& path);

/// Local. Throws if the ending of `path` belongs to a format other than SEG-Y and Seismic Unix. Endings that belong to
/// no format are allowed. Errors: usage.
void require_survey_name(const std::string& path);

/// Local. Throws if the ending of `path` belongs to a format that `container` does not write. For a container with one
/// file per step, the endings of all containers with one file per step are allowed, because SeriesNames replaces the
/// ending. Errors: usage.
void require_dataset_name(const std::string& path, Container container);

}  // namespace sill
