// How a rank's part of a permuted output is divided into what is put together and written at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// Stretches of the sources of a permutation, in their order.
class Chunks {
 public:
  /// Local. Each chunk takes at most `memory_bytes`, with what items cost beside their bytes, and has at most
  /// `chunk_bytes` (0: no such bound), but one item in any case. `job` outlives the chunks.
  Chunks(const Permutation& job, std::int64_t memory_bytes, std::int64_t chunk_bytes);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Local. Indices into the sources; none from `count()` on.
  [[nodiscard]] ItemRange operator[](std::int64_t chunk) const;
  /// Local. Bytes of the items of the longest chunk.
  [[nodiscard]] std::int64_t longest_bytes() const { return longest_bytes_; }

 private:
  std::int64_t items_ = 0;
  std::int64_t items_per_chunk_ = 0;  // of equal items
  std::vector<std::int64_t> first_;   // of each chunk of items of different sizes
  std::int64_t count_ = 0;
  std::int64_t longest_bytes_ = 0;
};

/// Local. Bytes of the longest item among a rank's sources; of equal items, their size.
[[nodiscard]] std::int64_t longest_item_bytes(const Permutation& job);

/// Local. Shows the items `own` (indices into the sources), which lie at `bytes` one after another, to `job.inspect`.
/// `items` has as many entries, for use here. Precondition: there is an inspection.
void show_items(const Permutation& job, ItemRange own, std::byte* bytes, std::span<std::byte*> items);

}  // namespace sill
