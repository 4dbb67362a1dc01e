// Decoding and encoding samples, against bytes written out by hand.
#include "sill/formats/segy/samples/sample_codec.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "formats/segy/encoded.hpp"
#include "formats/segy/sample_words.hpp"
#include "formats/segy/slow_samples.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"

namespace sill::segy {
namespace {

using test::all_orders;
using test::encoded;

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
  std::vector<std::byte> result;
  for (const int number : numbers) result.push_back(static_cast<std::byte>(number));
  return result;
}

std::vector<double> decoded(const std::vector<std::byte>& samples, SampleFormat format, ByteOrder order) {
  std::vector<double> out(samples.size() / static_cast<std::size_t>(bytes_of(format)));
  decode(samples, format, order, out);
  return out;
}

TEST(SampleCodec, DecodesBytes) {
  using D = std::vector<double>;
  EXPECT_EQ(decoded(bytes({0x41, 0x10, 0, 0, 0x40, 0x01, 0, 0}), SampleFormat::ibm_float, ByteOrder::big),
            (D{1.0, 0.00390625}));
  EXPECT_EQ(decoded(bytes({0, 0, 0x10, 0x41}), SampleFormat::ibm_float, ByteOrder::little), D{1.0});
  // In pairs 2 1 4 3 of the word 0x46001000, which is unnormalised and means 4096.
  EXPECT_EQ(decoded(bytes({0x00, 0x46, 0x00, 0x10}), SampleFormat::ibm_float, ByteOrder::pairwise), D{4096.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFF, 0xFF, 0xFE, 0x80, 0, 0, 0}), SampleFormat::int32, ByteOrder::big),
            (D{-2.0, -2147483648.0}));
  EXPECT_EQ(decoded(bytes({0x02, 0x01, 0x04, 0x03}), SampleFormat::int32, ByteOrder::pairwise), D{16909060.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFE, 0x01, 0x00}), SampleFormat::int16, ByteOrder::big), (D{-2.0, 256.0}));
  EXPECT_EQ(decoded(bytes({0xFF, 0xFE, 0x01, 0x00}), SampleFormat::int16, ByteOrder::little), (D{-257.0, 1.0}));
  EXPECT_EQ(decoded(bytes({0xC0, 0x20, 0, 0}), SampleFormat::ieee_float, ByteOrder::big), D{-2.5});
  EXPECT_EQ(decoded(bytes({0x80, 0x7F, 0xFF}), SampleFormat::int8, ByteOrder::big), (D{-128.0, 127.0, -1.0}));
}

TEST(SampleCodec, DecodesBytesOfTheOtherFormats) {
  using D = std::vector<double>;
  EXPECT_EQ(decoded(bytes({0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18}), SampleFormat::ieee_double, ByteOrder::big),
            D{3.141592653589793});
  EXPECT_EQ(decoded(bytes({0, 0, 0, 0, 0, 0, 0xF0, 0xBF}), SampleFormat::ieee_double, ByteOrder::little), D{-1.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFF, 0xFE, 0x80, 0, 0, 0, 1, 0}), SampleFormat::int24, ByteOrder::big),
            (D{-2.0, -8388608.0, 256.0}));
  EXPECT_EQ(decoded(bytes({0xFE, 0xFF, 0xFF}), SampleFormat::int24, ByteOrder::little), D{-2.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFF, 0xFE}), SampleFormat::uint24, ByteOrder::big), D{16777214.0});
  EXPECT_EQ(decoded(bytes({2, 1, 3}), SampleFormat::uint24, ByteOrder::pairwise), D{66051.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFF, 0xFF, 0xFE}), SampleFormat::uint32, ByteOrder::big), D{4294967294.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFE}), SampleFormat::uint16, ByteOrder::big), D{65534.0});
  EXPECT_EQ(decoded(bytes({0xFE}), SampleFormat::uint8, ByteOrder::big), D{254.0});
  EXPECT_EQ(decoded(bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE}), SampleFormat::int64, ByteOrder::big),
            D{-2.0});
  EXPECT_EQ(decoded(bytes({2, 1, 4, 3, 6, 5, 8, 7}), SampleFormat::int64, ByteOrder::pairwise),
            D{static_cast<double>(0x0102030405060708)});
  EXPECT_EQ(decoded(bytes({0, 3, 0xFF, 0xFB}), SampleFormat::fixed_point_gain, ByteOrder::big), D{-40.0});
  EXPECT_EQ(decoded(bytes({0xFB, 0xFF, 3, 0}), SampleFormat::fixed_point_gain_rev2, ByteOrder::little), D{-0.625});
  EXPECT_EQ(decoded(bytes({1, 255, 0x80, 0}), SampleFormat::fixed_point_gain, ByteOrder::big), D{-0x1p270});
}

