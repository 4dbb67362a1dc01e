// Turning the words of a header block from one byte order into another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// A permutation of the bytes of a header block that turns its words around, and leaves what is no word as it is.
/// Const functions may be called by several threads.
class WordSwap {
 public:
  /// Local. Of blocks of `block_bytes`; `words` count bytes from 1 and, of those that overlap, the first one counts. No
  /// word reaches beyond the block: those that do are left out.
  WordSwap(std::span<const WordRef> words, std::int64_t block_bytes, ByteOrder from, ByteOrder to);

  [[nodiscard]] std::int64_t block_bytes() const { return std::ssize(source_of_); }
  /// Local. The first `bytes` of the block at `in`, turned around, to `out`. They do not overlap, and no word crosses
  /// their end.
  void apply(const std::byte* in, std::byte* out, std::int64_t bytes) const;
  /// Local. The bytes that no word covers, in order.
  [[nodiscard]] std::span<const ByteRange> uncovered() const { return uncovered_; }

 private:
  std::vector<std::uint32_t> source_of_;  // of each byte
  std::vector<ByteRange> uncovered_;
  bool changes_ = false;
};

}  // namespace sill::segy
