// Writing the items of input files in another order, within bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sill/base/progress.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/layout/item_list.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// One input file. The items of all inputs are numbered through; `first_item` is the number of this file's first.
struct InputItems {
  Store* store = nullptr;
  ItemList items;
  std::int64_t first_item = 0;
};

/// Sees every item in its final order, just before it is written: position `first_position` + i will hold item number
/// `sources[i]`, whose bytes are at `items[i]`. Called by several threads at once, each position exactly once, in
/// contiguous runs. May throw.
using Inspection = std::function<void(std::int64_t first_position, std::span<const std::int64_t> sources,
                                      std::span<const std::byte* const> items)>;

/// One rank's part of a permutation: output positions `first_position` … + sources.size() - 1 receive the items
/// `sources`. The positions of all ranks are contiguous, ascend with the rank, and cover the output; every item occurs
/// exactly once.
struct Permutation {
  std::span<const InputItems> inputs;  ///< in order of first_item, all of one item size
  Store* output = nullptr;
  ItemList output_items;
  std::int64_t first_position = 0;
  std::span<const std::int64_t> sources;
  std::int64_t memory_bytes = 0;  ///< bound of what buffers hold on this rank
  std::int64_t chunk_bytes = 0;   ///< what a thread writes at once, where memory allows
  int threads = 1;
  Inspection inspect;            ///< may be empty
  Progress* progress = nullptr;  ///< may be null
};

/// Local. Each thread takes the next chunk of the output, reads its items in file order, and writes it. Every byte is
/// read once and written once. Good while the input is cached or the items of a chunk lie near each other.
/// Errors: usage if memory_bytes holds not even one item; io.
void permute_by_gather(const Permutation& permutation);

/// Collective. For what exceeds memory: the first pass reads the input in order and writes every item into the range of
/// the output ("bucket") that holds its position, the second reads each bucket whole and writes it back in order. Every
/// byte is read twice and written twice, all in long runs. `inspect` sees the second pass.
/// Errors: usage if memory_bytes is too small for that number of buckets; io.
void permute_by_buckets(Communicator& comm, const Permutation& permutation);

}  // namespace sill
