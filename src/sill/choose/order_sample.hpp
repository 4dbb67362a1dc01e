// Estimates the new order of all items from a sample of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// Sampled neighbouring items, and the number of items that they represent.
struct Look {
  ItemRange items;
  std::int64_t stands_for = 0;  ///< number of items represented, including its own

  [[nodiscard]] bool is_whole() const { return stands_for == items.count; }
};

/// Local. Returns the items to sample: a few longer stretches, spread over all items, each surrounded by single items
/// whose spacing grows with their distance from the stretch. So both short and long distances in the new order can be
/// estimated. Returns about `max_looks` looks (64 to 1,024); together they have one hundredth of the items, but at
/// least 512 and at most 17,408. The looks ascend and together represent all items.
[[nodiscard]] std::vector<Look> looks_at(std::int64_t items, std::int64_t max_looks);

/// The new order of the sampled items.
class OrderSample {
 public:
  OrderSample() = default;
  /// Local. Evaluates the sample. `order` lists the items of all `looks` in their new order.
  OrderSample(std::span<const Look> looks, std::span<const std::int64_t> order);

  /// Local. Returns the fraction (0 to 1) of neighbouring items that stay together when the output is cut into pieces
  /// of `piece_items` items. For the pieces that are written at once, this is the fraction of items that the request
  /// for the preceding item also reads; for pieces as large as the cache, the fraction whose page is still cached.
  [[nodiscard]] double joined(std::int64_t piece_items) const;

 private:
  std::vector<double> distances_;  // estimated, in the output, between items that are neighbours in the input
  double items_ = 0;
};

}  // namespace sill
