// Writes the items of input files in another order, within bounded memory.
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

/// One input file. The items of all inputs are numbered consecutively; `first_item` is the number of this file's first
/// item.
struct InputItems {
  Store* store = nullptr;
  ItemList items;
  std::int64_t first_item = 0;
  /// Returns the byte range of consecutive items of the file, which are numbered from 0. Set it only if items differ in
  /// size; then only `items.count` is used of `items`. Several threads call the function concurrently. Empty for items
  /// of equal size.
  std::function<ByteRange(ItemRange)> place_of = {};

  /// Local. Returns the bytes of the file that contain the items `of_file`.
  [[nodiscard]] ByteRange bytes_of(ItemRange of_file) const {
    return place_of ? place_of(of_file) : items.bytes_of(of_file);
  }
};

/// The treatment of the bytes of an input after they have been read.
enum class AfterReading {
  keep,        ///< leave them unchanged
  drop_cache,  ///< drop them from the system's cache
  punch_hole,  ///< free their space: the file belongs to Sill and is read only once
};

/// Inspects every item in its final order, just before it is written, and may change its bytes. Position
/// `first_position` + i receives item number `sources[i]`, whose bytes are at `items[i]`. Several threads call it at
/// once, for each position exactly once, in contiguous runs. May throw.
using Inspection = std::function<void(std::int64_t first_position, std::span<const std::int64_t> sources,
                                      std::span<std::byte* const> items)>;

/// One rank's share of a permutation: the output positions `first_position` … + sources.size() - 1 receive the items
/// `sources`. The positions of all ranks are contiguous, ascend with the rank, and cover the output. No item occurs
/// twice; only a pull may omit items.
struct Permutation {
  std::span<const InputItems> inputs;  ///< in order of first_item
  OrderedSink sink;                    ///< not needed if no rank has sources
  ItemList output_items;               ///< positions in the output, for items of equal size
  std::int64_t first_position = 0;
  std::span<const std::int64_t> sources;
  /// Positions in the output, if items differ in size: for each of `sources` its first byte in the output, then the end
  /// of the last item. Empty for items of equal size. Only pulls support items of different sizes; no item may be
  /// empty.
  std::span<const std::int64_t> starts = {};
  std::int64_t memory_bytes = 0;  ///< limit of the buffers on this rank
  std::int64_t chunk_bytes = 0;   ///< bytes that a thread writes at once, if memory allows; 0: as many as memory allows
  std::int64_t bridge_bytes = 0;  ///< a push reads over gaps up to this length
  int threads = 1;
  AfterReading inputs_after = AfterReading::keep;
  Inspection inspect;            ///< may be empty
  Progress* progress = nullptr;  ///< may be null

  /// Local. Returns the bytes of the output that contain the items `own`, which are indices into `sources`.
  [[nodiscard]] ByteRange bytes_of(ItemRange own) const {
    if (starts.empty()) return output_items.bytes_of({first_position + own.first, own.count});
    const std::int64_t begin = starts[static_cast<std::size_t>(own.first)];
    return {begin, starts[static_cast<std::size_t>(own.end())] - begin};
  }
  /// Local. Returns the section of `starts` for the items `own` (indices into `sources`); empty for items of equal
  /// size.
  [[nodiscard]] std::span<const std::int64_t> starts_of(ItemRange own) const {
    if (starts.empty()) return {};
    return starts.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count + 1));
  }
  [[nodiscard]] std::span<const std::int64_t> sources_of(ItemRange own) const {
    return sources.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
  }
};

/// The bytes that a thread of a pull processes at once: neighbouring items are read by one request. Larger chunks
/// gained nothing, smaller ones cost more calls.
constexpr std::int64_t pull_chunk_bytes = 2 << 20;

/// Memory per item in flight in addition to its bytes: its entries in the order, the pieces and the pointers.
constexpr std::int64_t overhead_bytes_per_item = 40;

/// Local. Returns how many items of `item_bytes` a thread can hold if up to `threads` threads share `memory_bytes`.
/// Lowers `threads` to the number that can hold one item each. Errors: usage if the memory does not hold one item.
[[nodiscard]] std::int64_t items_per_thread(std::int64_t memory_bytes, std::int64_t item_bytes, int& threads);

/// Collective. Permutes by pulling: each thread takes the next chunk of the output, reads the items of the chunk in
/// file order, and passes the chunk to the sink. If ranks write together, the threads of a rank share the reading of a
/// chunk, all ranks write their chunks in one round, and half of `memory_bytes` belongs to the mover. Every byte is
/// read once and written once. Items of different sizes need 8 bytes per chunk in addition to `memory_bytes`. Fast if
/// the input is cached or the items of a chunk are near each other. Errors: usage if `memory_bytes` does not hold one
/// item; io; errors of the sink.
void permute_by_pull(Communicator& comm, const Permutation& permutation);
/// Local. Permutes by pulling, on this rank only. Precondition: `sink.take` is not empty, if there are sources.
void permute_by_pull(const Permutation& permutation);

}  // namespace sill
