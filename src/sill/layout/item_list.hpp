// Positions of consecutive items of equal size in a file.
#pragma once

#include <cstdint>

#include "sill/layout/range.hpp"

namespace sill {

/// `count` consecutive items of `item_bytes` each, starting at byte `first_byte` (from 0) of a file.
struct ItemList {
  std::int64_t first_byte = 0;
  std::int64_t item_bytes = 0;
  std::int64_t count = 0;

  /// Local. Returns the range of the file that contains `items`.
  [[nodiscard]] constexpr ByteRange bytes_of(ItemRange items) const {
    return {first_byte + items.first * item_bytes, items.count * item_bytes};
  }
  [[nodiscard]] constexpr ItemRange all() const { return {0, count}; }
  [[nodiscard]] constexpr std::int64_t total_bytes() const { return count * item_bytes; }
};

}  // namespace sill
