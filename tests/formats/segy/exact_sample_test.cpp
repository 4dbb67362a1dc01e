// Samples as exact numbers, and rounding to every format, against the definitions.
#include "sill/formats/segy/samples/exact_sample.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

#include "formats/segy/sample_words.hpp"
#include "formats/segy/slow_samples.hpp"

namespace sill::segy {
namespace {

using test::all_formats;
using test::Wide;

Wide value_of(const ExactSample& sample) {
  if (sample.kind == ExactSample::Kind::not_a_number) return std::numeric_limits<Wide>::quiet_NaN();
  const Wide size = sample.kind == ExactSample::Kind::infinite
                        ? std::numeric_limits<Wide>::infinity()
                        : std::ldexp(static_cast<Wide>(sample.magnitude), sample.exponent);
  return sample.negative ? -size : size;
}

TEST(ExactSample, MeansWhatTheStandardSays) {
  for (const SampleFormat format : all_formats) {
    for (const std::uint64_t bits : test::words_of(format, 20000, 1)) {
      const Wide found = value_of(exact_sample(bits, format));
      const Wide expected = test::slow_value(bits, format);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(found)) << name_of(format) << ' ' << bits;
      } else {
        ASSERT_EQ(found, expected) << name_of(format) << ' ' << bits;
      }
    }
  }
}

TEST(ExactSample, FixedPointGoesByTheRevision) {
  // Gain 3, and only its low 8 bits count; q is -5.
  const std::uint64_t bits = 0xFF03FFFBU;
  EXPECT_EQ(value_of(exact_sample(bits, SampleFormat::fixed_point_gain)), -40.0L);
  EXPECT_EQ(value_of(exact_sample(bits, SampleFormat::fixed_point_gain_rev2)), -0.625L);
}

TEST(ExactSample, IsRoundedOnceHalfToEven) {
  for (const SampleFormat from : all_formats) {
    const std::vector<std::uint64_t> words = test::words_of(from, 4000, 2);
    for (const SampleFormat to : all_formats) {
      if (!is_writable(to)) continue;
      for (const std::uint64_t bits : words) {
        const FittedSample fitted = fit_sample(exact_sample(bits, from), to);
        const Wide source = test::slow_value(bits, from);
        SCOPED_TRACE(testing::Message() << name_of(from) << " to " << name_of(to) << ' ' << std::hex << bits);
        if (!std::isfinite(source)) {
          const Fit expected = test::is_ieee(to) ? Fit::exact : std::isnan(source) ? Fit::not_a_number : Fit::infinite;
          ASSERT_EQ(fitted.fit, expected);
          if (!test::is_ieee(to)) continue;
          const Wide target = test::slow_value(fitted.bits, to);
          ASSERT_EQ(std::isnan(target), std::isnan(source));
          if (!std::isnan(source)) {
            ASSERT_EQ(target, source);
          }
          continue;
        }
        const Wide nearest = test::slow_nearest(source, to);
        const Wide target = test::slow_value(fitted.bits, to);
        if (nearest > test::largest_of<Wide>(to) || nearest < test::lowest_of<Wide>(to)) {
          ASSERT_EQ(fitted.fit, Fit::out_of_range);
          ASSERT_EQ(target, source < 0 ? test::lowest_of<Wide>(to) : test::largest_of<Wide>(to));
          continue;
        }
        ASSERT_EQ(target, nearest);
        ASSERT_EQ(fitted.fit, nearest == source ? Fit::exact : Fit::rounded);
        const Wide share = nearest == source ? 0.0L : std::abs(nearest - source) / std::abs(source);
        ASSERT_NEAR(static_cast<double>(fitted.relative_error), static_cast<double>(share),
                    static_cast<double>(share) * 1e-7);
        if (source == 0 && (test::is_ieee(to) || to == SampleFormat::ibm_float)) {
          ASSERT_EQ(std::signbit(target), std::signbit(source));
        }
      }
    }
  }
}

/// The value of `format` nearest to value + rest, ties to even; |rest| is at most half of the last bit of the value.
Wide nearest_of_sum(Wide value, Wide rest, SampleFormat format) {
  const Wide nearest = test::slow_nearest(value, format);
  if (rest == 0) return nearest;
  const Wide other = value + (value - nearest);
  const bool is_tie = value != nearest && test::slow_nearest(other, format) == other;
  if (is_tie) return (other > nearest) == (rest > 0) ? other : nearest;
  // An integer of 64 bits is its own neighbour; the rest may be the half beside it.
  if (value == nearest && std::abs(rest) == 0.5L && !test::is_ieee(format) && format != SampleFormat::ibm_float &&
      std::fmod(value, 2.0L) != 0)
    return value + 2 * rest;
  return nearest;
}