TEST(SampleCodec, DecodesEveryFormatAsTheStandardSays) {
  for (const SampleFormat format : test::all_formats)
    for (const ByteOrder order : all_orders) {
      const std::vector<std::uint64_t> words = test::words_of(format, 2000, 4);
      const auto width = static_cast<std::size_t>(bytes_of(format));
      std::vector<std::byte> samples(words.size() * width);
      for (std::size_t i = 0; i < words.size(); ++i) store_sample(samples.data() + i * width, words[i], format, order);
      const std::vector<double> values = decoded(samples, format, order);
      std::vector<double> rests(values.size());
      decode_rest(samples, format, order, rests);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const test::Wide expected = test::slow_value(words[i], format);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(values[i]));
          continue;
        }
        ASSERT_EQ(values[i], static_cast<double>(expected)) << name_of(format) << ' ' << words[i];
        if (std::isfinite(expected)) {
          ASSERT_EQ(static_cast<test::Wide>(values[i]) + rests[i], expected) << words[i];
        }
      }
    }
}

TEST(SampleCodec, IntegersOf64BitsThatShareADoubleAreToldApart) {
  const auto parts = [](std::uint64_t bits, SampleFormat format) {
    std::vector<std::byte> sample(8);
    store_sample(sample.data(), bits, format, ByteOrder::big);
    std::vector<double> rest(1);
    decode_rest(sample, format, ByteOrder::big, rest);
    return std::pair{decoded(sample, format, ByteOrder::big)[0], rest[0]};
  };
  using P = std::pair<double, double>;
  EXPECT_EQ(parts((1ULL << 53U) + 1, SampleFormat::int64), (P{0x1p53, 1.0}));
  EXPECT_EQ(parts(1ULL << 53U, SampleFormat::int64), (P{0x1p53, 0.0}));
  EXPECT_EQ(parts(0 - (1ULL << 53U) - 1, SampleFormat::int64), (P{-0x1p53, -1.0}));
  EXPECT_EQ(parts(~0ULL, SampleFormat::uint64), (P{0x1p64, -1.0}));
  EXPECT_EQ(parts(~0ULL - 1, SampleFormat::uint64), (P{0x1p64, -2.0}));
  EXPECT_EQ(parts(1ULL << 63U, SampleFormat::int64), (P{-0x1p63, 0.0}));
  EXPECT_EQ(parts((1ULL << 63U) - 1, SampleFormat::int64), (P{0x1p63, -1.0}));
}

TEST(SampleCodec, EncodesHalvesToEven) {
  EXPECT_EQ(encoded({0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 127.4F, -128.5F}, SampleFormat::int8, ByteOrder::big),
            bytes({0, 2, 2, 0, 0xFE, 0xFE, 127, 0x80}));
  EXPECT_EQ(encoded({32767.0F, -32768.5F, 256.0F}, SampleFormat::int16, ByteOrder::big),
            bytes({0x7F, 0xFF, 0x80, 0, 1, 0}));
  EXPECT_EQ(encoded({-2147483648.0F, 2147483520.0F, 1.0F}, SampleFormat::int32, ByteOrder::little),
            bytes({0, 0, 0, 0x80, 0x80, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0}));
  EXPECT_EQ(encoded({1.0F, -0.0F}, SampleFormat::ibm_float, ByteOrder::big), bytes({0x41, 0x10, 0, 0, 0x80, 0, 0, 0}));
  EXPECT_EQ(encoded({1.0F}, SampleFormat::ieee_float, ByteOrder::pairwise), bytes({0x80, 0x3F, 0, 0}));
}

