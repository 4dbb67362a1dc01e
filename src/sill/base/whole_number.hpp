// Conversion of arbitrary floating-point numbers to integers.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace sill {

/// Local. Returns `value` without its fraction, as an integer from `min` to `max`. Numbers outside this range become
/// the nearer bound, NaN becomes `min`. Precondition: -2^63 <= min <= max < 2^62.
[[nodiscard]] constexpr std::int64_t integer_within(double value, std::int64_t min, std::int64_t max) {
  if (!(value > static_cast<double>(min))) return min;
  return value < static_cast<double>(max) ? static_cast<std::int64_t>(value) : max;
}

/// Local. Returns the integer nearest to `value`, ties to even; nullopt for NaN and magnitudes of at least 2^63.
[[nodiscard]] inline std::optional<std::int64_t> nearest_integer(double value) {
  const double whole = std::nearbyint(value);
  if (!(std::abs(whole) < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

}  // namespace sill
