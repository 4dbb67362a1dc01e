// Decoding and encoding samples, against bytes written out by hand.
#include "sill/formats/segy/sample_format.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

constexpr std::array all_formats = {SampleFormat::ibm_float, SampleFormat::int32, SampleFormat::int16,
                                    SampleFormat::ieee_float, SampleFormat::int8};
constexpr std::array all_orders = {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise};

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

std::vector<std::byte> encoded(const std::vector<float>& values, SampleFormat format, ByteOrder order) {
  std::vector<std::byte> out(values.size() * static_cast<std::size_t>(bytes_of(format)));
  encode(values, format, order, out);
  return out;
}

TEST(SampleFormat, CodesAndNames) {
  int supported = 0;
  for (int code = -2; code < 300; ++code) {
    const auto format = sample_format_from_code(code);
    if (!format) continue;
    ++supported;
    EXPECT_EQ(code_of(*format), code);
    EXPECT_EQ(name_of(*format), meaning_of_code(code));
  }
  EXPECT_EQ(supported, 5);
  EXPECT_EQ(name_of(SampleFormat::ibm_float), "IBM float, 4 bytes");
  EXPECT_EQ(meaning_of_code(15), "unsigned integer, 3 bytes");
  for (const int code : {-1, 0, 13, 14, 17, 256}) EXPECT_EQ(meaning_of_code(code), "") << code;
  EXPECT_EQ(sample_format_from_code(6), std::nullopt);
  EXPECT_EQ(sample_format_from_word("ieee"), SampleFormat::ieee_float);
  EXPECT_EQ(sample_format_from_word("int8"), SampleFormat::int8);
  EXPECT_EQ(sample_format_from_word("float"), std::nullopt);
  EXPECT_EQ(bytes_of(SampleFormat::int16), 2);
}

TEST(SampleFormat, DecodesBytes) {
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

TEST(SampleFormat, EncodesHalvesToEven) {
  EXPECT_EQ(encoded({0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 127.4F, -128.5F}, SampleFormat::int8, ByteOrder::big),
            bytes({0, 2, 2, 0, 0xFE, 0xFE, 127, 0x80}));
  EXPECT_EQ(encoded({32767.0F, -32768.5F, 256.0F}, SampleFormat::int16, ByteOrder::big),
            bytes({0x7F, 0xFF, 0x80, 0, 1, 0}));
  EXPECT_EQ(encoded({-2147483648.0F, 2147483520.0F, 1.0F}, SampleFormat::int32, ByteOrder::little),
            bytes({0, 0, 0, 0x80, 0x80, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0}));
  EXPECT_EQ(encoded({1.0F, -0.0F}, SampleFormat::ibm_float, ByteOrder::big), bytes({0x41, 0x10, 0, 0, 0x80, 0, 0, 0}));
  EXPECT_EQ(encoded({1.0F}, SampleFormat::ieee_float, ByteOrder::pairwise), bytes({0x80, 0x3F, 0, 0}));
}

TEST(SampleFormat, WhatDoesNotFitIsAnErrorThatNamesTheSample) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  struct Case {
    SampleFormat format;
    float bad;
  };
  const std::vector<Case> cases = {
      {SampleFormat::int8, 127.5F},         {SampleFormat::int8, -128.6F},       {SampleFormat::int8, nan},
      {SampleFormat::int16, 32767.5F},      {SampleFormat::int16, -40000.F},     {SampleFormat::int16, infinite},
      {SampleFormat::int32, 2147483648.0F}, {SampleFormat::int32, 1e30F},        {SampleFormat::int32, nan},
      {SampleFormat::ibm_float, nan},       {SampleFormat::ibm_float, infinite}, {SampleFormat::ibm_float, -infinite}};
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

RC_GTEST_PROP(SampleFormatProperty, WholeNumbersSurviveEveryFormat, (const std::vector<std::int8_t>& numbers)) {
  const std::vector<float> values(numbers.begin(), numbers.end());
  const std::vector<double> expected(numbers.begin(), numbers.end());
  for (const SampleFormat format : all_formats)
    for (const ByteOrder order : all_orders)
      RC_ASSERT(decoded(encoded(values, format, order), format, order) == expected);
}

RC_GTEST_PROP(SampleFormatProperty, IntegersAreRoundedAsTheProcessorDoes, (std::int32_t numerator)) {
  // Quarters within the range of 16 bits; std::nearbyint rounds halves to even.
  const float value = static_cast<float>(numerator % 131000) / 4.0F;
  const auto back = decoded(encoded({value}, SampleFormat::int16, ByteOrder::big), SampleFormat::int16, ByteOrder::big);
  RC_ASSERT(back.at(0) == std::nearbyint(static_cast<double>(value)));
}

}  // namespace
}  // namespace sill::segy
