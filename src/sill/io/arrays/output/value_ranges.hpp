// The smallest and largest values of variables, stated in headers before the values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Local. Adds the values of `extents` to the ranges of the variables of a file, with several threads; `ranges` has one
/// element for each variable. Errors: any error that an encoder throws.
void add_values(std::span<const Extent> extents, const DatasetDescription& description, const image::ImageFile& file,
                int threads, std::vector<image::ValueRange>& ranges);

/// Collective. Merges the ranges of all ranks.
void join(Communicator& comm, std::vector<image::ValueRange>& ranges);

}  // namespace sill
