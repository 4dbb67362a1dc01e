// Conversion of samples: bytes, rules, errors and the account, for every set of kernels this processor runs.
#include "sill/formats/segy/samples/conversion.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formats/segy/sample_words.hpp"
#include "formats/segy/slow_samples.hpp"
#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"

namespace sill::segy {
namespace {

using test::all_formats;
using test::all_orders;
using Bytes = std::vector<std::byte>;
using Words = std::vector<std::uint64_t>;

Bytes stored(const Words& words, SampleFormat format, ByteOrder order) {
  const auto width = static_cast<std::size_t>(bytes_of(format));
  Bytes bytes(words.size() * width);
  for (std::size_t i = 0; i < words.size(); ++i) store_sample(bytes.data() + i * width, words[i], format, order);
  return bytes;
}

Words loaded(const Bytes& bytes, SampleFormat format, ByteOrder order) {
  const auto width = static_cast<std::size_t>(bytes_of(format));
  Words words(bytes.size() / width);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_sample(bytes.data() + i * width, format, order);
  return words;
}

struct Converted {
  Words words;
  ConversionAccount account;
};

Converted converted(const Words& words, SampleFormat from, SampleFormat to, ConversionRules rules = {},
                    ByteOrder from_order = ByteOrder::big, ByteOrder to_order = ByteOrder::big,
                    const KernelSet& kernels = fastest_kernels()) {
  const SampleConversion conversion(from, from_order, to, to_order, rules, kernels);
  const Bytes in = stored(words, from, from_order);
  Bytes out(words.size() * static_cast<std::size_t>(bytes_of(to)));
  ConversionAccount account;
  conversion.convert(in, out, account);
  return {loaded(out, to, to_order), account};
}

/// Word by word, by the exact reference, with both rules; which of the words no rule is needed for.
struct Expected {
  Words words;
  ConversionAccount account;
  std::vector<bool> unruly;
};

Expected expected(const Words& words, SampleFormat from, SampleFormat to, double scale = 1.0) {
  const ExactSample factor = exact_sample(std::bit_cast<std::uint64_t>(scale), SampleFormat::ieee_double);
  Expected result;
  result.account.samples = std::ssize(words);
  for (const std::uint64_t word : words) {
    const ExactSample value = exact_sample(word, from);
    FittedSample sample = scale == 1.0 ? fit_sample(value, to) : fit_product(value, factor, to);
    const bool nonfinite = sample.fit == Fit::infinite || sample.fit == Fit::not_a_number;
    if (nonfinite) sample.bits = 0;
    result.account.zeroed += nonfinite ? 1 : 0;
    result.account.clipped += sample.fit == Fit::out_of_range ? 1 : 0;
    result.account.rounded += sample.fit == Fit::rounded ? 1 : 0;
    result.account.lost += sample.relative_error > lost_share ? 1 : 0;
    result.account.largest_relative_error =
        std::max(result.account.largest_relative_error, static_cast<double>(sample.relative_error));
    result.words.push_back(sample.bits);
    result.unruly.push_back(nonfinite || sample.fit == Fit::out_of_range);
  }
  return result;
}

void expect_equal(const Converted& found, const Words& words, const ConversionAccount& account) {
  ASSERT_EQ(found.words, words);
  ASSERT_EQ(found.account.samples, account.samples);
  ASSERT_EQ(found.account.rounded, account.rounded);
  ASSERT_EQ(found.account.lost, account.lost);
  ASSERT_EQ(found.account.clipped, account.clipped);
  ASSERT_EQ(found.account.zeroed, account.zeroed);
  ASSERT_EQ(found.account.largest_relative_error, account.largest_relative_error);
}

std::uint64_t float_word(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t double_word(double value) { return std::bit_cast<std::uint64_t>(value); }

/// The error of converting these words, which must be one.
ErrorParts error_of(const Words& words, SampleFormat from, SampleFormat to, ConversionRules rules = {},
                    const KernelSet& kernels = fastest_kernels()) {
  try {
    converted(words, from, to, rules, ByteOrder::big, ByteOrder::big, kernels);
  } catch (const Error& error) {
    return error.parts();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// Every pair of formats and orders with every set of kernels: mixed words, of which those that need a rule go through
// the slow way, and the harmless ones alone, which go through the kernels.
TEST(Conversion, EveryKernelIsAsTheReference) {
  for (const SampleFormat from : all_formats) {
    const Words mixed = test::words_of(from, 3000, 11);
    for (const SampleFormat to : all_formats) {
      if (!is_writable(to) || from == to) continue;
      const Expected of_mixed = expected(mixed, from, to);
      Words harmless;
      for (std::size_t i = 0; i < mixed.size(); ++i)
        if (!of_mixed.unruly[i]) harmless.push_back(mixed[i]);
      const Expected of_harmless = expected(harmless, from, to);
      for (const KernelSet* const kernels : runnable_kernels())
        for (const ByteOrder from_order : all_orders)
          for (const ByteOrder to_order : all_orders) {
            SCOPED_TRACE(testing::Message() << name_of(from) << ' ' << name_of(from_order) << " to " << name_of(to)
                                            << ' ' << name_of(to_order) << ", " << kernels->name);
            const ConversionRules rules{.clip = true, .nonfinite_to_zero = true};
            expect_equal(converted(mixed, from, to, rules, from_order, to_order, *kernels), of_mixed.words,
                         of_mixed.account);
            expect_equal(converted(harmless, from, to, {}, from_order, to_order, *kernels), of_harmless.words,
                         of_harmless.account);
            if (HasFatalFailure()) return;
          }
    }
  }
}

/// Millions of words in all, 200,000 of each pair of formats that has kernels, sorted into blocks of like magnitude by
/// their own order, so that whole blocks are harmless.
TEST(Conversion, MillionsOfWordsAsTheReference) {
  struct Pair {
    SampleFormat from;
    SampleFormat to;
  };
  std::vector<Pair> pairs;
  for (const SampleFormat other : all_formats) {
    if (other == SampleFormat::ieee_float ||
        fastest_kernels().convert(other, SampleFormat::ieee_float, true, true) == nullptr)
      continue;
    pairs.push_back({other, SampleFormat::ieee_float});
    pairs.push_back({SampleFormat::ieee_float, other});
  }
  pairs.push_back({SampleFormat::ibm_float, SampleFormat::int16});
  pairs.push_back({SampleFormat::int24, SampleFormat::ibm_float});
  EXPECT_EQ(pairs.size(), 2U * 10U + 2U);
  for (const Pair& pair : pairs) {
    Words words = test::words_of(pair.from, 200'000, 12);
    const auto size_of = [&](std::uint64_t word) { return word << (65 - 8 * bytes_of(pair.from)); };
    std::sort(words.begin(), words.end(), [&](auto a, auto b) { return size_of(a) < size_of(b); });
    const Expected reference = expected(words, pair.from, pair.to);
    for (const KernelSet* const kernels : runnable_kernels()) {
      SCOPED_TRACE(testing::Message() << name_of(pair.from) << " to " << name_of(pair.to) << ", " << kernels->name);
      const ConversionRules rules{.clip = true, .nonfinite_to_zero = true};
      expect_equal(converted(words, pair.from, pair.to, rules, ByteOrder::big, ByteOrder::little, *kernels),
                   reference.words, reference.account);
      if (HasFatalFailure()) return;
    }
  }
}

// Every pair of formats with every set of kernels: words sorted by magnitude, so that floats hold the products of some
// blocks exactly, and those of others not.
TEST(Conversion, ScaledSamplesAreAsTheReference) {
  for (const SampleFormat from : all_formats) {
    Words all = test::words_of(from, 3000, 16);
    const auto size_of = [&](std::uint64_t word) { return word << (65 - 8 * bytes_of(from)); };
    std::sort(all.begin(), all.end(), [&](auto a, auto b) { return size_of(a) < size_of(b); });
    Words words;
    for (std::size_t i = 0; i < all.size(); i += 2) words.push_back(all[i]);
    for (const SampleFormat to : all_formats) {
      if (!is_writable(to)) continue;
      for (const double scale : {2.0, -0.25, 0x1p-100, 0x1p127, 1000.0, 1e-50}) {
        const Expected reference = expected(words, from, to, scale);
        const ConversionRules rules{.clip = true, .nonfinite_to_zero = true, .scale = scale};
        for (const KernelSet* const kernels : runnable_kernels()) {
          SCOPED_TRACE(testing::Message()
                       << name_of(from) << " to " << name_of(to) << " times " << scale << ", " << kernels->name);
          expect_equal(converted(words, from, to, rules, ByteOrder::big, ByteOrder::little, *kernels), reference.words,
                       reference.account);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Conversion, ScaledSamplesInPlaceAndInEveryOrder) {
  const Words words = test::words_of(SampleFormat::ibm_float, 3000, 17);
  for (const SampleFormat to : {SampleFormat::ibm_float, SampleFormat::ieee_float, SampleFormat::int32})
    for (const ByteOrder from_order : all_orders)
      for (const ByteOrder to_order : all_orders) {
        const ConversionRules rules{.clip = true, .nonfinite_to_zero = true, .scale = 0.5};
        Bytes bytes = stored(words, SampleFormat::ibm_float, from_order);
        ConversionAccount account;
        SampleConversion(SampleFormat::ibm_float, from_order, to, to_order, rules).convert(bytes, bytes, account);
        const Expected reference = expected(words, SampleFormat::ibm_float, to, 0.5);
        expect_equal({loaded(bytes, to, to_order), account}, reference.words, reference.account);
        if (HasFatalFailure()) return;
      }
}

TEST(Conversion, ScaledSamplesThatDoNotFitAreNamed) {
  Words words(3000, float_word(1.0F));
  words[2345] = float_word(3e4F);
  const ConversionRules rules{.scale = 4.0};
  const ErrorParts parts = error_of(words, SampleFormat::ieee_float, SampleFormat::int16, rules);
  EXPECT_EQ(parts.problem, "sample 2346 is 30000 times 4, which the format integer, 2 bytes cannot store");
  EXPECT_EQ(parts.where.item, 2346);
}

TEST(Conversion, ByteOrderAloneMovesBytes) {
  for (const SampleFormat format : all_formats) {
    const Words words = test::words_of(format, 3000, 13);  // with NaN and unnormalised IBM words
    for (const KernelSet* const kernels : runnable_kernels())
      for (const ByteOrder from_order : all_orders)
        for (const ByteOrder to_order : all_orders) {
          const Converted found = converted(words, format, format, {}, from_order, to_order, *kernels);
          ASSERT_EQ(found.words, words) << name_of(format) << ' ' << name_of(from_order) << ' ' << name_of(to_order);
          ASSERT_EQ(found.account.samples, std::ssize(words));
          ASSERT_EQ(found.account.rounded + found.account.clipped + found.account.zeroed, 0);
        }
  }
}

TEST(Conversion, EveryLengthAndPlaceInMemory) {
  const Words words = test::words_of(SampleFormat::int24, 2500, 14);
  for (const SampleFormat to : {SampleFormat::ieee_float, SampleFormat::int24, SampleFormat::uint16}) {
    const ConversionRules rules{.clip = true, .nonfinite_to_zero = false};
    for (const KernelSet* const kernels : runnable_kernels()) {
      const SampleConversion conversion(SampleFormat::int24, ByteOrder::big, to, ByteOrder::little, rules, *kernels);
      const auto width = static_cast<std::size_t>(bytes_of(to));
      const Expected all = expected(words, SampleFormat::int24, to);
      for (std::size_t count = 0; count < words.size(); count += count < 40 ? 1 : 331)
        for (const std::size_t offset : {0U, 1U, 3U}) {
          const Bytes in = stored({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)},
                                  SampleFormat::int24, ByteOrder::big);
          Bytes shifted(offset);
          shifted.insert(shifted.end(), in.begin(), in.end());
          Bytes out(offset + count * width + 16, std::byte{0xA5});  // bytes behind must stay
          ConversionAccount account;
          conversion.convert(std::span<const std::byte>(shifted).subspan(offset),
                             std::span(out).subspan(offset, count * width), account);
          for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(load_sample(out.data() + offset + i * width, to, ByteOrder::little), all.words[i]);
          for (std::size_t i = 0; i < offset; ++i) ASSERT_EQ(out[i], std::byte{0xA5});
          for (std::size_t i = offset + count * width; i < out.size(); ++i) ASSERT_EQ(out[i], std::byte{0xA5});
        }
    }
  }
}

TEST(Conversion, InPlace) {
  const ConversionRules rules{.clip = true, .nonfinite_to_zero = true};
  for (const SampleFormat from : all_formats) {
    const Words words = test::words_of(from, 5000, 15);
    for (const SampleFormat to : all_formats) {
      if (bytes_of(from) != bytes_of(to) || (!is_writable(to) && from != to)) continue;
      const Words apart = converted(words, from, to, rules, ByteOrder::big, ByteOrder::little).words;
      Bytes bytes = stored(words, from, ByteOrder::big);
      ConversionAccount account;
      SampleConversion(from, ByteOrder::big, to, ByteOrder::little, rules).convert(bytes, bytes, account);
      ASSERT_EQ(loaded(bytes, to, ByteOrder::little), apart) << name_of(from) << " to " << name_of(to);
    }
  }
}

TEST(Conversion, NumbersWorkedOutByHand) {
  using F = SampleFormat;
  const auto one = [](std::uint64_t word, F from, F to) { return converted({word}, from, to).words[0]; };
  EXPECT_EQ(one(0xC276A000U, F::ibm_float, F::ieee_float), float_word(-118.625F));
  EXPECT_EQ(one(0x46001000U, F::ibm_float, F::ieee_float), float_word(4096.0F));  // unnormalised
  EXPECT_EQ(one(0x40010000U, F::ibm_float, F::ieee_double), double_word(0.00390625));
  EXPECT_EQ(one(0x80000000U, F::ibm_float, F::ieee_float), float_word(-0.0F));
  EXPECT_EQ(one(float_word(-0.0F), F::ieee_float, F::ibm_float), 0x80000000U);
  EXPECT_EQ(one(float_word(-0.0F), F::ieee_float, F::int16), 0U);
  EXPECT_EQ(one(float_word(2.5F), F::ieee_float, F::int16), 2U);
  EXPECT_EQ(one(float_word(-3.5F), F::ieee_float, F::int16), 0xFFFCU);
  EXPECT_EQ(one(float_word(-0.5F), F::ieee_float, F::uint8), 0U);
  EXPECT_EQ(one(0xFFFFFFU, F::int24, F::int64), ~0ULL);
  EXPECT_EQ(one(0xFFFFFFU, F::uint24, F::int32), 0xFFFFFFU);
  // 2^24 + 1 lies between two floats, the even one is below; 2^24 + 3 has it above.
  EXPECT_EQ(one(0x1000001U, F::int32, F::ieee_float), float_word(16777216.0F));
  EXPECT_EQ(one(0x1000003U, F::uint32, F::ieee_float), float_word(16777220.0F));
  // Through a double, 2^53 + 1 would first become 2^53, and 2^24 * (2^39 + 2^15) + 1 a tie.
  EXPECT_EQ(one((1ULL << 53U) + 1, F::int64, F::uint64), (1ULL << 53U) + 1);
  EXPECT_EQ(one((1ULL << 63U) + (1ULL << 39U) + 1, F::uint64, F::ieee_float), float_word(9223373136366403584.0F));
  EXPECT_EQ(one((1ULL << 62U) + (1ULL << 41U) + 1, F::int64, F::ibm_float), 0x50400002U);
  EXPECT_EQ(one((1ULL << 62U) + (1ULL << 40U) + (1ULL << 39U), F::int64, F::ibm_float), 0x50400002U);
  EXPECT_EQ(one(~0ULL, F::uint64, F::ieee_double), double_word(0x1p64));
}

TEST(Conversion, NaNAndInfinityBetweenIeeeFormats) {
  using F = SampleFormat;
  const Words singles = {0x7F800000U, 0xFF800000U, 0x7FC12345U, 0xFF812345U, 0x7F800001U};
  const Converted wide = converted(singles, F::ieee_float, F::ieee_double);
  EXPECT_EQ(wide.words, (Words{0x7FF0000000000000U, 0xFFF0000000000000U, 0x7FF82468A0000000U, 0xFFF02468A0000000U,
                               0x7FF0000020000000U}));
  const Converted back = converted(wide.words, F::ieee_double, F::ieee_float);
  EXPECT_EQ(back.words, singles);
  EXPECT_EQ(back.account.rounded + back.account.clipped + back.account.zeroed, 0);
  // A payload that is cut away whole leaves a NaN.
  EXPECT_EQ(converted({0x7FF0000000000001U}, F::ieee_double, F::ieee_float).words, Words{0x7FC00000U});
}

TEST(Conversion, ErrorsNameTheFirstSample) {
  using F = SampleFormat;
  struct Case {
    F from;
    std::uint64_t bad;
    F to;
    std::string text;
    std::string action;
  };
  const std::vector<Case> cases = {{F::ieee_float, 0x7FC00000U, F::ibm_float, "nan", "--nonfinite zero"},
                                   {F::ieee_float, 0xFF800000U, F::int32, "-inf", "--clip"},
                                   {F::ieee_float, float_word(40000.0F), F::int16, "40000", "--clip"},
                                   {F::ieee_float, float_word(-0.75F), F::uint16, "-0.75", "--clip"},
                                   {F::ieee_float, float_word(2147483648.0F), F::int32, "2147483648", "--clip"},
                                   {F::ieee_float, float_word(4294967296.0F), F::uint32, "4294967296", "--clip"},
                                   {F::ieee_float, float_word(8388608.0F), F::int24, "8388608", "--clip"},
                                   {F::ieee_double, double_word(3.5e38), F::ieee_float, "3.5e+38", "--clip"},
                                   {F::ieee_double, double_word(1e76), F::ibm_float, "1e+76", "--clip"},
                                   {F::ibm_float, 0x7FFFFFFFU, F::ieee_float, "7.2370051459731155e+75", "--clip"},
                                   {F::uint64, 1ULL << 63U, F::int64, "9223372036854775808", "--clip"},
                                   {F::int64, ~0ULL, F::uint64, "-1", "--clip"},
                                   {F::int32, 128, F::int8, "128", "--clip"}};
  for (const KernelSet* const kernels : runnable_kernels())
    for (const Case& c : cases) {
      Words words(3000, 0);
      words[2100] = c.bad;
      words[2500] = c.bad;
      const ErrorParts parts = error_of(words, c.from, c.to, {}, *kernels);
      EXPECT_EQ(parts.code, ErrorCode::input);
      EXPECT_EQ(parts.where.item, 2101);
      EXPECT_EQ(parts.where.item_word, "sample");
      EXPECT_NE(parts.problem.find("sample 2101 is " + c.text), std::string::npos) << parts.problem;
      EXPECT_NE(parts.action.find(c.action), std::string::npos) << parts.action;
      EXPECT_FALSE(parts.clause.empty());
    }
}

TEST(Conversion, Rules) {
  using F = SampleFormat;
  const Words words = {0x7FC00000U, 0x7F800000U, 0xFF800000U, float_word(1e6F), float_word(-1e6F), float_word(1.25F)};
  const Words finite(words.begin() + 3, words.end());
  const Words no_nan(words.begin() + 1, words.end());

  const Converted clipped = converted(no_nan, F::ieee_float, F::int16, {.clip = true});
  EXPECT_EQ(clipped.words, (Words{0x7FFFU, 0x8000U, 0x7FFFU, 0x8000U, 1U}));
  EXPECT_EQ(clipped.account.clipped, 4);
  EXPECT_EQ(clipped.account.rounded, 1);
  EXPECT_EQ(clipped.account.zeroed, 0);
  EXPECT_DOUBLE_EQ(clipped.account.largest_relative_error, static_cast<double>(0.2F));

  const Converted both = converted(words, F::ieee_float, F::uint8, {.clip = true, .nonfinite_to_zero = true});
  EXPECT_EQ(both.words, (Words{0, 0, 0, 255, 0, 1}));
  EXPECT_EQ(both.account.clipped, 2);
  EXPECT_EQ(both.account.zeroed, 3);

  const Converted ibm = converted(no_nan, F::ieee_float, F::ibm_float, {.clip = true});
  EXPECT_EQ(ibm.words[0], 0x7FFFFFFFU);
  EXPECT_EQ(ibm.words[1], 0xFFFFFFFFU);
  EXPECT_EQ(converted({double_word(-1e300)}, F::ieee_double, F::ieee_float, {.clip = true}).words, Words{0xFF7FFFFFU});
  EXPECT_EQ(converted({0x7FFFFFFFU}, F::ibm_float, F::ieee_float, {.clip = true}).words, Words{0x7F7FFFFFU});

  EXPECT_EQ(error_of(words, F::ieee_float, F::int16, {.clip = true}).where.item, 1);               // NaN
  EXPECT_EQ(error_of(words, F::ieee_float, F::int16, {.nonfinite_to_zero = true}).where.item, 4);  // 1e6
  // IEEE formats hold them, so there is nothing to do.
  EXPECT_EQ(converted(words, F::ieee_float, F::ieee_double, {.nonfinite_to_zero = true}).account.zeroed, 0);
}

TEST(Conversion, UnderflowIsCountedAsRounded) {
  using F = SampleFormat;
  // 16^-65 is far below the smallest float.
  const Converted zero = converted({0x00100000U, 0x80000001U}, F::ibm_float, F::ieee_float);
  EXPECT_EQ(zero.words, (Words{0U, 0x80000000U}));
  EXPECT_EQ(zero.account.rounded, 2);
  EXPECT_EQ(zero.account.largest_relative_error, 1.0);
  EXPECT_EQ(converted({double_word(1e-320)}, F::ieee_double, F::ibm_float).account.largest_relative_error, 1.0);
  EXPECT_EQ(converted({1U}, F::ieee_float, F::ibm_float).account.rounded, 0);  // the smallest subnormal float
}

TEST(Conversion, AccountsAdd) {
  ConversionAccount sum{.samples = 10, .rounded = 3, .clipped = 1, .zeroed = 2, .largest_relative_error = 0.25};
  sum.add({.samples = 5, .rounded = 1, .clipped = 1, .zeroed = 1, .largest_relative_error = 0.125});
  EXPECT_EQ(sum.samples, 15);
  EXPECT_EQ(sum.rounded, 4);
  EXPECT_EQ(sum.clipped, 2);
  EXPECT_EQ(sum.zeroed, 3);
  EXPECT_EQ(sum.largest_relative_error, 0.25);
}

TEST(DecodeKernels, IbmFloatsAreExactInEverySet) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t top = 0; top < 256; ++top)
    for (const std::uint32_t fraction : {0x000000U, 0x000001U, 0x0FFFFFU, 0x100000U, 0x123456U, 0x800000U, 0xFFFFFFU})
      words.push_back(top << 24U | fraction);
  for (std::uint32_t i = 0; i < 10'000; ++i) words.push_back(i * 2654435761U);
  std::vector<double> decoded(words.size());
  for (const KernelSet* const kernels : runnable_kernels()) {
    for (const bool swap : {false, true}) {
      std::vector<std::uint32_t> stored(words);
      if (swap) std::ranges::for_each(stored, [](std::uint32_t& word) { word = __builtin_bswap32(word); });
      kernels->decode_ibm(swap)(reinterpret_cast<const std::byte*>(stored.data()), decoded.data(), words.size());
      for (std::size_t i = 0; i < words.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(decoded[i]), std::bit_cast<std::uint64_t>(ibm_to_double(words[i])))
            << kernels->name << ' ' << words[i];
    }
  }
}

TEST(Conversion, Code4IsReadOnly) {
  for (const SampleFormat to : {SampleFormat::fixed_point_gain, SampleFormat::fixed_point_gain_rev2}) {
    EXPECT_EQ(error_of({0}, SampleFormat::ieee_float, to).code, ErrorCode::usage);
    EXPECT_EQ(converted({0x0003FFFBU}, to, to, {}, ByteOrder::big, ByteOrder::little).words, Words{0x0003FFFBU});
  }
  EXPECT_EQ(error_of({0}, SampleFormat::fixed_point_gain, SampleFormat::fixed_point_gain_rev2).code, ErrorCode::usage);
  EXPECT_EQ(converted({0x0003FFFBU}, SampleFormat::fixed_point_gain, SampleFormat::int8).words, Words{0xD8U});
}

RC_GTEST_PROP(ConversionProperty, WhatBothFloatsHoldComesBack, (std::vector<std::uint32_t> words)) {
  // IBM words that are normalised and within float's range are exact there, and normalised words are unique.
  Words kept;
  for (const std::uint32_t word : words)
    kept.push_back((word & 0x80FFFFFFU) | 0x00100000U | ((word >> 24U) % 62U + 33U) << 24U);
  const Converted there = converted(kept, SampleFormat::ibm_float, SampleFormat::ieee_float);
  RC_ASSERT(there.account.rounded == 0);
  RC_ASSERT(converted(there.words, SampleFormat::ieee_float, SampleFormat::ibm_float).words == kept);
}

RC_GTEST_PROP(ConversionProperty, WiderIntegersHoldNarrowerOnes, (std::vector<std::uint64_t> random)) {
  const std::vector<SampleFormat> by_width = {SampleFormat::int8, SampleFormat::int16, SampleFormat::int24,
                                              SampleFormat::int32, SampleFormat::int64};
  const std::vector<SampleFormat> unsigned_by_width = {SampleFormat::uint8, SampleFormat::uint16, SampleFormat::uint24,
                                                       SampleFormat::uint32, SampleFormat::uint64};
  for (const auto* const formats : {&by_width, &unsigned_by_width})
    for (std::size_t narrow = 0; narrow < 5; ++narrow)
      for (std::size_t wide = narrow + 1; wide < 5; ++wide) {
        const SampleFormat from = (*formats)[narrow];
        Words words;
        for (const std::uint64_t word : random) words.push_back(word & ((1ULL << (8 * bytes_of(from))) - 1));
        const Converted there = converted(words, from, (*formats)[wide]);
        const Converted back = converted(there.words, (*formats)[wide], from);
        RC_ASSERT(back.words == words);
        RC_ASSERT(there.account.rounded + there.account.clipped + back.account.rounded + back.account.clipped == 0);
      }
}

}  // namespace
}  // namespace sill::segy
