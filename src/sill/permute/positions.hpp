// Where the items of a rank's block of the input go: the inverse of an order that is spread over ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// What becomes of items that no source names.
enum class Unnamed : std::uint8_t {
  refused,  ///< an error: usage
  last      ///< their position is the number of all items
};

/// Collective. `sources` of all ranks, in rank order, name the items 0 to `items` - 1 in a new order. Returns the
/// positions in that order of the items of this rank's block (`block_of(items, ranks, rank)`): 8 bytes each. What is
/// under way takes at most `memory_bytes` beside them, but one item for each rank in any case.
/// Errors, the same on all ranks: usage if the sources name an item twice, or not every one, as `unnamed` says; io.
[[nodiscard]] std::vector<std::int64_t> positions_of_block(Communicator& comm, std::span<const std::int64_t> sources,
                                                           std::int64_t items, std::int64_t memory_bytes,
                                                           Unnamed unnamed = Unnamed::refused);

}  // namespace sill
