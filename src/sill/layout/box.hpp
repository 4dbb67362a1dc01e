// Boxes of n-dimensional arrays: what a rank holds of a grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sill {

/// One number for each dimension, the slowest-varying first (row-major: the last dimension is contiguous).
using Index = std::vector<std::int64_t>;

/// `count` elements from element `first` (from 0) in every dimension. A count of 0 makes it empty.
struct Box {
  Index first;
  Index count;

  [[nodiscard]] std::size_t dimensions() const { return first.size(); }
  /// Local. How many elements it holds.
  [[nodiscard]] std::int64_t items() const;
  [[nodiscard]] bool empty() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// Indices and counts of a grid are no larger, so that sums of a few of them are numbers.
inline constexpr std::int64_t farthest_index = std::int64_t{1} << 60U;

/// Local. Whether neither the indices of a box nor the bytes of its elements are too large for a number, not even where
/// it is empty. Precondition: no count is below 0.
[[nodiscard]] bool is_countable(const Box& box, std::int64_t element_bytes);

/// Local. The whole array of `shape`.
[[nodiscard]] Box whole(const Index& shape);

/// Local. Whether `outer` holds all of `inner`: not if they have different numbers of dimensions, or a count is below
/// 0.
[[nodiscard]] bool lies_in(const Box& inner, const Box& outer);

/// Local. What both boxes hold. Precondition: equal numbers of dimensions.
[[nodiscard]] Box intersection(const Box& a, const Box& b);

/// Local. `box` with a margin of ghost elements: `before` and `after` it in every dimension, cut at the edges of an
/// array of `shape`. Precondition: equal numbers of dimensions.
[[nodiscard]] Box with_margin(const Box& box, const Index& before, const Index& after, const Index& shape);

/// Local. How far apart neighbours in each dimension lie in a row-major array of `shape` whose elements take
/// `element_bytes`.
[[nodiscard]] Index row_major_strides(const Index& shape, std::int64_t element_bytes);

/// Local. How far from the first byte of an array with `strides_bytes` the element `index` lies.
[[nodiscard]] std::int64_t offset_of(const Index& index, const Index& strides_bytes);

}  // namespace sill
