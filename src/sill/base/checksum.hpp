// A checksum that changes with every word, for the files that Sill stores next to files of the user.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sill/base/byte_order.hpp"

namespace sill {

/// The checksum of little-endian 64-bit words; the last word of each call of `add` is padded with zeros. Each step is a
/// bijection of the sum and of the word, so a single differing word always changes the checksum.
class Checksum {
 public:
  /// Local. Adds `bytes` to the checksum.
  void add(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::array<std::byte, 8> word{};
      std::ranges::copy(bytes.subspan(at, std::min<std::size_t>(8, bytes.size() - at)), word.begin());
      sum_ = (sum_ ^ load<std::uint64_t>(word.data(), ByteOrder::little)) * 0x9E3779B97F4A7C15U;
      sum_ ^= sum_ >> 32U;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0x53494C4C2D494458U;
};

/// Local. Returns the checksum of a text.
[[nodiscard]] inline std::uint64_t checksum_of(std::string_view text) {
  Checksum sum;
  sum.add(std::as_bytes(std::span(text)));
  return sum.value();
}

}  // namespace sill
