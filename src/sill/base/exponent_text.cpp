#include "sill/base/exponent_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "sill/base/byte_order.hpp"

namespace sill {
namespace {

__extension__ using Wide = unsigned __int128;

// The precisions for which the fast method has enough spare digits.
constexpr int min_quick_precision = 1;
constexpr int max_quick_precision = 9;

// mantissa * 2^exponent: 10^n rounded down with a relative error of at most 2^-63; the mantissa's first bit is set.
struct Power {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

// 10^(precision - exponent) for the exponents of all normal doubles.
constexpr int min_power = min_quick_precision - 309;
constexpr int max_power = max_quick_precision + 309;

constexpr auto powers = [] {
  std::array<Power, max_power - min_power + 1> made{};
  const auto normalize = [](Wide& mantissa, int& exponent) {
    for (; mantissa >> 127U == 0; --exponent) mantissa <<= 1U;
  };
  const auto put = [&](int power, Wide mantissa, int exponent) {
    made[static_cast<std::size_t>(power - min_power)] = {static_cast<std::uint64_t>(mantissa >> 64U), exponent + 64};
  };
  Wide mantissa = Wide{1} << 127U;
  int exponent = -127;
  for (int power = 0; power <= max_power; ++power) {
    put(power, mantissa, exponent);
    mantissa = (mantissa >> 4U) * 10;
    exponent += 4;
    normalize(mantissa, exponent);
  }
  mantissa = Wide{1} << 127U;
  exponent = -127;
  for (int power = -1; power >= min_power; --power) {
    mantissa /= 10;
    normalize(mantissa, exponent);
    put(power, mantissa, exponent);
  }
  return made;
}();

constexpr std::array<std::uint64_t, max_quick_precision + 2> whole_powers{
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};

constexpr auto digit_pairs = [] {
  std::array<char, 200> made{};
  for (std::size_t i = 0; i < 100; ++i) {
    made[2 * i] = static_cast<char>('0' + i / 10);
    made[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return made;
}();

// A positive number rounded to precision + 1 digits: the digits as an integer, and the exponent of the first digit.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_certain = false;  // if false, the number may be halfway between two decimals
};

// Rounds with one multiplication by a power of ten, 64 by 64 bits. Preconditions: a positive normal double; precision
// within the bounds above.
Decimal quick_decimal(std::uint64_t bits, int precision) {
  const int biased = static_cast<int>(bits >> 52U);
  const std::uint64_t mantissa = (bits << 11U) | (std::uint64_t{1} << 63U);  // value = mantissa * 2^(biased - 1086)
  const std::uint64_t min = whole_powers[static_cast<std::size_t>(precision)];
  // The base-2 logarithm in units of 2^-20, linear between powers of two: up to 0.0861 too small. Then times log10(2).
  const auto logarithm = static_cast<std::int64_t>(bits >> 32U) - (std::int64_t{1023} << 20U);
  // The true exponent or, for one value in 75, an exponent that is too small or too large by one.
  auto exponent = static_cast<int>((logarithm * 315653) >> 40U);
  for (bool is_lowered = false;;) {
    const Power& power = powers[static_cast<std::size_t>(precision - exponent - min_power)];
    // Too small by less than 3: one for the truncation here, one for the error of the power, and a little more.
    const auto product = static_cast<std::uint64_t>(Wide{mantissa} * power.mantissa >> 64U);
    const int shift = 1022 - biased - power.exponent;  // 1 to 63, because the result is at least 1 and below 10^11
    std::uint64_t digits = product >> shift;
    if (digits < min) {
      --exponent;
      is_lowered = true;
      continue;
    }
    // A power of ten may appear too small for one exponent and too large for the other.
    if (digits >= min * 10 && !is_lowered) {
      ++exponent;
      continue;
    }
    // Without a branch, because the direction of rounding cannot be predicted.
    digits += (product >> (shift - 1)) & 1U;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t below_half = half - (product & (2 * half - 1));  // if above half: wraps, very large
    const bool is_certain = below_half >= 3;
    if (digits >= min * 10) {
      digits = min;
      ++exponent;
    }
    return {digits, exponent, is_certain};
  }
}

// Returns the decimal digits of a number below 10^8 as text, the first digit in the lowest byte. Splits the number into
// two numbers of four digits, these into numbers of two digits, and these into digits. Each step processes all numbers
// at once.
std::uint64_t eight_digits(std::uint64_t number) {
  const std::uint64_t fours = number / 10'000 | (number % 10'000) << 32U;
  const std::uint64_t hundreds = ((fours * 10'486) >> 20U) & 0x0000'007F'0000'007FU;  // fours / 100
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16U;
  const std::uint64_t tens = ((twos * 103) >> 10U) & 0x000F'000F'000F'000FU;  // twos / 10
  return (tens | (twos - 10 * tens) << 8U) + 0x3030'3030'3030'3030U;
}

// Writes the first digit, the point and the other digits. May overwrite the next four characters.
void write_digits(std::uint64_t digits, int precision, char* to) {
  if (precision >= 3 && precision <= 7) {
    const std::uint64_t text = eight_digits(digits * whole_powers[static_cast<std::size_t>(7 - precision)]);
    store(reinterpret_cast<std::byte*>(to + 1), text, ByteOrder::little);
    to[0] = static_cast<char>(text & 0xFFU);
    to[1] = '.';
    return;
  }
  char* at = to + 2 + precision;
  int left = precision;
  for (; left >= 2; left -= 2) {
    at -= 2;
    std::copy_n(&digit_pairs[2 * (digits % 100)], 2, at);
    digits /= 100;
  }
  if (left == 1) {
    *--at = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  to[0] = static_cast<char>('0' + digits);
  to[1] = '.';
}

// Writes blanks before a number of at least seven characters, which must be written next.
char* write_blanks(int count, char* to) {
  if (count <= 0) return to;
  std::memset(to, ' ', 8);
  if (count > 8) std::memset(to, ' ', static_cast<std::size_t>(count));
  return to + count;
}

// Writes blanks up to `width`, the sign and the number; returns the end. No branch depends on values that change
// between numbers of a simulation, because one wrong prediction costs as much as everything else.
char* write_decimal(const Decimal& number, bool is_negative, ExponentForm form, char* to) {
  const auto exponent = static_cast<unsigned>(std::abs(number.exponent));
  const bool is_long = exponent >= 100;
  const int length = (is_negative ? 1 : 0) + 2 + form.precision + (is_long ? 5 : 4);
  to = write_blanks(form.width - length, to);
  *to = '-';
  to += is_negative ? 1 : 0;
  write_digits(number.digits, form.precision, to);
  to += 2 + form.precision;
  *to++ = 'e';
  *to++ = number.exponent < 0 ? '-' : '+';
  if (is_long) *to++ = static_cast<char>('0' + exponent / 100);
  return std::copy_n(&digit_pairs[static_cast<std::size_t>(2 * (exponent % 100))], 2, to);
}

}  // namespace

std::size_t write_exponent_text(double value, ExponentForm form, std::span<char> text) {
  char* const begin = text.data();
  const bool is_quick = form.precision >= min_quick_precision && form.precision <= max_quick_precision;
  if (is_quick && std::isnormal(value)) {
    const Decimal number = quick_decimal(std::bit_cast<std::uint64_t>(std::abs(value)), form.precision);
    if (number.is_certain) {
      return static_cast<std::size_t>(write_decimal(number, std::signbit(value), form, begin) - begin);
    }
  }
  char* const end = std::to_chars(begin, begin + text.size(), value, std::chars_format::scientific, form.precision).ptr;
  const std::ptrdiff_t missing = form.width - (end - begin);
  if (missing <= 0) return static_cast<std::size_t>(end - begin);
  std::move_backward(begin, end, end + missing);
  std::fill_n(begin, missing, ' ');
  return static_cast<std::size_t>(form.width);
}

}  // namespace sill
