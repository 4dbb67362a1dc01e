// What the end of a file's name says about its format.
#pragma once

#include <string>

#include "sill/formats/array/container.hpp"

namespace sill {

/// Local. Whether the end of `path` names SEG-Y or Seismic Unix.
[[nodiscard]] bool is_survey_name(const std::string& path);

/// Local. Errors: usage if the end of `path` names a format that is neither SEG-Y nor Seismic Unix. Ends that name no
/// format are allowed.
void require_survey_name(const std::string& path);

/// Local. Errors: usage if the end of `path` names a format that `container` does not write. In containers of a file
/// for each step the ends of all containers are allowed: they are replaced (SeriesNames).
void require_dataset_name(const std::string& path, Container container);

}  // namespace sill
