// What is taken for the text of solution files, against printf, and byte by byte against what it must not be.
#include "sill/formats/solution/record_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sill::solution {
namespace {

std::string printed_record(const Form& form, double value) {
  std::array<char, 40> record{};
  (void)std::snprintf(record.data(), record.size(), form.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n", value);
  return record.data();
}

class RecordCheck : public testing::TestWithParam<int> {
 protected:
  Form form{.problems = 1, .record_bytes = GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Widths, RecordCheck, testing::Values(13, 14));

TEST_P(RecordCheck, WhatPrintfMakesOfDoublesIsNumbers) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values{0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             9.999996,
                             1e99,
                             -9.99999e99,
                             1e100,
                             1e-99,
                             1e-100,
                             Limits::max(),
                             Limits::min(),
                             Limits::denorm_min(),
                             3 * Limits::denorm_min(),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN(),
                             -Limits::quiet_NaN(),
                             -Limits::max(),
                             -Limits::denorm_min()};
  std::mt19937_64 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<double>(random()));
  std::string text;
  for (const double value : values) {
    const std::string record = printed_record(form, value);
    if (std::ssize(record) != form.record_bytes) continue;  // a misfit, which nobody writes
    EXPECT_EQ(first_no_number(form, record), std::nullopt) << record;
    text += record;
  }
  EXPECT_EQ(first_no_number(form, text), std::nullopt);
  EXPECT_EQ(first_no_number(form, ""), std::nullopt);
}

// In a text that is looked at many records at once, in its beginning, its middle and behind the last whole block.
TEST_P(RecordCheck, AnyOtherByteIsFoundWhereItIs) {
  std::string text;
  for (int i = 0; i < 37; ++i) text += printed_record(form, (i % 2 == 0 ? 1 : -1) * std::pow(7.3, i - 20));
  ASSERT_EQ(first_no_number(form, text), std::nullopt);
  const auto width = static_cast<std::size_t>(form.record_bytes);
  const std::string usual = form.record_bytes == 13 ? "-0.00000e-00\n" : " -0.00000e-00\n";
  for (const std::size_t record : {0U, 15U, 16U, 31U, 32U, 36U}) {
    for (std::size_t at = 0; at < width; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = text;
        const auto character = static_cast<char>(byte);
        changed[record * width + at] = character;
        const char should_be = usual[at];
        bool is_fit = character == should_be;
        if (should_be == '0') is_fit = character >= '0' && character <= '9';
        if (should_be == '-') is_fit = character == '-' || character == (at < 2 ? ' ' : '+');
        const auto found = first_no_number(form, changed);
        const std::string one = changed.substr(record * width, width);
        if (is_fit && printed_record(form, std::strtod(one.c_str(), nullptr)) != one) {  // 0.12345e+10, 1.00000e-00
          ASSERT_TRUE(found) << one;
          ASSERT_EQ(static_cast<std::size_t>(*found) / width, record) << one;
          continue;
        }
        ASSERT_EQ(found, is_fit ? std::nullopt : std::optional(static_cast<std::int64_t>(record * width + at)))
            << record << " " << at << " " << byte;
      }
    }
  }
}

// Among zeros and others, in whole blocks and behind them.
TEST_P(RecordCheck, DigitsThatPrintfNeverWritesAreFound) {
  const std::string before(form.record_bytes == 13 ? "" : " ");
  const auto width = static_cast<std::size_t>(form.record_bytes);
  for (const double others : {0.0, -0.0, 1.5, -2e-300}) {
    if (std::ssize(printed_record(form, others)) != form.record_bytes) continue;
    for (const auto& [record, byte] : std::vector<std::pair<std::string, std::int64_t>>{{"1.00000e+005\n", 10},
                                                                                        {"1.00000e+099\n", 9},
                                                                                        {"1.00000e-000\n", 8},
                                                                                        {"0.12345e+100\n", 0},
                                                                                        {" 0.12345e+10\n", 1},
                                                                                        {"-0.12345e+10\n", 1},
                                                                                        {" 0.00001e+00\n", 1},
                                                                                        {" 0.00000e+57\n", 10},
                                                                                        {" 0.00000e-00\n", 9},
                                                                                        {"-1.00000e-00\n", 9},
                                                                                        {" 9.99999e-00\n", 9}}) {
      for (const std::size_t at : {0U, 15U, 16U, 33U}) {
        std::string text;
        for (std::size_t i = 0; i < 35; ++i) text += i == at ? before + record : printed_record(form, others);
        const auto found = first_no_number(form, text);
        ASSERT_TRUE(found) << record;
        EXPECT_EQ(static_cast<std::size_t>(*found) / width, at) << record;
        EXPECT_EQ(static_cast<std::int64_t>(static_cast<std::size_t>(*found) % width), byte + std::ssize(before))
            << record;
      }
    }
  }
}

TEST_P(RecordCheck, WhatOnlyLooksLikeANumberIsNone) {
  const std::string before(form.record_bytes == 13 ? "" : " ");
  for (const auto& [record, byte] : std::vector<std::pair<std::string, std::int64_t>>{{"1.00000e+999\n", 9},
                                                                                      {"1.00000e-999\n", 9},
                                                                                      {"1.79770e+308\n", 9},
                                                                                      {"         INF\n", 9},
                                                                                      {"        --nf\n", 9},
                                                                                      {"       - inf\n", 7},
                                                                                      {"            \n", 9},
                                                                                      {" 1.00000E+00\n", 8},
                                                                                      {" 1,00000e+00\n", 2},
                                                                                      {" 1.00000e 00\n", 9},
                                                                                      {"+1.00000e+00\n", 0},
                                                                                      {" 1.00000e+0x\n", 11},
                                                                                      {"1.00000e+1x0\n", 10},
                                                                                      {"hello worlds\n", 0}}) {
    const std::string all = before + record;
    EXPECT_EQ(first_no_number(form, all), std::optional(byte + std::ssize(before))) << record;
    EXPECT_TRUE(first_no_number(form, all.substr(0, all.size() - 1) + " ")) << record;
  }
}

}  // namespace
}  // namespace sill::solution
