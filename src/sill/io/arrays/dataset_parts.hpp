// The parts that a rank brings to a call, as extents of files.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
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

/// What makes the bytes of parts while they are written.
struct PartSources {
  std::list<ArrayEncoder> encoders = {};
  std::list<ListedElements> lists = {};
};

/// The maximum number of steps that one call completes.
inline constexpr std::int64_t max_steps_of_call = 1 << 20;

/// Local. Checks the parts of a call that completes `steps` steps; without a number it completes none, and its parts
/// are of one step. Errors: usage unless there are 1 to max_steps_of_call steps, and each part belongs to one of them.
void require_steps(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps);

/// Local. Returns the extents of parts, whose variables lie where `places_of` says, in which step of the call;
/// `sources` outlives them. Adds to
/// `brought` how many elements of each variable they have. Errors: as checked_part and `places_of`; usage for a value
/// that the variable's type does not hold, of lists.
[[nodiscard]] std::vector<Extent> extents_to_write(
    std::span<const ArrayPart> parts, const DatasetDescription& description,
    const std::function<VariablePlaces(std::size_t, std::int64_t)>& places_of, PartSources& sources,
    std::vector<std::int64_t>& brought);

}  // namespace sill
