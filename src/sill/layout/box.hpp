// Boxes of n-dimensional arrays: the section of a grid that a rank holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sill {

/// One number per dimension, the slowest-varying first (row-major: the last dimension is contiguous).
using Index = std::vector<std::int64_t>;

/// `count` elements from element `first` (from 0) in every dimension. A count of 0 makes the box empty.
struct Box {
  Index first;
  Index count;

  [[nodiscard]] std::size_t dimensions() const { return first.size(); }
  /// Local. Returns the number of elements.
  [[nodiscard]] std::int64_t items() const;
  [[nodiscard]] bool empty() const;

  friend bool operator==(const Box&, const Box&) = default;
};

/// The limit for indices and counts of a grid; sums of a few of them do not overflow.
inline constexpr std::int64_t farthest_index = std::int64_t{1} << 60U;

/// Local. Returns true if the indices of a box do not exceed `farthest_index` and the bytes of its elements fit into 64
/// bits; a count of 0 is treated as 1. Precondition: no count is below 0.
[[nodiscard]] bool is_countable(const Box& box, std::int64_t element_bytes);

/// Local. Returns the box that contains the complete array of `shape`.
[[nodiscard]] Box whole(const Index& shape);

/// Local. Returns true if `outer` contains all of `inner`; false if the boxes differ in their number of dimensions, or
/// if a count is below 0.
[[nodiscard]] bool lies_in(const Box& inner, const Box& outer);

/// Local. Returns the elements that both boxes contain. Precondition: equal numbers of dimensions.
[[nodiscard]] Box intersection(const Box& a, const Box& b);

/// Local. Returns `box`, extended in every dimension by `before` ghost elements at its beginning and `after` ghost
/// elements at its end, and clipped to an array of `shape`. Precondition: equal numbers of dimensions.
[[nodiscard]] Box with_margin(const Box& box, const Index& before, const Index& after, const Index& shape);

/// Local. Returns, per dimension, the distance in bytes between neighbours in a row-major array of `shape` with
/// elements of `element_bytes`.
[[nodiscard]] Index row_major_strides(const Index& shape, std::int64_t element_bytes);

/// Local. Returns the offset of element `index` from the first byte of an array with `strides_bytes`.
[[nodiscard]] std::int64_t offset_of(const Index& index, const Index& strides_bytes);

}  // namespace sill
