// Division of a rank's share of a permuted output into chunks that are assembled and written at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// Contiguous stretches of the sources of a permutation, in their order.
class Chunks {
 public:
  /// Local. Divides the sources of `job`. Each chunk takes at most `memory_bytes`, including the overhead per item, and
  /// has at most `chunk_bytes` (0: no limit), but always at least one item. Precondition: `job` outlives the chunks.
  Chunks(const Permutation& job, std::int64_t memory_bytes, std::int64_t chunk_bytes);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Local. Returns the indices of a chunk into the sources; an empty range if `chunk` >= `count()`.
  [[nodiscard]] ItemRange operator[](std::int64_t chunk) const;
  /// Local. Returns the bytes of the items of the longest chunk.
  [[nodiscard]] std::int64_t longest_bytes() const { return longest_bytes_; }

 private:
  std::int64_t items_ = 0;
  std::int64_t items_per_chunk_ = 0;  // of equal items
  std::vector<std::int64_t> first_;   // of each chunk of items of different sizes
  std::int64_t count_ = 0;
  std::int64_t longest_bytes_ = 0;
};

/// Local. Returns the bytes of the longest item among a rank's sources; for equal items, their size.
[[nodiscard]] std::int64_t longest_item_bytes(const Permutation& job);

/// Local. Passes the items `own` (indices into the sources), stored consecutively at `bytes`, to `job.inspect`. `items`
/// is scratch space with one entry per item of `own`. Precondition: `job.inspect` is not empty.
void show_items(const Permutation& job, ItemRange own, std::byte* bytes, std::span<std::byte*> items);

}  // namespace sill
