// Extents of what programs hold: boxes of arrays, and items of lists.
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

/// Local. A row-major array of `shape` from `first_byte` of file `file` on.
[[nodiscard]] FileArray row_major(int file, std::int64_t first_byte, const Index& shape, std::int64_t element_bytes);

/// Local. The elements `box` of `array`, whose first lies at `memory` and whose neighbours in each dimension lie
/// `memory_strides_bytes` apart there: any order of dimensions, any margins, backwards too.
/// Errors: usage if the dimensions differ.
[[nodiscard]] Extent subarray(const FileArray& array, const Box& box, std::byte* memory,
                              const Index& memory_strides_bytes);

/// Local. The items `items` of a list in file `file`, in that order in consecutive `memory`; neighbours in both
/// become one run, and runs of the same length that follow each other evenly apart one extent.
[[nodiscard]] std::vector<Extent> listed(int file, const ItemList& list, std::span<const std::int64_t> items,
                                         std::byte* memory);

}  // namespace sill
