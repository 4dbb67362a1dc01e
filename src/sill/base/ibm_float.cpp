// Rounds IEEE values to IBM words.
#include "sill/base/ibm_float.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sill {

IbmRounded double_to_ibm(double value) {
  constexpr std::uint64_t fraction_mask = 0x000FFFFFFFFFFFFFULL;
  const auto raw = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(raw >> 63U) << 31U;
  const auto exponent = static_cast<int>((raw >> 52U) & 0x7FFU);
  const std::uint64_t fraction = raw & fraction_mask;

  if (exponent == 0x7FF) {
    if (fraction != 0) return {.bits = 0, .exact = false, .nan = true};
    return {.bits = sign | 0x7FFFFFFFU, .exact = false, .clipped = true};
  }
  // A subnormal double is far below half the smallest IBM magnitude (2^-280).
  if (exponent == 0) return {.bits = sign, .exact = fraction == 0};

  // |value| = m * 2^(power - 52), 2^52 <= m < 2^53; the word will be f * 2^(4 * e - 280), 2^20 <= f < 2^24.
  const std::uint64_t m = fraction | (fraction_mask + 1);
  const int power = exponent - 1023;
  int e = power + 260 >= 0 ? (power + 260) / 4 : 0;  // below 16^-65 the exponent stays 0, unnormalised
  const int shift = std::min((4 * e - 280) - (power - 52), 63);
  std::uint64_t f = m >> static_cast<unsigned>(shift);
  const std::uint64_t rest = m & ((1ULL << static_cast<unsigned>(shift)) - 1);
  const std::uint64_t half = 1ULL << static_cast<unsigned>(shift - 1);
  if (rest > half || (rest == half && (f & 1U) != 0)) ++f;
  if (f == 0x1000000U) {
    f = 0x100000U;
    ++e;
  }
  if (e > 127) return {.bits = sign | 0x7FFFFFFFU, .exact = false, .clipped = true};
  return {.bits = sign | (static_cast<std::uint32_t>(e) << 24U) | static_cast<std::uint32_t>(f), .exact = rest == 0};
}

IbmRounded float_to_ibm(float value) { return double_to_ibm(static_cast<double>(value)); }

}  // namespace sill
