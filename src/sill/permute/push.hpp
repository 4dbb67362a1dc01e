// Permuting items by reading the input in order and sending each item to the rank that writes it.
#pragma once

#include "sill/comm/communicator.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// How a scatter divides the memory of a rank that writes.
struct ScatterMemory {
  std::int64_t min_bytes = 0;       ///< the minimum
  std::int64_t window_items = 0;    ///< positions held at once; 0: the memory is less than that
  std::int64_t piece_items = 0;     ///< read at once
  std::int64_t received_bytes = 0;  ///< room for the messages of all other ranks in a round
  std::int64_t table_bytes = 0;     ///< counts of the items that will arrive
  std::int64_t bridge_bytes = 0;    ///< longest gap that a thread reads over
  int threads = 1;
};

/// Local. The division for `ranks` ranks, `threads` threads per rank at most, and gaps of at most `bridge_bytes`.
[[nodiscard]] ScatterMemory divide_scatter_memory(std::int64_t memory_bytes, std::int64_t item_bytes, int ranks,
                                                  int threads, std::int64_t bridge_bytes);

/// Collective. Every rank reads its block of the input (`block_of(items, ranks, rank)`) in order, piece by piece, and
/// sends each item to the rank whose positions it belongs to. That rank holds a window of its positions in memory, and
/// hands it to the sink in order when it is full; where ranks write together, all do so at once, and half of
/// `memory_bytes` is the mover's. Each byte is written once. Where the windows of all ranks hold a k-th of the
/// output, there are k passes; a pass reads only the items that belong to its windows, and gaps of at most
/// `bridge_bytes` between them. A rank sends and receives one message a peer and piece, at most.
///
/// All ranks bring the same `inputs`, also ranks without positions. `memory_bytes` bounds windows and stages of a rank;
/// beside it the position of each item of its block takes 8 bytes.
///
/// Errors, the same on all ranks: usage if the memory of a rank holds no item for each of its peers and three of its
/// own, or if `sources` of all ranks do not name every item once; io.
void permute_by_push(Communicator& comm, const Permutation& permutation);

}  // namespace sill
