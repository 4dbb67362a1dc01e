// Numbers as text with an exponent: the same bytes that printf's "%15e" and similar formats write, but faster.
#pragma once

#include <cstddef>
#include <span>

namespace sill {

/// A printf format: `%<width>.<precision>e`.
struct ExponentForm {
  int width = 0;      ///< minimum number of characters, padded with blanks before the number
  int precision = 6;  ///< digits after the point

  /// Local. Returns the maximum number of characters for any double: sign, digit, point, digits, "e+308".
  [[nodiscard]] constexpr std::size_t max_characters() const {
    const int longest = precision + 8;
    return static_cast<std::size_t>(width > longest ? width : longest);
  }
};

/// Local. Writes into `text` the characters that printf in the C locale writes for `value`, whatever the locale of the
/// process: the nearest decimal number; of two equally near numbers, the one with an even last digit; "inf" and "nan"
/// with their signs. Returns the number of characters. Preconditions: 0 <= width; 0 <= precision <= 99; text.size() >=
/// form.max_characters().
std::size_t write_exponent_text(double value, ExponentForm form, std::span<char> text);

}  // namespace sill
