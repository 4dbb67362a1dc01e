// Which items of a chunk can be read by one request: a pure function.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/move/permutation.hpp"

namespace sill {

/// Items that follow each other in one input file.
struct ItemRun {
  std::size_t input = 0;        ///< index into the inputs
  std::int64_t first_item = 0;  ///< number of the first, counted through all inputs
  std::size_t begin = 0;        ///< where the run begins in the order
  std::size_t count = 0;

  friend constexpr bool operator==(const ItemRun&, const ItemRun&) = default;
};

/// Local. Replaces `order` by the indices of `sources` sorted by source, and returns the runs of consecutive sources
/// that one file holds. Precondition: every source lies in one of `inputs`.
[[nodiscard]] std::vector<ItemRun> runs_in_file_order(std::span<const std::int64_t> sources,
                                                      std::span<const InputItems> inputs,
                                                      std::vector<std::size_t>& order);

/// Local. Reads consecutive items, which may span files, into `bytes`. Errors: io.
void read_items(std::span<const InputItems> inputs, ItemRange items, std::span<std::byte> bytes);

/// Local. Reads the items `sources` into `buffer` in the order of `sources`, one request a run.
class ChunkReader {
 public:
  explicit ChunkReader(std::span<const InputItems> inputs, AfterReading after = AfterReading::keep)
      : inputs_(inputs), after_(after) {}
  void read(std::span<const std::int64_t> sources, std::byte* buffer);

 private:
  std::span<const InputItems> inputs_;
  AfterReading after_;
  std::vector<std::size_t> order_;
  std::vector<iovec> pieces_;
};

}  // namespace sill
