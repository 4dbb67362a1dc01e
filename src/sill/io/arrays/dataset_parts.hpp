// Conversion of the parts that a rank passes to a call into extents of files.
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

/// The position of the elements of a variable in files, and their form.
struct VariablePlaces {
  FileArray array;
  ElementForm form;
};

/// The encoders that produce the bytes of parts during writing.
struct PartSources {
  std::list<ArrayEncoder> encoders = {};
  std::list<ListedElements> lists = {};
};

/// The maximum number of steps that one call completes.
inline constexpr std::int64_t max_steps_of_call = 1 << 20;

/// Local. Checks the parts of a call that completes `steps` steps. If `steps` is nullopt, the call completes no step,
/// and all parts belong to one step. Errors: usage unless there are 1 to max_steps_of_call steps and each part belongs
/// to one of them.
void require_steps(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps);

/// Local. Returns the extents of parts. `places_of` returns the position of a variable in a step of the call. `sources`
/// outlives the extents. Adds to `brought` the number of elements of each variable. Errors: as checked_part and
/// `places_of`; usage for a value in a list that is outside the range of the variable's type.
[[nodiscard]] std::vector<Extent> extents_to_write(
    std::span<const ArrayPart> parts, const DatasetDescription& description,
    const std::function<VariablePlaces(std::size_t, std::int64_t)>& places_of, PartSources& sources,
    std::vector<std::int64_t>& brought);

}  // namespace sill
