// Extents for the data of programs: boxes of arrays, and items of lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/box.hpp"
#include "sill/layout/item_list.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// An n-dimensional array in a file: element (i, j, …) begins at `first_byte` + i * strides_bytes[0] + …
struct FileArray {
  int file = 0;
  std::int64_t first_byte = 0;
  std::int64_t element_bytes = 0;
  Index strides_bytes;
};

/// Local. Returns a row-major array of `shape` that begins at byte `first_byte` of file `file`.
[[nodiscard]] FileArray row_major(int file, std::int64_t first_byte, const Index& shape, std::int64_t element_bytes);

/// Local. Returns the extent of the elements `box` of `array`. In memory the first element is at `memory`, and
/// neighbours in each dimension are `memory_strides_bytes` apart: any order of dimensions, any margins, also backwards.
/// Errors: usage if the dimensions differ.
[[nodiscard]] Extent subarray(const FileArray& array, const Box& box, std::byte* memory,
                              const Index& memory_strides_bytes);

/// Local. Returns extents for the items `items` of a list in file `file`, in that order in consecutive `memory`. Items
/// that are neighbours in both form one run; consecutive runs of equal length and constant distance form one extent.
[[nodiscard]] std::vector<Extent> listed(int file, const ItemList& list, std::span<const std::int64_t> items,
                                         std::byte* memory);

}  // namespace sill
