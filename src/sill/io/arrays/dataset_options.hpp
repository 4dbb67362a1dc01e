// How a dataset is written.
#pragma once

#include <cstdint>
#include <optional>

#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"

namespace sill {

/// How a dataset is written, the same on all ranks.
struct DatasetOptions {
  enum class Existing {
    refuse,   ///< a file of that name is an error, unless it is empty
    replace,  ///< it is removed
    append,   ///< it is gone on with: it must hold the same arrays (has_same_arrays), if any are described; made if
              ///< there is none, or none with a step
  };
  Existing existing = Existing::refuse;
  std::optional<std::int64_t> first_step = {};  ///< of `append`: steps from this one on are overwritten; nothing: none
  std::optional<Container> container = {};      ///< nothing: what the end of the path stands for (container_of)
  cdf::FileForm form = {};                      ///< of a new netCDF file
  /// Whether elements of a netCDF file that no rank brings get fill values. Otherwise, and in other containers, which
  /// have no fill values, ranks bring all elements.
  bool fill = true;
  /// Whether a .vti file holds as field data, which have no place in the grid, variables whose shape is not that of its
  /// points (image::variables_beside). Without, such a variable is an error.
  bool field_data = false;
};

}  // namespace sill
