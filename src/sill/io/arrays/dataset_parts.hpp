// The parts that a rank brings to a call, as extents of files.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/plan/extent.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

/// Where the elements of a variable lie in files, and as what.
struct VariablePlaces {
  FileArray array;
  ElementForm form;
};

/// What the bytes of parts are made by, while they are written.
struct PartSources {
  std::list<ArrayEncoder> encoders = {};
  std::list<ListedElements> lists = {};
};

/// Local. Returns the extents of parts, whose variables lie where `places_of` says; `sources` outlives them. Adds to
/// `brought` how many elements of each variable they have. Errors: as checked_part and `places_of`; usage for a value
/// that the variable's type does not hold, of lists.
[[nodiscard]] std::vector<Extent> extents_to_write(std::span<const ArrayPart> parts,
                                                   const DatasetDescription& description,
                                                   const std::function<VariablePlaces(std::size_t)>& places_of,
                                                   PartSources& sources, std::vector<std::int64_t>& brought);

}  // namespace sill
