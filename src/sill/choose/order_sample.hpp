// What the new order of a few items tells of the order of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// A look at stretches of neighbouring items, spread evenly over all items, and at the new order of these items alone.
class OrderSample {
 public:
  OrderSample() = default;
  /// Local. `order` names the items of all `stretches` (ascending, disjoint) in their new order; there are `items`
  /// items in all.
  OrderSample(std::span<const ItemRange> stretches, std::span<const std::int64_t> order, std::int64_t items);

  /// The part of the neighbours that are still in one piece when the output is cut into pieces of `piece_items` items,
  /// from 0 to 1. With the pieces that are written at once, so many items are read by the same request as the one
  /// before them; with pieces as large as the cache, so many find their page there.
  [[nodiscard]] double joined(std::int64_t piece_items) const;

 private:
  std::vector<double> distances_;  // in the output, as estimated, of items that are neighbours in the input
  std::int64_t items_ = 0;
};

/// Local. Which items to look at: up to 64 stretches of up to 1,024 items, in all a fiftieth of the items, but 512
/// where there are so many.
[[nodiscard]] std::vector<ItemRange> stretches_to_look_at(std::int64_t items);

}  // namespace sill
