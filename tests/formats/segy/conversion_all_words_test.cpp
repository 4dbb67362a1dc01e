// All 2^32 words through the conversions between IBM and IEEE floats, with every set of kernels. Takes minutes, so it
// is built but runs only on request: script/test --nightly, or test_formats --gtest_also_run_disabled_tests
// --gtest_filter='*AllWords*'.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/conversion.hpp"

namespace sill::segy {
namespace {

constexpr std::uint64_t all_words = 1ULL << 32U;
constexpr std::size_t words_per_step = 1U << 16U;

/// What the definitions say of some words.
struct AllExpected {
  std::vector<std::uint32_t> words;
  ConversionAccount account;
};

double power_of_2(int power) { return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52U); }

/// The largest power with 2^power <= size. No double in this test is subnormal.
int exponent_of(double size) { return static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52U) - 1023; }

/// What a word means. The functions of slow_samples.hpp do the same for all formats, but too slowly for all words.
double value_of(std::uint32_t word, SampleFormat format) {
  if (format == SampleFormat::ieee_float) return static_cast<double>(std::bit_cast<float>(word));
  const double size = (word & 0xFFFFFFU) * power_of_2(4 * (static_cast<int>((word >> 24U) & 0x7FU) - 64) - 24);
  return (word >> 31U) != 0 ? -size : size;
}

/// A value rounded to the unit of its place, ties to even, and the word of the result; sizes above `largest` become it.
struct Nearest {
  double size;
  std::uint32_t word;
};

Nearest nearest(double size, SampleFormat format) {
  constexpr double no_fraction = 4503599627370496.0;  // 2^52: from here on doubles are whole
  if (size == 0.0) return {0.0, 0};
  const auto round_to = [&](int unit) {
    return ((size * power_of_2(-unit) + no_fraction) - no_fraction) * power_of_2(unit);
  };
  if (format == SampleFormat::ieee_float) {
    const double rounded = std::min(round_to(std::max(exponent_of(size) - 23, -149)), 0x1.FFFFFEp127);
    if (rounded < 0x1p-126) return {rounded, static_cast<std::uint32_t>(rounded * 0x1p149)};
    const int exponent = exponent_of(rounded);
    const auto fraction = static_cast<std::uint32_t>((rounded * power_of_2(-exponent) - 1.0) * 0x1p23);
    return {rounded, (static_cast<std::uint32_t>(exponent + 127) << 23U) | fraction};
  }
  // Hexadecimal digits before the point: size < 16^digits.
  const auto digits_of = [](double number) { return std::max(((exponent_of(number) + 4000) >> 2) - 999, -64); };
  const double rounded = std::min(round_to(4 * digits_of(size) - 24), 0x1.FFFFFEp251);
  if (rounded == 0.0) return {0.0, 0};
  const int digits = digits_of(rounded);
  const auto fraction = static_cast<std::uint32_t>(rounded * power_of_2(24 - 4 * digits));
  return {rounded, (static_cast<std::uint32_t>(digits + 64) << 24U) | fraction};
}

AllExpected expected(std::uint64_t first, SampleFormat from, SampleFormat to) {
  AllExpected result;
  result.words.resize(words_per_step);
  result.account.samples = words_per_step;
  const double largest = to == SampleFormat::ieee_float ? 0x1.FFFFFEp127 : 0x1.FFFFFEp251;
  for (std::size_t i = 0; i < words_per_step; ++i) {
    const double source = value_of(static_cast<std::uint32_t>(first + i), from);
    if (!std::isfinite(source)) {  // zero by the rule
      ++result.account.zeroed;
      continue;
    }
    const double size = std::abs(source);
    const Nearest target = nearest(size, to);
    result.words[i] = target.word | (std::signbit(source) ? 0x80000000U : 0U);
    if (target.size == size) continue;
    if (size > largest) {  // by more than half a unit: of as many bits as the largest, it is 2^128 or more
      ++result.account.clipped;
      continue;
    }
    ++result.account.rounded;
    const auto share = static_cast<float>(std::abs(target.size - size) / size);
    result.account.largest_relative_error = std::max(result.account.largest_relative_error, static_cast<double>(share));
  }
  return result;
}

void check_all_words(SampleFormat from, SampleFormat to) {
  const ConversionRules rules{.clip = true, .nonfinite_to_zero = true};
  std::vector<std::byte> in(4 * words_per_step);
  std::vector<std::byte> out(4 * words_per_step);
  ConversionAccount total;
  for (std::uint64_t first = 0; first < all_words; first += words_per_step) {
    const AllExpected correct = expected(first, from, to);
    for (std::size_t i = 0; i < words_per_step; ++i)
      store(in.data() + 4 * i, static_cast<std::uint32_t>(first + i), ByteOrder::big);
    for (const KernelSet* const kernels : runnable_kernels()) {
      ConversionAccount account;
      SampleConversion(from, ByteOrder::big, to, ByteOrder::little, rules, *kernels).convert(in, out, account);
      for (std::size_t i = 0; i < words_per_step; ++i) {
        const auto found = load<std::uint32_t>(out.data() + 4 * i, ByteOrder::little);
        if (found != correct.words[i]) {
          FAIL() << std::hex << first + i << " became " << found << ", not " << correct.words[i] << ", "
                 << kernels->name;
        }
      }
      ASSERT_EQ(account.samples, correct.account.samples) << first << ' ' << kernels->name;
      ASSERT_EQ(account.rounded, correct.account.rounded) << first << ' ' << kernels->name;
      ASSERT_EQ(account.clipped, correct.account.clipped) << first << ' ' << kernels->name;
      ASSERT_EQ(account.zeroed, correct.account.zeroed) << first << ' ' << kernels->name;
      ASSERT_EQ(account.largest_relative_error, correct.account.largest_relative_error)
          << first << ' ' << kernels->name;
    }
    total.add(correct.account);
  }
  EXPECT_EQ(total.samples, static_cast<std::int64_t>(all_words));
}

TEST(AllWords, DISABLED_IbmToIeee) { check_all_words(SampleFormat::ibm_float, SampleFormat::ieee_float); }

TEST(AllWords, DISABLED_IeeeToIbm) { check_all_words(SampleFormat::ieee_float, SampleFormat::ibm_float); }

}  // namespace
}  // namespace sill::segy
