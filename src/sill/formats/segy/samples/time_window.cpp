// Parses time windows, and sets the start time of a trace.
#include "sill/formats/segy/samples/time_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/base/whole_number.hpp"

namespace sill::segy {
namespace {

constexpr double us_per_ms = 1000.0;

// Fraction of an interval by which a sample may be beyond an end: times are sums of decimal fractions.
constexpr double tolerance = 1e-6;

[[noreturn]] void throw_bad_window(std::string_view text, std::string_view what) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' is not a time window: {}", echoed(text), what),
               .action = "write both ends with units, as in 1s:3s, 500ms:2.5s or 250us: (open)"});
}

double parse_time_us(std::string_view part, std::string_view whole, double interval_us) {
  constexpr std::array<std::pair<std::string_view, double>, 3> units = {{{"us", 1.0}, {"ms", 1e3}, {"s", 1e6}}};
  double number = 0.0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number))
    throw_bad_window(whole, fmt::format("'{}' is not a time", echoed(part)));
  const std::string_view unit = trimmed(part.substr(static_cast<std::size_t>(end - part.data())));
  for (const auto& [name, us] : units)
    if (unit == name) return number * us;
  if (unit == "samples" && interval_us > 0.0) return number * interval_us;
  throw_bad_window(whole, unit.empty() ? fmt::format("'{}' has no unit (s, ms, us)", echoed(part))
                                       : fmt::format("'{}' is not one of s, ms, us", echoed(unit)));
}

}  // namespace

TimeWindow parse_time_window(std::string_view text, double interval_us) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos)
    throw_bad_window(text, "its ends must be separated by one colon");
  const std::string_view begin = trimmed(text.substr(0, colon));
  const std::string_view end = trimmed(text.substr(colon + 1));
  TimeWindow window;
  if (begin.empty() && end.empty()) throw_bad_window(text, "both ends are open");
  if (!begin.empty()) window.begin_us = parse_time_us(begin, text, interval_us);
  if (!end.empty()) window.end_us = parse_time_us(end, text, interval_us);
  if (window.end_us < window.begin_us) throw_bad_window(text, "it ends before it begins");
  return window;
}

SampleRange samples_in(const TimeWindow& window, double start_us, double interval_us, std::int64_t samples) {
  const double first = std::ceil((window.begin_us - start_us) / interval_us - tolerance);
  const double last = std::floor((window.end_us - start_us) / interval_us + tolerance);
  const std::int64_t begin = integer_within(first, 0, samples);
  const std::int64_t end = integer_within(last + 1.0, 0, samples);
  return {begin, std::max<std::int64_t>(0, end - begin)};
}

DelayWord::DelayWord(const HeaderMap& map) : word_(map.word("delrt")) { require_true_value(word_, word_.name); }

std::optional<DelayWord> DelayWord::of(const HeaderMap& map) {
  try {
    return DelayWord(map);
  } catch (const Error&) {
    return std::nullopt;
  }
}

double DelayWord::start_us(const std::byte* header, ByteOrder order) const {
  return true_value(word_, header, order) * us_per_ms;
}

double DelayWord::usable_start_us(const std::byte* header, ByteOrder order) const {
  const double start = start_us(header, order);
  if (std::abs(start) <= farthest_start_us) return start;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format(
                   "the time of the first sample, {} (byte {}), is {} ms, which is outside the possible range",
                   word_.name, word_.byte, start / us_per_ms),
               .clause = word_.standard != nullptr ? word_.standard->clause() : "",
               .action = "correct the header, or omit the trace with --where"});
}

void DelayWord::set_start(std::byte* header, ByteOrder order, double start_us) const {
  // The unit of the word: its true value if the stored value were 1.
  const TrueBytes bytes = needed_bytes();
  std::vector<std::byte> copy(header, header + bytes.end);
  write_word(copy.data(), word_.byte, word_.type, order, {.number = std::int64_t{1}});
  const double unit_us = true_value(word_, copy.data(), order) * us_per_ms;
  const double stored = start_us / unit_us;
  const std::optional<std::int64_t> whole = nearest_integer(stored);
  const auto refuse = [&](std::string_view why) {
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the first selected sample is at {} us, which {} (byte {}, in steps of {} us) {}",
                                start_us, word_.name, word_.byte, unit_us, why),
         .clause = word_.standard != nullptr ? word_.standard->clause() : "",
         .action = "begin the window at a time that the word can store"});
  };
  if (is_float(word_.type)) return write_word(header, word_.byte, word_.type, order, {.number = stored});
  if (!whole || std::abs(stored - static_cast<double>(*whole)) > 1e-6) refuse("cannot store");
  try {
    write_word(header, word_.byte, word_.type, order, {.number = *whole});
  } catch (const Error&) {
    refuse("is too short for");
  }
}

}  // namespace sill::segy
