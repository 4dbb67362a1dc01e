// Characters of ASCII, whatever the locale.
#pragma once

namespace sill {

/// Local. Whether `c` is one of 0 to 9.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace sill