// Products against the sum of a rounded product and its rest, both in long double: together they are exact.
TEST(ExactSample, ProductsAreRoundedOnceHalfToEven) {
  constexpr std::array factors = {0.5, -1.0, 1024.0,     0x1p-60, 0x1p200, 0x1p-1000, 3.0,    1.0 + 0x1p-52,
                                  1e3, 0.1,  -1.0 / 3.0, 1e50,    1e-50,   1e300,     -5e-324};
  std::int64_t finite = 0;
  for (const SampleFormat from : all_formats) {
    const std::vector<std::uint64_t> words = test::words_of(from, 1000, 4);
    for (const SampleFormat to : all_formats)
      for (std::size_t k = 0; is_writable(to) && k < factors.size(); ++k)
        for (std::size_t i = k; i < words.size(); i += 17) {
          const ExactSample factor = exact_sample(std::bit_cast<std::uint64_t>(factors[k]), SampleFormat::ieee_double);
          const FittedSample fitted = fit_product(exact_sample(words[i], from), factor, to);
          const Wide source = test::slow_value(words[i], from);
          const Wide value = source * factors[k];
          const Wide target = test::slow_value(fitted.bits, to);
          SCOPED_TRACE(testing::Message() << name_of(from) << ' ' << std::hex << words[i] << " times " << factors[k]
                                          << " to " << name_of(to));
          if (std::isnan(source)) {
            ASSERT_EQ(fitted.bits, fit_sample(exact_sample(words[i], from), to).bits);
            continue;
          }
          if (std::isinf(source)) {
            ASSERT_EQ(std::signbit(target), std::signbit(value) && test::lowest_of<Wide>(to) != 0);
            ASSERT_EQ(fitted.fit, test::is_ieee(to) ? Fit::exact : Fit::infinite);
            continue;
          }
          const Wide rest = std::fma(source, Wide{factors[k]}, -value);
          const Wide nearest = nearest_of_sum(value, rest, to);
          if (nearest > test::largest_of<Wide>(to) || nearest < test::lowest_of<Wide>(to)) {
            ASSERT_EQ(fitted.fit, Fit::out_of_range);
            ASSERT_EQ(target, value < 0 ? test::lowest_of<Wide>(to) : test::largest_of<Wide>(to));
            continue;
          }
          ++finite;
          ASSERT_EQ(target, nearest);
          ASSERT_EQ(fitted.fit, nearest == value && rest == 0 ? Fit::exact : Fit::rounded);
          const Wide share = value == 0 ? 0.0L : std::abs((nearest - value) - rest) / std::abs(value);
          ASSERT_NEAR(static_cast<double>(fitted.relative_error), static_cast<double>(share),
                      static_cast<double>(share) * 1e-7 + 0x1p-62);
          if (value == 0 && (test::is_ieee(to) || to == SampleFormat::ibm_float)) {
            ASSERT_EQ(std::signbit(target), std::signbit(value));
          }
        }
  }
  EXPECT_GT(finite, 100'000);
}

TEST(ExactSample, ProductsWorkedOutByHand) {
  using F = SampleFormat;
  const auto times = [](std::uint64_t bits, F from, double factor, F to) {
    return fit_product(exact_sample(bits, from),
                       exact_sample(std::bit_cast<std::uint64_t>(factor), SampleFormat::ieee_double), to);
  };
  const auto words = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_EQ(times(words(1e20), F::ieee_double, 1e-50, F::ieee_double).bits, words(1e-30));
  EXPECT_EQ(times(words(1e50), F::ieee_double, 1e-50, F::int8).bits, 1U);
  EXPECT_EQ(times(16777217, F::int32, 2.0, F::int32).bits, 33554434U);
  // 3 * (2^63 - 1) / 2 is a half, and 2^64 is beyond the range.
  EXPECT_EQ(times(0x7FFFFFFFFFFFFFFFU, F::int64, 1.5, F::uint64).bits, 0xBFFFFFFFFFFFFFFEU);
  EXPECT_EQ(times(0x7FFFFFFFFFFFFFFFU, F::int64, 1.5, F::uint64).fit, Fit::rounded);
  EXPECT_EQ(times(0xFFFFFFFFFFFFFFFFU, F::uint64, 1.0 + 0x1p-52, F::uint64).fit, Fit::out_of_range);
  // 2^64 - 2^-42 is rounded to 2^64, which is out of range; two less is not.
  EXPECT_EQ(times(0x8000000000000400U, F::uint64, 2.0 - 0x1p-52, F::uint64).fit, Fit::out_of_range);
  EXPECT_EQ(times(0x80000000000003FFU, F::uint64, 2.0 - 0x1p-52, F::uint64).bits, 0xFFFFFFFFFFFFFFFEU);
  EXPECT_EQ(times(0xFFFFFFFFFFFFFFFFU, F::uint64, 1.0 - 0x1p-53, F::uint64).bits, 0xFFFFFFFFFFFFF7FFU);
}

TEST(ExactSample, IbmWordsAreNormalised) {
  const auto ibm_of = [](double value) {
    return fit_sample(exact_sample(std::bit_cast<std::uint64_t>(value), SampleFormat::ieee_double),
                      SampleFormat::ibm_float);
  };
  EXPECT_EQ(ibm_of(1.0).bits, 0x41100000U);
  EXPECT_EQ(ibm_of(-118.625).bits, 0xC276A000U);
  EXPECT_EQ(ibm_of(0.00390625).bits, 0x3F100000U);
  EXPECT_EQ(ibm_of(-0.0).bits, 0x80000000U);
  EXPECT_EQ(ibm_of(0x1.FFFFFFFp3).bits, 0x42100000U);  // rounds up to the next power of 16
  EXPECT_EQ(ibm_of(0x1p-260).bits, 0x00100000U);       // the smallest normalised
  EXPECT_EQ(ibm_of(0x1p-280).bits, 0x00000001U);       // the smallest at all
  EXPECT_EQ(ibm_of(0x1p-281).bits, 0U);                // half of it, to even
  EXPECT_EQ(ibm_of(0x1.8p-280).bits, 2U);              // one and a half, to even
  EXPECT_EQ(ibm_of(0x1.FFFFFEp251).bits, 0x7FFFFFFFU);
  EXPECT_EQ(ibm_of(0x1.FFFFFEp251).fit, Fit::exact);
  EXPECT_EQ(ibm_of(0x1.FFFFFF8p251).fit, Fit::out_of_range);
}

TEST(ExactSample, BytesAreStoredAsTheyAreLoaded) {
  for (const SampleFormat format : all_formats)
    for (const ByteOrder order : test::all_orders)
      for (const std::uint64_t bits : test::words_of(format, 50, 3)) {
        std::array<std::byte, 8> bytes{};
        store_sample(bytes.data(), bits, format, order);
        EXPECT_EQ(load_sample(bytes.data(), format, order), bits) << name_of(format) << ' ' << name_of(order);
      }
  std::array<std::byte, 3> bytes{};
  store_sample(bytes.data(), 0x010203, SampleFormat::int24, ByteOrder::big);
  EXPECT_EQ(bytes, (std::array{std::byte{1}, std::byte{2}, std::byte{3}}));
  store_sample(bytes.data(), 0x010203, SampleFormat::int24, ByteOrder::little);
  EXPECT_EQ(bytes, (std::array{std::byte{3}, std::byte{2}, std::byte{1}}));
  store_sample(bytes.data(), 0x010203, SampleFormat::int24, ByteOrder::pairwise);
  EXPECT_EQ(bytes, (std::array{std::byte{2}, std::byte{1}, std::byte{3}}));
}

TEST(ExactSample, TextForMessages) {
  EXPECT_EQ(text_of(exact_sample(0xFFFFFFFFFFFFFFFFU, SampleFormat::uint64)), "18446744073709551615");
  EXPECT_EQ(text_of(exact_sample(0x8000000000000000U, SampleFormat::int64)), "-9223372036854775808");
  EXPECT_EQ(text_of(exact_sample(std::bit_cast<std::uint32_t>(0.1F), SampleFormat::ieee_float)), "0.1");
  EXPECT_EQ(text_of(exact_sample(std::bit_cast<std::uint64_t>(-0.1), SampleFormat::ieee_double)), "-0.1");
  EXPECT_EQ(text_of(exact_sample(0x7F800000U, SampleFormat::ieee_float)), "inf");
  EXPECT_EQ(text_of(exact_sample(0xFF800001U, SampleFormat::ieee_float)), "nan");
  EXPECT_EQ(text_of(exact_sample(0x42640000U, SampleFormat::ibm_float)), "100");
}

}  // namespace
}  // namespace sill::segy
