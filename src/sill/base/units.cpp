// Parses and prints sizes, rates, durations and counts.
#include "sill/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view why) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} '{}' {}", what, echoed(text), why),
               .action = "write a size such as 500000, 256K, 64M or 1.5G (powers of 1024)"});
}

/// Returns the number of bytes in the unit named `suffix`; 0 if the unit is unknown.
std::int64_t unit_bytes(std::string_view suffix) {
  std::string lower;
  for (const char c : suffix) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view prefixes = "kmgt";
  const auto power = prefixes.find(lower.front());
  if (power == std::string_view::npos) return 0;
  const std::string_view rest = std::string_view(lower).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return 0;
  return std::int64_t{1} << (10 * (power + 1));
}

}  // namespace

std::int64_t parse_bytes(std::string_view text, std::string_view what) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t millionths = 1'000'000;

  std::size_t at = 0;
  std::int64_t whole = 0;
  while (at < text.size() && is_digit(text[at])) {
    const int digit = text[at++] - '0';
    if (whole > (largest - digit) / 10) refuse(text, what, "is too large");
    whole = whole * 10 + digit;
  }
  const bool has_whole = at > 0;
  std::int64_t fraction_millionths = 0;
  bool has_fraction = false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    std::int64_t weight = millionths / 10;
    for (; at < text.size() && is_digit(text[at]); ++at, weight /= 10) {
      if (weight == 0) refuse(text, what, "has more than six decimals");
      fraction_millionths += weight * (text[at] - '0');
      has_fraction = true;
    }
  }
  if (!has_whole && !has_fraction) refuse(text, what, "is not a size");
  while (at < text.size() && text[at] == ' ') ++at;

  const std::int64_t unit = unit_bytes(text.substr(at));
  if (unit == 0) refuse(text, what, "has an unknown unit");
  const std::int64_t part = fraction_millionths * unit / millionths;  // at most 10^6 * 2^40, which fits
  if (whole > (largest - part) / unit) refuse(text, what, "is too large");
  const std::int64_t bytes = whole * unit + part;
  const bool is_whole = fraction_millionths == 0 || (unit > 1 && bytes > 0);
  if (!is_whole) refuse(text, what, "is not an integer number of bytes");
  return bytes;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 6> units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (std::abs(static_cast<double>(bytes)) < 1000.0) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  // 999.95 would print as 1000.0: it belongs to the next unit.
  while (std::abs(value) >= 999.95 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string exact_bytes(std::int64_t bytes) {
  constexpr std::string_view units = "KMGT";
  std::size_t unit = 0;
  for (; bytes != 0 && bytes % 1024 == 0 && unit < units.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, units[unit - 1]);
}

std::string format_rate(std::int64_t bytes, double seconds_s) {
  if (!(seconds_s > 0.0)) return "-";
  const double rate = static_cast<double>(bytes) / seconds_s;
  if (rate >= 9.2e18) return "-";  // not a realistic rate
  return format_bytes(static_cast<std::int64_t>(std::llround(rate))) + "/s";
}

std::string format_duration(double seconds_s) {
  if (!(seconds_s > 0.0)) return "0 ms";
  if (seconds_s < 0.9995) return fmt::format("{:.0f} ms", seconds_s * 1000.0);
  if (seconds_s < 59.95) return fmt::format("{:.1f} s", seconds_s);
  if (!(seconds_s < 9.0e15)) return "a very long time";
  const std::int64_t whole_s = std::llround(seconds_s);
  if (whole_s < 3600) return fmt::format("{} min {:02} s", whole_s / 60, whole_s % 60);
  const std::int64_t minutes = (whole_s + 30) / 60;
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string format_short_time(double seconds_s) {
  if (!(seconds_s < 59.95)) return format_duration(seconds_s);
  if (seconds_s >= 0.9995) return fmt::format("{:.3g} s", seconds_s);
  if (seconds_s >= 0.9995e-3) return fmt::format("{:.3g} ms", 1e3 * seconds_s);
  return seconds_s >= 0.9995e-6 ? fmt::format("{:.3g} us", 1e6 * seconds_s) : fmt::format("{:.3g} ns", 1e9 * seconds_s);
}

std::string format_count(std::int64_t count) {
  const std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  std::string text = digits.substr(0, first);
  for (std::size_t i = first; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string format_count(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace sill
