// Conversion of the parts that a rank passes to a call into extents of files.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "sill/formats/array/array_code.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/plan/extent.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

/// The places of the elements of a variable that is stored as chunks.
struct ChunkPlaces {
  ChunkGrid grid = {};
  std::optional<std::int64_t> step = {};  ///< the index in the first dimension of the grid, if the variable has steps
  /// Returns the first byte of a chunk in the file; nullopt for chunks that are not accessed.
  std::function<std::optional<std::int64_t>(std::int64_t chunk)> begin_of = {};
};

/// The position of the elements of a variable in files, and their form.
struct VariablePlaces {
  FileArray array;  ///< if `chunks` is set, only the file
  ElementForm form;
  std::optional<ChunkPlaces> chunks = {};
};

/// Local. Divides a box, whose elements are at `memory`, into pieces that are each in one array of the file, and visits
/// these.
void for_each_array(const VariablePlaces& places, const Box& box, const ArrayBox& memory,
                    const std::function<void(const FileArray&, const Box&, const ArrayBox&)>& visit);

/// The elements of a list that are accessed.
struct ListPlaces {
  FileArray array = {};                    ///< as ListedElements::extents expects it
  std::vector<std::int64_t> numbers = {};  ///< the numbers of the elements in `array`
  std::vector<std::size_t> skipped = {};   ///< positions in the list of elements in chunks that are not accessed
};

/// Local. Returns the places of the elements of a list in a variable of `shape` that is stored as chunks.
[[nodiscard]] ListPlaces places_of_list(const VariablePlaces& places, const Index& shape,
                                        std::span<const std::int64_t> elements);

/// The encoders that produce the bytes of parts during writing.
struct PartSources {
  std::list<ArrayEncoder> encoders = {};
  std::list<ListedElements> lists = {};
};

/// The maximum number of steps that one call completes.
inline constexpr std::int64_t max_steps_of_call = 1 << 20;

/// Local. Checks the parts of a call that completes `steps` steps. If `steps` is nullopt, the call completes no step,
/// and all parts belong to one step. Errors: usage unless there are 1 to max_steps_of_call steps and each part belongs
/// to one of them; `ArrayPart::error` of a part.
void require_steps(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps);

/// Local. Returns the extents of parts. `places_of` returns the position of a variable in a step of the call. `sources`
/// outlives the extents. Adds to `brought` the number of elements of each variable. Errors: as checked_part and
/// `places_of`; usage for a value in a list that is outside the range of the variable's type.
[[nodiscard]] std::vector<Extent> extents_to_write(
    std::span<const ArrayPart> parts, const DatasetDescription& description,
    const std::function<VariablePlaces(std::size_t, std::int64_t)>& places_of, PartSources& sources,
    std::vector<std::int64_t>& brought);

}  // namespace sill
