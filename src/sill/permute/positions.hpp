// The output positions of the items of a rank's input block: the inverse of an order that is distributed over ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Treatment of items that no source names.
enum class Unnamed : std::uint8_t {
  refused,  ///< an unnamed item is an error (usage)
  last      ///< the position of an unnamed item is the number of all items
};

/// Collective. Returns the positions of the items of this rank's block (`block_of(items, ranks, rank)`) in the new
/// order, 8 bytes each. The `sources` of all ranks, in rank order, name the items 0 to `items` - 1 in the new order.
/// Messages in flight take at most `memory_bytes` in addition, but there is always space for one item per rank. Errors,
/// the same on all ranks: usage if the sources name an item twice or, with Unnamed::refused, do not name every item;
/// io.
[[nodiscard]] std::vector<std::int64_t> positions_of_block(Communicator& comm, std::span<const std::int64_t> sources,
                                                           std::int64_t items, std::int64_t memory_bytes,
                                                           Unnamed unnamed = Unnamed::refused);

}  // namespace sill
