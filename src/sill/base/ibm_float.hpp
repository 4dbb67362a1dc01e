// IBM System/360 single-precision floating point: sign, 7-bit exponent of 16 (bias 64), 24-bit fraction.
//
// A word has the value (-1)^sign * fraction * 2^-24 * 16^(exponent - 64). A fraction whose first hexadecimal digit is 0
// ("unnormalised") is legal and has the value of this definition: 0x46001000 is 4096.
#pragma once

#include <bit>
#include <cstdint>

namespace sill {

/// An IBM word converted from an IEEE value, and the losses of the conversion.
struct IbmRounded {
  std::uint32_t bits = 0;
  bool exact = true;     ///< the word represents exactly the original value (signed zero included)
  bool clipped = false;  ///< the value was too large (or infinite): the word has the largest magnitude
  bool nan = false;      ///< the value was NaN, which IBM floating point cannot represent: the word is zero
};

/// Local. Returns the value of an IBM word (in native byte order). A double represents each of the 2^32 words exactly.
[[nodiscard]] constexpr double ibm_to_double(std::uint32_t bits) {
  // fraction * 2^(4 * exponent - 280): both factors are normal doubles, and so is every product that is not zero.
  const auto fraction = static_cast<double>(static_cast<std::int32_t>(bits & 0x00FFFFFFU));
  const std::uint64_t exponent_of_2 = 4U * ((bits >> 24U) & 0x7FU) + (1023U - 280U);
  const double magnitude = fraction * std::bit_cast<double>(exponent_of_2 << 52U);
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 31U) << 63U;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);
}

/// Local. Returns the float nearest to the value of an IBM word, ties to even: infinite if the value is beyond
/// float's range, subnormal or zero if it is below the normal range. Precondition: the processor rounds to nearest (its
/// default).
[[nodiscard]] constexpr float ibm_to_float(std::uint32_t bits) {
  return static_cast<float>(ibm_to_double(bits));  // one rounding, as the double is exact
}

/// Local. Returns the IBM word nearest to `value`, ties to even, normalised wherever a normalised word exists.
/// Magnitudes below 16^-65 become unnormalised words of exponent 0; below half of the smallest of these, the word is
/// zero. The result states every loss.
[[nodiscard]] IbmRounded double_to_ibm(double value);

/// Local. Converts as double_to_ibm. Only infinities are clipped, because the range of IBM words is wider than float's;
/// the last three bits of a fraction may be lost.
[[nodiscard]] IbmRounded float_to_ibm(float value);

/// Local. Returns the word that float_to_ibm returns, without counting losses. For inner loops. Precondition:
/// `value` is finite.
[[nodiscard]] constexpr std::uint32_t finite_float_to_ibm(float value) {
  // A subnormal is scaled by 2^32 first, so that every magnitude except zero has 24 significant bits.
  const std::uint32_t raw = std::bit_cast<std::uint32_t>(value);
  const bool subnormal = (raw & 0x7F800000U) == 0;
  const std::uint32_t scaled = std::bit_cast<std::uint32_t>(subnormal ? value * 4294967296.0F : value);
  // The magnitude is m * 2^(power - 23), 2^23 <= m < 2^24. With 260 added, `power` is positive, its two lowest bits are
  // the position of the leading bit within its hexadecimal digit, and the rest is the IBM exponent.
  const std::uint32_t power_260 = ((scaled >> 23U) & 0xFFU) + (260U - 127U) - (subnormal ? 32U : 0U);
  const std::uint32_t place = power_260 & 3U;
  const std::uint32_t doubled = (0x00800000U | (scaled & 0x007FFFFFU)) << 1U;
  const std::uint32_t shift = 4U - place;  // at least 1, so that a half exists for rounding
  const std::uint32_t half_less_one = (1U << (shift - 1U)) - 1U;
  // Rounding can reach 2^(21 + place), never 2^24: with place 3 nothing is cut off. So the exponent does not change.
  const std::uint32_t fraction = (doubled + half_less_one + ((doubled >> shift) & 1U)) >> shift;
  const std::uint32_t magnitude = ((power_260 >> 2U) << 24U) | fraction;
  return (raw & 0x80000000U) | ((raw & 0x7FFFFFFFU) == 0 ? 0U : magnitude);
}

}  // namespace sill
