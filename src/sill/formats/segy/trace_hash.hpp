// A number of 128 bits that stands for the bytes of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sill::segy {

/// Takes bytes block by block; the same blocks in the same order give the same number. Two traces that differ have the
/// same number with a probability of about 2^-128, unless somebody chose them so: it is no cryptographic hash.
///
/// Two words at a time are multiplied, each combined with a constant and with what came before, and the two halves of
/// the product of 128 bits are combined; this is done twice with different constants.
class TraceHash {
 public:
  using Value = std::array<std::uint64_t, 2>;

  void add(std::span<const std::byte> block) {
    const std::byte* at = block.data();
    std::size_t left = block.size();
    for (; left >= 16; at += 16, left -= 16) mix(word(at, 8), word(at + 8, 8));
    // The length goes in with what is left, so that no zeros at an end are lost.
    mix(word(at, left < 8 ? left : 8), left > 8 ? word(at + 8, left - 8) : 0);
    mix(block.size(), 0);
  }

  [[nodiscard]] Value value() const { return {folded(a_ ^ keys[0], b_ ^ keys[1]), folded(b_ ^ keys[2], a_ ^ keys[3])}; }

 private:
  // Fractions of the square roots of 2, 3, 5, 7, made odd.
  static constexpr std::array<std::uint64_t, 4> keys = {0x6A09E667F3BCC909ULL, 0xBB67AE8584CAA73BULL,
                                                        0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL};

  static std::uint64_t word(const std::byte* at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
  }
  static std::uint64_t folded(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }
  void mix(std::uint64_t x, std::uint64_t y) {
    a_ = folded(x ^ keys[0], y ^ keys[1] ^ a_) + x;
    b_ = folded(y ^ keys[2], x ^ keys[3] ^ b_) + y;
  }

  std::uint64_t a_ = 0;
  std::uint64_t b_ = 0;
};

}  // namespace sill::segy
