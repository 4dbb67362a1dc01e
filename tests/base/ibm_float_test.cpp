// IBM floating point against an independent definition in integers and long double.
#include "sill/base/ibm_float.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace sill {
namespace {

/// The definition: fraction * 2^-24 * 16^(exponent - 64).
long double defined_value(std::uint32_t bits) {
  const long double magnitude =
      std::ldexp(static_cast<long double>(bits & 0xFFFFFFU), 4 * (static_cast<int>((bits >> 24U) & 0x7FU) - 64) - 24);
  return (bits >> 31U) != 0 ? -magnitude : magnitude;
}

/// All exponents and signs with fractions where something may go wrong.
std::vector<std::uint32_t> edge_words() {
  std::vector<std::uint32_t> fractions = {0,        1,        2,        3,        7,        8,        9,
                                          0x000FFF, 0x001000, 0x0FFFFF, 0x100000, 0x100001, 0x17FFFF, 0x1FFFFF,
                                          0x200000, 0x3FFFFF, 0x400000, 0x7FFFFF, 0x800000, 0x800001, 0xABCDEF,
                                          0xFFFFF7, 0xFFFFF8, 0xFFFFF9, 0xFFFFFE, 0xFFFFFF};
  for (unsigned bit = 0; bit < 24; ++bit) fractions.push_back(1U << bit);
  std::vector<std::uint32_t> words;
  for (std::uint32_t sign = 0; sign < 2; ++sign)
    for (std::uint32_t exponent = 0; exponent < 128; ++exponent)
      for (const std::uint32_t fraction : fractions) words.push_back((sign << 31U) | (exponent << 24U) | fraction);
  return words;
}

/// The IBM word nearest to `value` found by search among its neighbours, for values that are not clipped.
std::uint32_t nearest_by_search(double value) {
  const long double magnitude = std::abs(static_cast<long double>(value));
  std::uint32_t best = 0;
  long double best_distance = magnitude;
  for (std::uint32_t exponent = 0; exponent < 128; ++exponent) {
    const int unit = 4 * (static_cast<int>(exponent) - 64) - 24;
    const long double scaled = std::ldexp(magnitude, -unit);
    if (scaled >= 16777216.0L) continue;
    const auto floor_of = static_cast<std::uint32_t>(scaled);
    for (const std::uint32_t fraction : {floor_of, floor_of + 1}) {
      if (fraction > 0xFFFFFFU) continue;
      if (fraction < 0x100000U && exponent != 0) continue;  // not normalised
      const std::uint32_t word = (exponent << 24U) | fraction;
      const long double distance = std::abs(defined_value(word) - magnitude);
      // Of two equally near neighbours the even one. Words of two exponents are never equally near unless equal.
      if (distance < best_distance || (distance == best_distance && (fraction & 1U) == 0)) {
        best = word;
        best_distance = distance;
      }
    }
  }
  return best | (std::signbit(value) ? 0x80000000U : 0U);
}

TEST(IbmFloat, KnownWords) {
  EXPECT_EQ(ibm_to_double(0x40010000U), 0.00390625);
  EXPECT_EQ(ibm_to_double(0x46001000U), 4096.0);
  EXPECT_EQ(ibm_to_double(0x41100000U), 1.0);
  EXPECT_EQ(ibm_to_double(0xC276A000U), -118.625);
  EXPECT_EQ(ibm_to_double(0x00000001U), std::ldexp(1.0, -280));
  EXPECT_EQ(ibm_to_double(0x7FFFFFFFU), std::ldexp(16777215.0, 228));
  EXPECT_TRUE(std::signbit(ibm_to_double(0x80000000U)));
  EXPECT_EQ(ibm_to_double(0x80000000U), 0.0);
  EXPECT_EQ(ibm_to_double(0x7F000000U), 0.0);
}

TEST(IbmFloat, EveryExponentIsExactInDouble) {
  for (const std::uint32_t word : edge_words()) {
    ASSERT_EQ(static_cast<long double>(ibm_to_double(word)), defined_value(word)) << std::hex << word;
    ASSERT_EQ(std::signbit(ibm_to_double(word)), (word >> 31U) != 0) << std::hex << word;
  }
}

TEST(IbmFloat, ASampleOfAllWordsIsExactInDouble) {
  // An odd stride visits every residue of the low bits.
  for (std::uint64_t word = 12345; word <= 0xFFFFFFFFU; word += 10007) {
    const auto bits = static_cast<std::uint32_t>(word);
    ASSERT_EQ(static_cast<long double>(ibm_to_double(bits)), defined_value(bits)) << std::hex << bits;
  }
}

TEST(IbmFloat, ToFloatRoundsOnceAndReachesTheEndsOfTheRange) {
  for (const std::uint32_t word : edge_words()) {
    // long double to float is one rounding as well, by other instructions than double to float.
    const auto expected = static_cast<float>(defined_value(word));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(ibm_to_float(word)), std::bit_cast<std::uint32_t>(expected))
        << std::hex << word;
  }
  EXPECT_EQ(ibm_to_float(0x7FFFFFFFU), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ibm_to_float(0xFFFFFFFFU), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(ibm_to_float(0x60FFFFFFU), std::numeric_limits<float>::max());  // (1 - 2^-24) * 2^128
  EXPECT_EQ(ibm_to_float(0x61100000U), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ibm_to_float(0x1B800000U), 0x1p-149F);  // the smallest subnormal
  EXPECT_EQ(ibm_to_float(0x1B400000U), 0.0F);       // half of it: to even
  EXPECT_EQ(ibm_to_float(0x1B400001U), 0x1p-149F);  // just above
  EXPECT_EQ(ibm_to_float(0x1BC00000U), 0x1p-148F);  // one and a half of it is a tie too: to even, which is 2
}

TEST(IbmFloat, NormalisedWordsSurviveTheWayThroughDouble) {
  for (const std::uint32_t word : edge_words()) {
    const std::uint32_t fraction = word & 0xFFFFFFU;
    const IbmRounded back = double_to_ibm(ibm_to_double(word));
    ASSERT_TRUE(back.exact) << std::hex << word;
    ASSERT_EQ(ibm_to_double(back.bits), ibm_to_double(word)) << std::hex << word;
    const bool normalised = fraction >= 0x100000U || (word & 0x7F000000U) == 0;
    if (normalised || fraction == 0) {
      ASSERT_EQ(back.bits, fraction == 0 ? word & 0x80000000U : word) << std::hex << word;
    } else {
      const bool result_normalised = (back.bits & 0xFFFFFFU) >= 0x100000U || (back.bits & 0x7F000000U) == 0;
      ASSERT_TRUE(result_normalised) << std::hex << word;
    }
  }
}

TEST(IbmFloat, HalvesGoToEven) {
  // 1 + n * 2^-21: IBM words near 1 have 20 bits after the point, so odd n are halves.
  EXPECT_EQ(double_to_ibm(1.0 + 0x1p-21).bits, 0x41100000U);
  EXPECT_EQ(double_to_ibm(1.0 + 0x3p-21).bits, 0x41100002U);
  EXPECT_FALSE(double_to_ibm(1.0 + 0x1p-21).exact);
  EXPECT_EQ(double_to_ibm(1.0 + 0x1.0001p-21).bits, 0x41100001U);
  EXPECT_EQ(float_to_ibm(1.0F + 0x1p-21F).bits, 0x41100000U);
  EXPECT_EQ(float_to_ibm(-1.0F - 0x3p-21F).bits, 0xC1100002U);
  // Rounding that carries into the next power of 16.
  EXPECT_EQ(double_to_ibm(std::nextafter(16.0, 0.0)).bits, 0x42100000U);
}

TEST(IbmFloat, SmallestMagnitudes) {
  EXPECT_EQ(double_to_ibm(0x1p-260).bits, 0x00100000U);
  EXPECT_TRUE(double_to_ibm(0x1p-260).exact);
  EXPECT_EQ(double_to_ibm(0x1p-280).bits, 0x00000001U);
  EXPECT_TRUE(double_to_ibm(0x1p-280).exact);
  EXPECT_EQ(double_to_ibm(0x1p-281).bits, 0U);  // half: to even
  EXPECT_FALSE(double_to_ibm(0x1p-281).exact);
  EXPECT_EQ(double_to_ibm(0x1.8p-281).bits, 1U);
  EXPECT_EQ(double_to_ibm(-0x1.8p-280).bits, 0x80000002U);
  EXPECT_EQ(double_to_ibm(-0x1p-282).bits, 0x80000000U);
  EXPECT_FALSE(double_to_ibm(-0x1p-282).exact);
  EXPECT_EQ(double_to_ibm(std::numeric_limits<double>::denorm_min()).bits, 0U);
  EXPECT_FALSE(double_to_ibm(std::numeric_limits<double>::denorm_min()).exact);
  EXPECT_EQ(double_to_ibm(-0.0).bits, 0x80000000U);
  EXPECT_TRUE(double_to_ibm(-0.0).exact);
  EXPECT_EQ(double_to_ibm(0.0).bits, 0U);
}

TEST(IbmFloat, TooLargeAndNotANumberAreReported) {
  const double largest = ibm_to_double(0x7FFFFFFFU);
  EXPECT_EQ(double_to_ibm(largest).bits, 0x7FFFFFFFU);
  EXPECT_FALSE(double_to_ibm(largest).clipped);
  EXPECT_TRUE(double_to_ibm(0x1p252).clipped);
  EXPECT_EQ(double_to_ibm(0x1p252).bits, 0x7FFFFFFFU);
  EXPECT_EQ(double_to_ibm(-0x1p1000).bits, 0xFFFFFFFFU);
  EXPECT_TRUE(double_to_ibm(-0x1p1000).clipped);
  // Above the largest but nearer to it than to 16^63.
  EXPECT_EQ(double_to_ibm(std::nextafter(largest, 0x1p300)).bits, 0x7FFFFFFFU);
  EXPECT_FALSE(double_to_ibm(std::nextafter(largest, 0x1p300)).clipped);
  EXPECT_FALSE(double_to_ibm(std::nextafter(largest, 0x1p300)).exact);
  for (const double infinite : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(double_to_ibm(infinite).clipped);
    EXPECT_FALSE(double_to_ibm(infinite).exact);
    EXPECT_EQ(double_to_ibm(infinite).bits, infinite < 0 ? 0xFFFFFFFFU : 0x7FFFFFFFU);
  }
  EXPECT_TRUE(float_to_ibm(std::numeric_limits<float>::infinity()).clipped);
  EXPECT_TRUE(double_to_ibm(std::numeric_limits<double>::quiet_NaN()).nan);
  EXPECT_FALSE(double_to_ibm(std::numeric_limits<double>::quiet_NaN()).exact);
  EXPECT_TRUE(float_to_ibm(std::numeric_limits<float>::quiet_NaN()).nan);
  EXPECT_FALSE(float_to_ibm(std::numeric_limits<float>::max()).clipped);
}

TEST(IbmFloat, TheLoopOfFloatsAgreesWithTheDefinition) {
  std::vector<float> values;
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
    for (const std::uint32_t fraction :
         {0U, 1U, 2U, 3U, 4U, 5U, 0xBU, 0xCU, 0x3FFFFFU, 0x400000U, 0x7FFFFBU, 0x7FFFFCU, 0x7FFFFEU, 0x7FFFFFU})
      values.push_back(std::bit_cast<float>((exponent << 23U) | fraction));
  for (const float value : values)
    for (const float signed_value : {value, -value}) {
      const IbmRounded rounded = float_to_ibm(signed_value);
      ASSERT_EQ(finite_float_to_ibm(signed_value), rounded.bits) << signed_value;
      ASSERT_EQ(rounded.bits, nearest_by_search(static_cast<double>(signed_value))) << signed_value;
      ASSERT_EQ(rounded.exact, ibm_to_double(rounded.bits) == static_cast<double>(signed_value)) << signed_value;
    }
}

RC_GTEST_PROP(IbmFloatProperty, TheNearestWordIsChosen, (std::uint64_t raw)) {
  // Exponents spread over the range of IBM words and a little beyond its lower end.
  const std::uint64_t exponent = 1023 - 290 + (raw >> 52U) % 540;
  const double value = std::bit_cast<double>((raw & 0x800FFFFFFFFFFFFFULL) | (exponent << 52U));
  const IbmRounded rounded = double_to_ibm(value);
  if (std::abs(value) < 0x1.ffffffp251) {
    RC_ASSERT(!rounded.clipped);
    RC_ASSERT(rounded.bits == nearest_by_search(value));
    RC_ASSERT(rounded.exact == (ibm_to_double(rounded.bits) == value));
  }
}

RC_GTEST_PROP(IbmFloatProperty, FloatsOfAnyBits, (std::uint32_t raw)) {
  const auto value = std::bit_cast<float>(raw);
  RC_PRE(std::isfinite(value));
  RC_ASSERT(finite_float_to_ibm(value) == float_to_ibm(value).bits);
}

}  // namespace
}  // namespace sill
