// Conversion of the words of a header block from one byte order to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// A permutation of the bytes of a header block that changes the byte order of its words, and leaves all other bytes
/// unchanged. Const functions may be called by several threads.
class WordSwap {
 public:
  /// Local. Prepares the conversion of blocks of `block_bytes` bytes. `words` count bytes from 1; a word that overlaps
  /// an earlier one, or that extends beyond the block, is skipped.
  WordSwap(std::span<const WordRef> words, std::int64_t block_bytes, ByteOrder from, ByteOrder to);

  [[nodiscard]] std::int64_t block_bytes() const { return std::ssize(source_of_); }
  /// Local. Converts the first `bytes` bytes of the block at `in` and writes them to `out`. Precondition: the two
  /// blocks do not overlap, and no word extends beyond the first `bytes` bytes.
  void apply(const std::byte* in, std::byte* out, std::int64_t bytes) const;
  /// Local. Returns the bytes that no word covers, in order.
  [[nodiscard]] std::span<const ByteRange> uncovered() const { return uncovered_; }

 private:
  std::vector<std::uint32_t> source_of_;  // for each output byte, the index of its input byte
  std::vector<ByteRange> uncovered_;
  bool changes_ = false;
};

}  // namespace sill::segy
