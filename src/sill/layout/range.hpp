// Ranges of bytes and of items: two types, so that they cannot be confused.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sill {

/// `length` bytes starting at byte `offset` (from 0) of a file or a buffer.
struct ByteRange {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  [[nodiscard]] constexpr std::int64_t end() const { return offset + length; }
  [[nodiscard]] constexpr bool empty() const { return length == 0; }
  friend constexpr bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// `count` items starting at item `first` (from 0).
struct ItemRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] constexpr std::int64_t end() const { return first + count; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  friend constexpr bool operator==(const ItemRange&, const ItemRange&) = default;
};

/// Local. Returns the shortest range that contains the ranges `a` and `b`; an empty range contains no bytes.
[[nodiscard]] constexpr ByteRange joined(ByteRange a, ByteRange b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const std::int64_t first = std::min(a.offset, b.offset);
  return {first, std::max(a.end(), b.end()) - first};
}

/// Local. Returns true if `range` is inside a list of `items` items; also works for ranges whose end would overflow.
[[nodiscard]] constexpr bool lies_in(ItemRange range, std::int64_t items) {
  return range.first >= 0 && range.first <= items && range.count >= 0 && range.count <= items - range.first;
}

/// Local. Returns the items that both ranges contain.
[[nodiscard]] constexpr ItemRange intersection(ItemRange a, ItemRange b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(0, std::min(a.end(), b.end()) - first)};
}

}  // namespace sill