TEST(SampleCodec, WhatDoesNotFitIsAnErrorThatNamesTheSample) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  struct Case {
    SampleFormat format;
    float bad;
  };
  const std::vector<Case> cases = {
      {SampleFormat::int8, 127.5F},          {SampleFormat::int8, -128.6F},        {SampleFormat::int8, nan},
      {SampleFormat::int16, 32767.5F},       {SampleFormat::int16, -40000.F},      {SampleFormat::int16, infinite},
      {SampleFormat::int32, 2147483648.0F},  {SampleFormat::int32, 1e30F},         {SampleFormat::int32, nan},
      {SampleFormat::ibm_float, nan},        {SampleFormat::ibm_float, infinite},  {SampleFormat::ibm_float, -infinite},
      {SampleFormat::int24, 8388608.0F},     {SampleFormat::int24, nan},           {SampleFormat::uint24, -1.0F},
      {SampleFormat::uint24, 16777216.0F},   {SampleFormat::uint8, 255.5F},        {SampleFormat::uint8, -0.51F},
      {SampleFormat::uint16, 65535.5F},      {SampleFormat::uint32, 4294967296.F}, {SampleFormat::uint64, -1.0F},
      {SampleFormat::uint64, 1.8446744e19F}, {SampleFormat::int64, 9.223372e18F},  {SampleFormat::int64, infinite}};
  for (const Case& c : cases) {
    std::vector<float> values(41, 1.0F);
    values[17] = c.bad;
    values[30] = c.bad;
    for (const ByteOrder order : all_orders) {
      try {
        encoded(values, c.format, order);
        FAIL() << name_of(c.format) << ' ' << c.bad;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::input);
        EXPECT_EQ(error.parts().where.item, 18);
        EXPECT_NE(error.parts().problem.find("sample 18"), std::string::npos) << error.parts().problem;
      }
    }
  }
  // IEEE floats carry everything.
  const auto carried = decoded(encoded({nan, infinite}, SampleFormat::ieee_float, ByteOrder::big),
                               SampleFormat::ieee_float, ByteOrder::big);
  EXPECT_TRUE(std::isnan(carried[0]));
  EXPECT_EQ(carried[1], std::numeric_limits<double>::infinity());
}

TEST(SampleCodec, Code4CannotBeWritten) {
  for (const SampleFormat format : {SampleFormat::fixed_point_gain, SampleFormat::fixed_point_gain_rev2}) {
    try {
      encoded({1.0F}, format, ByteOrder::big);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
    }
  }
}

RC_GTEST_PROP(SampleCodecProperty, WholeNumbersSurviveEveryFormat, (const std::vector<std::int8_t>& numbers)) {
  const std::vector<float> values(numbers.begin(), numbers.end());
  const std::vector<double> expected(numbers.begin(), numbers.end());
  const bool negative = std::any_of(numbers.begin(), numbers.end(), [](auto number) { return number < 0; });
  for (const SampleFormat format : test::all_formats) {
    if (!is_writable(format) || (negative && name_of(format).starts_with("unsigned"))) continue;
    for (const ByteOrder order : all_orders)
      RC_ASSERT(decoded(encoded(values, format, order), format, order) == expected);
  }
}

RC_GTEST_PROP(SampleCodecProperty, IntegersAreRoundedAsTheProcessorDoes, (std::int32_t numerator)) {
  // Quarters within the range of 16 bits; std::nearbyint rounds ties to even.
  const float value = static_cast<float>(numerator % 131000) / 4.0F;
  const auto back = decoded(encoded({value}, SampleFormat::int16, ByteOrder::big), SampleFormat::int16, ByteOrder::big);
  RC_ASSERT(back.at(0) == std::nearbyint(static_cast<double>(value)));
}

}  // namespace
}  // namespace sill::segy
