// Distribution of a list of items to ranks or threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sill/layout/range.hpp"

namespace sill {

/// Local. Returns the contiguous block of `items` items that belongs to part `part` of `parts`. Blocks ascend with the
/// part, and their sizes differ by at most one item. If there are fewer items than parts, some blocks are empty.
/// Preconditions: items >= 0, 0 <= part < parts.
[[nodiscard]] constexpr ItemRange block_of(std::int64_t items, std::int64_t parts, std::int64_t part) {
  const std::int64_t each = items / parts;
  const std::int64_t larger = items % parts;  // the first `larger` parts hold one more
  return {part * each + std::min(part, larger), each + (part < larger ? 1 : 0)};
}

/// Local. Returns the block of `items` that belongs to part `part` of `parts`.
[[nodiscard]] constexpr ItemRange block_of(ItemRange items, std::int64_t parts, std::int64_t part) {
  const ItemRange block = block_of(items.count, parts, part);
  return {items.first + block.first, block.count};
}

/// Local. Returns the part whose block (see `block_of`) contains `item`. Precondition: 0 <= item < items.
[[nodiscard]] constexpr std::int64_t part_holding(std::int64_t item, std::int64_t items, std::int64_t parts) {
  const std::int64_t each = items / parts;
  const std::int64_t larger = items % parts;
  const std::int64_t in_larger = larger * (each + 1);
  return item < in_larger ? item / (each + 1) : larger + (item - in_larger) / each;
}

}  // namespace sill
