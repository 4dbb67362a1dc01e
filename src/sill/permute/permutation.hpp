// Writing the items of input files in another order, within bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sill/base/progress.hpp"
#include "sill/layout/item_list.hpp"
#include "sill/permute/ordered_sink.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// One input file. The items of all inputs are numbered through; `first_item` is the number of this file's first.
struct InputItems {
  Store* store = nullptr;
  ItemList items;
  std::int64_t first_item = 0;
  /// Where items of the file (from 0) lie, one after another, if they differ in size: then of `items` only the count is
  /// used. Called by several threads at once. Empty for equal items.
  std::function<ByteRange(ItemRange)> place_of = {};

  /// Local. The bytes of the file that hold `of_file`.
  [[nodiscard]] ByteRange bytes_of(ItemRange of_file) const {
    return place_of ? place_of(of_file) : items.bytes_of(of_file);
  }
};

/// What to do with the bytes of an input once they have been read.
enum class AfterReading {
  keep,        ///< nothing
  drop_cache,  ///< drop them from the system's cache
  punch_hole,  ///< give their space back: the file is Sill's own and is read once
};

/// Sees every item in its final order, just before it is written, and may change its bytes: position `first_position` +
/// i will hold item number `sources[i]`, whose bytes are at `items[i]`. Called by several threads at once, each
/// position exactly once, in contiguous runs. May throw.
using Inspection = std::function<void(std::int64_t first_position, std::span<const std::int64_t> sources,
                                      std::span<std::byte* const> items)>;

/// One rank's part of a permutation: output positions `first_position` … + sources.size() - 1 receive the items
/// `sources`. The positions of all ranks are contiguous, ascend with the rank, and cover the output; no item
/// occurs twice, and all do unless they are gathered.
struct Permutation {
  std::span<const InputItems> inputs;  ///< in order of first_item
  OrderedSink sink;                    ///< need not be there if no rank has sources
  ItemList output_items;               ///< where the positions lie, if items are equal
  std::int64_t first_position = 0;
  std::span<const std::int64_t> sources;
  /// Where the positions lie, if items differ in size: for each of `sources` the byte of the output at which it begins,
  /// then the end of the last. Empty for equal items. Only gathers take items of different sizes; none may be empty.
  std::span<const std::int64_t> starts = {};
  std::int64_t memory_bytes = 0;  ///< bound of what buffers hold on this rank
  std::int64_t chunk_bytes = 0;   ///< what a thread writes at once, where memory allows; 0: all that memory allows
  std::int64_t bridge_bytes = 0;  ///< a scatter reads over gaps up to this length
  int threads = 1;
  AfterReading inputs_after = AfterReading::keep;
  Inspection inspect;            ///< may be empty
  Progress* progress = nullptr;  ///< may be null

  /// Local. The bytes of the output that hold `own`, indices into `sources`.
  [[nodiscard]] ByteRange bytes_of(ItemRange own) const {
    if (starts.empty()) return output_items.bytes_of({first_position + own.first, own.count});
    const std::int64_t begin = starts[static_cast<std::size_t>(own.first)];
    return {begin, starts[static_cast<std::size_t>(own.end())] - begin};
  }
  /// Local. The part of `starts` that is about `own`; empty for equal items.
  [[nodiscard]] std::span<const std::int64_t> starts_of(ItemRange own) const {
    if (starts.empty()) return {};
    return starts.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count + 1));
  }
  [[nodiscard]] std::span<const std::int64_t> sources_of(ItemRange own) const {
    return sources.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
  }
};

/// What a thread that pulls items takes at once: those that lie beside each other are read by one request. Larger
/// chunks gained nothing, smaller ones cost more calls.
constexpr std::int64_t pull_chunk_bytes = 2 << 20;

/// Beside its bytes an item in flight costs its entries in the order, the pieces and the pointers.
constexpr std::int64_t overhead_bytes_per_item = 40;

/// Local. How many items of `item_bytes` a thread can hold, when `threads` at most share `memory_bytes`; `threads` is
/// lowered to as many as can hold one item each. Errors: usage if memory does not hold one item.
[[nodiscard]] std::int64_t items_per_thread(std::int64_t memory_bytes, std::int64_t item_bytes, int& threads);

/// Collective. Each thread takes the next chunk of the output, reads its items in file order, and hands it to the sink;
/// where ranks write together, the threads share the reading of a chunk, which all ranks write in a round, and half of
/// `memory_bytes` is the mover's. Every byte is read once and written once. Items of different sizes cost 8 bytes a
/// chunk beside `memory_bytes`. Good while the input is cached or the items of a chunk lie near each other. Errors:
/// usage if memory_bytes holds not even one item; io; what the sink throws.
void permute_by_pull(Communicator& comm, const Permutation& permutation);
/// Local. The same of this rank alone. Precondition: the sink takes bytes, if there are sources.
void permute_by_pull(const Permutation& permutation);

}  // namespace sill
