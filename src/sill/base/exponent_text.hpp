// Numbers as text with an exponent: what printf's "%15e" and its like write, byte for byte, faster.
#pragma once

#include <cstddef>
#include <span>

namespace sill {

/// How printf would be asked: `%<width>.<precision>e`.
struct ExponentForm {
  int width = 0;      ///< at least so many characters, blanks before the number
  int precision = 6;  ///< digits after the point

  /// Local. The most characters that any double takes: sign, digit, point, digits, "e+308".
  [[nodiscard]] constexpr std::size_t max_characters() const {
    const int longest = precision + 8;
    return static_cast<std::size_t>(width > longest ? width : longest);
  }
};

/// Local. Writes into `text` what printf in the C locale makes of `value`, whatever the process's locale is: the
/// nearest decimal number, of two equally near ones the even one; "inf" and "nan" with their signs. How many characters
/// these are. Preconditions: 0 <= width; 0 <= precision <= 99; text.size() >= form.max_characters().
std::size_t write_exponent_text(double value, ExponentForm form, std::span<char> text);

}  // namespace sill
