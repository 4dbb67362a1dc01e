// Numbers with exponents against printf. 10^8 random ones take a minute and are not part of the usual run:
// --gtest_also_run_disabled_tests --gtest_filter='AllWords.*'.
#include "sill/base/exponent_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sill {
namespace {

// Whether `value` is written as printf does, and nothing beyond it is touched.
testing::AssertionResult is_written_as_by_printf(double value, ExponentForm form) {
  std::array<char, 256> expected{};
  const int length = std::snprintf(expected.data(), expected.size(), "%*.*e", form.width, form.precision, value);
  std::array<char, 256> written{};
  written.fill('#');
  const std::size_t count = write_exponent_text(value, form, {written.data(), form.max_characters()});
  const std::string_view text(written.data(), count);
  if (text != std::string_view(expected.data(), static_cast<std::size_t>(length))) {
    return testing::AssertionFailure() << '"' << text << "\" instead of \"" << expected.data() << '"';
  }
  if (written[form.max_characters()] != '#') return testing::AssertionFailure() << "more room was used than told";
  return testing::AssertionSuccess();
}

const std::vector<ExponentForm> all_forms{{15, 6}, {12, 5}, {13, 5}, {0, 6},  {0, 0},
                                          {1, 1},  {24, 9}, {3, 8},  {9, 10}, {40, 17}};

std::vector<double> edges() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values{0.0,
                             0.5,
                             1.0,
                             Limits::max(),
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::min() - Limits::denorm_min(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             9.9999995,
                             9.99999949999999971,
                             0x1p53,
                             1e23,
                             1.2345675,
                             1234567.5,
                             1234568.5,
                             12345675.0,
                             12345685.0};
  // Exact ties: k + 1/2 of every number of digits that a double can hold exactly.
  for (double whole = 10; whole < 1e10; whole *= 10) {
    for (const double part : {0.5, 1.5, 2.5, 7.5}) values.push_back(whole + part);
    values.push_back(whole * 10 - 0.5);
  }
  for (int exponent = -323; exponent <= 308; ++exponent) {
    const double power = std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
    for (const double near : {std::nextafter(power, 0.0), power, std::nextafter(power, Limits::infinity())}) {
      values.push_back(near);
      values.push_back(near * 9.9999995);
      values.push_back(near * 1.2345675);
    }
  }
  for (int exponent = -1074; exponent <= 1023; ++exponent) values.push_back(std::ldexp(1.0, exponent));
  return values;
}

TEST(ExponentText, IsPrintfsAtEveryEdge) {
  for (const double value : edges()) {
    for (const ExponentForm form : all_forms) {
      ASSERT_TRUE(is_written_as_by_printf(value, form)) << form.width << '.' << form.precision;
      ASSERT_TRUE(is_written_as_by_printf(-value, form)) << form.width << '.' << form.precision;
    }
  }
}

void check_random_doubles(std::int64_t count) {
  std::mt19937_64 random(20170613);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    // Any pattern; then numbers of a usual size, with few digits, so that many lie halfway.
    const double usual = static_cast<double>(static_cast<std::int64_t>(bits) >> 36) / 128.0;
    const double value = i % 2 == 0 ? std::bit_cast<double>(bits) : usual;
    const ExponentForm form = i % 3 == 0   ? ExponentForm{12, 5}
                              : i % 3 == 1 ? ExponentForm{15, 6}
                                           : ExponentForm{0, static_cast<int>(i % 11)};
    ASSERT_TRUE(is_written_as_by_printf(value, form)) << "number " << i;
  }
}

TEST(ExponentText, IsPrintfsForAMillionRandomDoubles) { check_random_doubles(1'000'000); }

TEST(AllWords, DISABLED_ExponentTextIsPrintfsForAHundredMillionDoubles) { check_random_doubles(100'000'000); }

}  // namespace
}  // namespace sill
