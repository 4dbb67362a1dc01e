// Reads items, and combines neighbouring items into one request.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/permute/permutation.hpp"

namespace sill {

/// Consecutive items of one input file.
struct ItemRun {
  std::size_t input = 0;        ///< index into the inputs
  std::int64_t first_item = 0;  ///< number of the first item, counted over all inputs
  std::size_t begin = 0;        ///< index into the order at which the run begins
  std::size_t count = 0;

  friend constexpr bool operator==(const ItemRun&, const ItemRun&) = default;
};

/// Local. Fills `order` with the indices of `sources`, sorted by source, and returns the runs of consecutive sources
/// within one file. Precondition: every source is in one of `inputs`.
[[nodiscard]] std::vector<ItemRun> runs_in_file_order(std::span<const std::int64_t> sources,
                                                      std::span<const InputItems> inputs,
                                                      std::vector<std::size_t>& order);

/// Local. Applies the treatment `after` to the bytes `bytes` of `store`, which have been read.
void have_read(Store& store, ByteRange bytes, AfterReading after);

/// Local. Reads consecutive items, possibly from several files, into `bytes`. Errors: io.
void read_items(std::span<const InputItems> inputs, ItemRange items, std::span<std::byte> bytes,
                AfterReading after = AfterReading::keep);

/// Local. Reads items in any order: `read` reads the items `sources` into `buffer`, in the order of `sources`, with one
/// request per run of consecutive items. For items of different sizes pass `starts`, as in Permutation; the first item
/// is then stored at the beginning of the buffer.
class ChunkReader {
 public:
  explicit ChunkReader(std::span<const InputItems> inputs, AfterReading after = AfterReading::keep)
      : inputs_(inputs), after_(after) {}
  void read(std::span<const std::int64_t> sources, std::byte* buffer, std::span<const std::int64_t> starts = {});

 private:
  std::span<const InputItems> inputs_;
  AfterReading after_;
  std::vector<std::size_t> order_;
  std::vector<ByteRange> needed_;
  std::vector<iovec> pieces_;
};

/// Local. Reads items directly to their final positions, with one request per stretch of needed items of a file. Gaps
/// of at most `bridge_bytes` between needed items are read too; longer gaps are skipped.
class PlacedReader {
 public:
  explicit PlacedReader(std::span<const InputItems> inputs, std::int64_t bridge_bytes = 0,
                        AfterReading after = AfterReading::keep)
      : inputs_(inputs), bridge_bytes_(bridge_bytes), after_(after) {}
  /// Local. Reads item `items.first` + i to `places[i]`, unless `places[i]` is null. Errors: io.
  void read(ItemRange items, std::span<std::byte* const> places);
  /// Local. Asks the system to fetch the bytes that `read` with the same arguments would read.
  void will_need(ItemRange items, std::span<std::byte* const> places);

 private:
  void find_stretches(const InputItems& input, ItemRange items, std::byte* const* places);
  void read_of(const InputItems& input, ItemRange items, std::byte* const* places);
  // Collects the pieces of a stretch of items with the given positions.
  void collect_pieces(ItemRange stretch, std::int64_t item_bytes, std::byte* const* places);

  std::span<const InputItems> inputs_;
  std::int64_t bridge_bytes_;
  AfterReading after_;
  std::vector<ItemRange> stretches_;
  std::vector<ByteRange> needed_;  // of each stretch
  std::vector<iovec> pieces_;
  std::vector<std::byte> gap_;  // for bytes that are read but not needed
};

}  // namespace sill
