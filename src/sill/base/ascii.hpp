// Characters of ASCII, whatever the locale.
#pragma once

namespace sill {

/// Local. Returns true if `c` is one of 0 to 9.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Local. Returns true if `c` is one of A to Z and a to z.
[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace sill
