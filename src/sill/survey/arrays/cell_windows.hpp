// The division of the positions of traces into windows, which ranks read and write one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// Local. Returns the shape of windows of an array of `shape`, with at most `max_items` items unless `multiple` is
/// larger: each length is a multiple of that of `multiple`, or the whole dimension. `rows`: from the last dimension to
/// the first, each is whole before the next one grows; otherwise all grow together.
[[nodiscard]] Index window_shape(const Index& shape, const Index& multiple, std::int64_t max_items, bool rows);

/// Collective. Calls `visit` with the boxes of this rank, several times, equally often on all ranks; boxes may be
/// empty. The boxes of all calls and ranks together contain each item once, and one call at most as many as fit a
/// quarter of the memory, with `item_bytes` per item.
void for_each_window(const Resources& resources, const Index& shape, const Index& window, std::int64_t item_bytes,
                     const std::function<void(std::span<const Box>)>& visit);

/// Local. Visits the positions of a box in order, as numbers in the array of `shape`.
template <class Visit>
void for_each_position(const Box& box, const Index& shape, const Visit& visit) {
  if (box.empty()) return;
  const Index strides = row_major_strides(shape, 1);
  const std::int64_t items = box.items();
  Index at = box.first;
  for (std::int64_t i = 0; i < items; ++i) {
    visit(offset_of(at, strides));
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < box.first[d] + box.count[d]) break;
      at[d] = box.first[d];
    }
  }
}

}  // namespace sill
