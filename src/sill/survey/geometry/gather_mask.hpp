// Determines which key records belong to one gather.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sill/comm/key_sort.hpp"

namespace sill {

/// Masks the bytes of the first keys in a record, which distinguish gathers; the keys need not end at a word boundary.
template <std::size_t Words>
struct GatherMask {
  std::array<std::uint64_t, Words> mask{};

  /// Local. Defines gathers as the records with the same first `bytes` bytes.
  explicit GatherMask(std::int64_t bytes) {
    constexpr std::int64_t key_word_bytes = 8;
    for (std::size_t w = 0; w < Words; ++w) {
      const std::int64_t here =
          std::clamp<std::int64_t>(bytes - static_cast<std::int64_t>(w) * key_word_bytes, 0, key_word_bytes);
      if (here > 0) mask[w] = ~std::uint64_t{0} << (8 * (key_word_bytes - here));
    }
  }
  /// Local. Returns true if two records belong to one gather.
  [[nodiscard]] bool same(const KeyRecord<Words>& a, const KeyRecord<Words>& b) const {
    for (std::size_t w = 0; w < Words; ++w) {
      if (((a.key[w] ^ b.key[w]) & mask[w]) != 0) return false;
    }
    return true;
  }
};

}  // namespace sill
