#include "sill/base/exponent_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sill {
namespace {

// Digits after the point up to which the quick way has digits to spare.
constexpr int most_quick_precision = 9;
// No digit is decided by less than this share of its unit: the quick way's error is 2^-22 at most.
constexpr long double doubt = 0x1p-16L;
// 10^precision / 10^exponent of any normal double.
constexpr int largest_power = 308 + most_quick_precision;

// 10^i, each step rounded: within 2^-55 of the truth, relatively.
constexpr std::array<long double, largest_power + 1> powers = [] {
  std::array<long double, largest_power + 1> made{};
  long double power = 1;
  for (long double& each : made) {
    each = power;
    power *= 10;
  }
  return made;
}();

long double power_of_ten(int exponent) {
  return exponent >= 0 ? powers[static_cast<std::size_t>(exponent)] : 1 / powers[static_cast<std::size_t>(-exponent)];
}

// The digits of a positive number and the exponent of the first.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_certain = false;  // if not, the number lies nearly halfway between two
};

// By one multiplication with more digits than a double has. Precondition: `value` is normal and positive.
Decimal quick_decimal(double value, int precision) {
  const int binary_exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52U) - 1023;
  int exponent = (binary_exponent * 315653) >> 20;  // log10(2) * 2^20; the true one, or one too small or too large
  const long double least = powers[static_cast<std::size_t>(precision)];
  long double scaled = value * power_of_ten(precision - exponent);
  if (scaled < least) {
    --exponent;
    scaled = value * power_of_ten(precision - exponent);
  } else if (scaled >= least * 10) {
    ++exponent;
    scaled = value * power_of_ten(precision - exponent);
  }
  auto digits = static_cast<std::uint64_t>(scaled);
  const long double rest = scaled - static_cast<long double>(digits);
  const bool is_certain = std::abs(rest - 0.5L) > doubt;
  if (rest > 0.5L) ++digits;
  if (digits == static_cast<std::uint64_t>(least) * 10) {
    digits /= 10;
    ++exponent;
  }
  return {digits, exponent, is_certain};
}

// Writes the number from `to` on; where it ends.
char* write_decimal(const Decimal& number, int precision, char* to) {
  char* const point = to + 1;
  std::uint64_t digits = number.digits;
  for (int i = precision; i > 0; --i) {
    point[i] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  *to = static_cast<char>('0' + digits);
  char* at = point;
  if (precision > 0) {
    *point = '.';
    at += precision + 1;
  }
  *at++ = 'e';
  *at++ = number.exponent < 0 ? '-' : '+';
  const auto exponent = static_cast<unsigned>(std::abs(number.exponent));
  if (exponent >= 100) *at++ = static_cast<char>('0' + exponent / 100);
  *at++ = static_cast<char>('0' + exponent / 10 % 10);
  *at++ = static_cast<char>('0' + exponent % 10);
  return at;
}

char* write_unpadded(double value, int precision, char* to, char* end) {
  const bool has_spare_digits = std::numeric_limits<long double>::digits >= 64 && precision <= most_quick_precision;
  if (has_spare_digits && std::isnormal(value)) {
    const Decimal number = quick_decimal(std::abs(value), precision);
    if (number.is_certain) {
      if (std::signbit(value)) *to++ = '-';
      return write_decimal(number, precision, to);
    }
  }
  return std::to_chars(to, end, value, std::chars_format::scientific, precision).ptr;
}

}  // namespace

std::size_t write_exponent_text(double value, ExponentForm form, std::span<char> text) {
  char* const begin = text.data();
  char* const end = write_unpadded(value, form.precision, begin, begin + text.size());
  const std::ptrdiff_t missing = form.width - (end - begin);
  if (missing <= 0) return static_cast<std::size_t>(end - begin);
  std::move_backward(begin, end, end + missing);
  std::fill_n(begin, missing, ' ');
  return static_cast<std::size_t>(form.width);
}

}  // namespace sill
