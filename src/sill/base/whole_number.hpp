// Floating-point numbers as integers, where the number may be anything.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace sill {

/// Local. `value` without its fraction, as an integer from `least` to `most`: numbers beyond become the nearer of
/// these, NaN becomes `least`. Precondition: -2^63 <= least <= most < 2^62.
[[nodiscard]] constexpr std::int64_t integer_within(double value, std::int64_t least, std::int64_t most) {
  if (!(value > static_cast<double>(least))) return least;
  return value < static_cast<double>(most) ? static_cast<std::int64_t>(value) : most;
}

/// Local. The integer nearest to `value`, of two the even one; nothing for NaN and numbers of 2^63 and more.
[[nodiscard]] inline std::optional<std::int64_t> nearest_integer(double value) {
  const double whole = std::nearbyint(value);
  if (!(std::abs(whole) < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

}  // namespace sill
