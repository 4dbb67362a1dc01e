#include "sill/formats/segy/words/word_swap.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sill::segy {
namespace {

/// Returns the index, in a big-endian word of `bytes` bytes, of the byte that is at `at` in another order. The function
/// is its own inverse.
int big_endian_place(int at, int bytes, ByteOrder order) {
  if (order == ByteOrder::little) return bytes - 1 - at;
  if (order == ByteOrder::pairwise && (at ^ 1) < bytes) return at ^ 1;
  return at;
}

}  // namespace

WordSwap::WordSwap(std::span<const WordRef> words, std::int64_t block_bytes, ByteOrder from, ByteOrder to)
    : source_of_(static_cast<std::size_t>(block_bytes)) {
  std::iota(source_of_.begin(), source_of_.end(), 0U);
  std::vector<bool> covered(static_cast<std::size_t>(block_bytes));
  for (const WordRef& word : words) {
    const auto at = static_cast<std::int64_t>(word.byte) - 1;
    const int bytes = word.type.bytes;
    if (at < 0 || at + bytes > block_bytes) continue;
    const auto first = covered.begin() + at;
    if (std::find(first, first + bytes, true) != first + bytes) continue;
    std::fill_n(first, bytes, true);
    if (word.type.kind == WordKind::text) continue;
    for (int i = 0; i < bytes; ++i) {
      const int in_big = big_endian_place(i, bytes, to);
      source_of_[static_cast<std::size_t>(at + i)] =
          static_cast<std::uint32_t>(at + big_endian_place(in_big, bytes, from));
    }
  }
  for (std::int64_t i = 0; i < block_bytes; ++i) {
    changes_ = changes_ || source_of_[static_cast<std::size_t>(i)] != static_cast<std::uint32_t>(i);
    if (covered[static_cast<std::size_t>(i)]) continue;
    if (uncovered_.empty() || uncovered_.back().end() != i) uncovered_.push_back({i, 0});
    ++uncovered_.back().length;
  }
}

void WordSwap::apply(const std::byte* in, std::byte* out, std::int64_t bytes) const {
  const auto end = static_cast<std::size_t>(bytes);
  if (!changes_) {
    std::memcpy(out, in, end);
    return;
  }
  for (std::size_t i = 0; i < end; ++i) out[i] = in[source_of_[i]];
}

}  // namespace sill::segy
