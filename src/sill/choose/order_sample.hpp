// An estimate of the new order of all items from that of a few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// Neighbouring items that are looked at, in place of all items around them.
struct Look {
  ItemRange items;
  std::int64_t stands_for = 0;  ///< so many items, its own included

  [[nodiscard]] bool is_whole() const { return stands_for == items.count; }
};

/// Local. Where to look: a few longer stretches, spread over all items, each among single items that lie the farther
/// apart the farther they are from it. So distances in the new order can be estimated, be they short or long. About
/// `max_looks` looks (64 to 1,024 of them); together a hundredth of the items, but 512 at least and 17,408 at most.
/// The looks ascend, and together stand for all items.
[[nodiscard]] std::vector<Look> looks_at(std::int64_t items, std::int64_t max_looks);

/// The new order of the items that were looked at.
class OrderSample {
 public:
  OrderSample() = default;
  /// Local. `order` names the items of all `looks` in their new order.
  OrderSample(std::span<const Look> looks, std::span<const std::int64_t> order);

  /// The part of the neighbours that are still in one piece when the output is cut into pieces of `piece_items` items,
  /// from 0 to 1. With the pieces that are written at once, so many items are read by the same request as the one
  /// before them; with pieces as large as the cache, so many find their page there.
  [[nodiscard]] double joined(std::int64_t piece_items) const;

 private:
  std::vector<double> distances_;  // in the output, as estimated, of items that are neighbours in the input
  double items_ = 0;
};

}  // namespace sill
