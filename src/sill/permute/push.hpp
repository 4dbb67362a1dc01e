// Permutes items by reading the input in order and sending each item to the rank that writes it.
#pragma once

#include "sill/comm/communicator.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// Division of the memory of a rank for a push.
struct ScatterMemory {
  std::int64_t min_bytes = 0;       ///< minimum memory for a push
  std::int64_t window_items = 0;    ///< positions held at once; 0: the memory is below the minimum
  std::int64_t piece_items = 0;     ///< items read at once
  std::int64_t received_bytes = 0;  ///< space for the messages of all other ranks in a round
  std::int64_t table_bytes = 0;     ///< counts of the items that will arrive
  std::int64_t bridge_bytes = 0;    ///< longest gap that a thread reads over
  int threads = 1;
};

/// Local. Returns the division for `ranks` ranks, at most `threads` threads per rank, and gaps of at most
/// `bridge_bytes`.
[[nodiscard]] ScatterMemory divide_scatter_memory(std::int64_t memory_bytes, std::int64_t item_bytes, int ranks,
                                                  int threads, std::int64_t bridge_bytes);

/// Collective. Permutes by pushing: every rank reads its block of the input (`block_of(items, ranks, rank)`) in order,
/// piece by piece, and sends each item to the rank that owns its position. That rank holds a window of its positions in
/// memory and passes the window to the sink, in order, when the window is full. If ranks write together, all pass their
/// windows at once, and half of `memory_bytes` belongs to the mover. Each byte is written once. If the windows of all
/// ranks hold 1/k of the output, there are k passes; a pass reads only the items of its windows, and gaps of at most
/// `bridge_bytes` between them. A rank sends and receives at most one message per peer and piece.
///
/// All ranks pass the same `inputs`, including ranks without positions. `memory_bytes` limits the windows and buffers
/// of a rank; in addition the position of each item of its block takes 8 bytes.
///
/// Errors, the same on all ranks: usage if the memory of a rank does not hold one item for each of its peers and three
/// of its own, or if the `sources` of all ranks do not name every item once; io.
void permute_by_push(Communicator& comm, const Permutation& permutation);

}  // namespace sill
