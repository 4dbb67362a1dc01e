// The least and greatest values of variables, which headers state that lie before them.
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

/// Local. Adds the values that `extents` bring to the variables of a file, by several threads; `ranges` has one for
/// each variable. Errors: what encoders throw.
void add_values(std::span<const Extent> extents, const DatasetDescription& description, const image::ImageFile& file,
                int threads, std::vector<image::ValueRange>& ranges);

/// Collective. Lets the ranges be those of all ranks.
void join(Communicator& comm, std::vector<image::ValueRange>& ranges);

}  // namespace sill
