// A 128-bit hash of the bytes of a trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sill::segy {

/// Hashes bytes block by block; the same blocks in the same order give the same number. Two different traces have the
/// same number with a probability of about 2^-128, unless somebody constructed them to collide: this is not a
/// cryptographic hash.
///
/// Pairs of 64-bit words are multiplied, each word combined with a constant and with the previous state, and the halves
/// of each product are combined. This is done twice with different constants, in two rows that do not depend on each
/// other.
class TraceHash {
 public:
  using Value = std::array<std::uint64_t, 2>;

  void add(std::span<const std::byte> block) {
    const std::byte* at = block.data();
    std::size_t left = block.size();
    for (; left >= step_bytes; at += step_bytes, left -= step_bytes) step(at);
    std::array<std::byte, step_bytes> rest{};
    std::copy_n(at, left, rest.begin());
    step(rest.data());
    rows_[0].mix(block.size(), 0);  // so that trailing zeros change the hash
  }

  [[nodiscard]] Value value() const {
    const auto [x, y] = rows_;
    return {folded(x.a ^ keys[0], x.b ^ keys[1]) + folded(y.a ^ keys[2], y.b ^ keys[3]),
            folded(x.a ^ keys[2], y.b ^ keys[1]) + folded(y.a ^ keys[0], x.b ^ keys[3])};
  }

 private:
  static constexpr std::size_t step_bytes = 32;
  // The first 64 bits of the fractions of the square roots of 2, 3, 5 and 7.
  static constexpr std::array<std::uint64_t, 4> keys = {0x6A09E667F3BCC908ULL, 0xBB67AE8584CAA73BULL,
                                                        0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL};

  static std::uint64_t word(const std::byte* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static std::uint64_t folded(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  struct Row {
    std::uint64_t a = 0;
    std::uint64_t b = 0;

    void mix(std::uint64_t x, std::uint64_t y) {
      a = folded(x ^ keys[0], y ^ keys[1] ^ a) + x;
      b = folded(y ^ keys[2], x ^ keys[3] ^ b) + y;
    }
  };

  void step(const std::byte* at) {
    rows_[0].mix(word(at), word(at + 8));
    rows_[1].mix(word(at + 16), word(at + 24));
  }

  std::array<Row, 2> rows_{};
};

}  // namespace sill::segy
