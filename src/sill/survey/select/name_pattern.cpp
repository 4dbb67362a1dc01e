#include "sill/survey/select/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

constexpr int max_digits = 20;

[[noreturn]] void throw_bad_pattern(std::string_view pattern, std::string_view what) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("the name pattern '{}' {}", echoed(pattern), what),
               .action = "write each key in braces, as in out_{fldr}.sgy or out_{fldr:05}.sgy"});
}

int key_named(std::string_view place, std::span<const segy::TraceKey> keys, const segy::HeaderMap& map) {
  const segy::TraceKey wanted = segy::TraceKey::parse(place, map);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string_view text = keys[i].text();
    if (keys[i].descending()) text = trimmed(text.substr(1));
    const segy::WordRef* a = wanted.word();
    const segy::WordRef* b = keys[i].word();
    const bool is_same_word = a != nullptr && b != nullptr && wanted.source() == keys[i].source() &&
                              wanted.absolute() == keys[i].absolute() && a->byte == b->byte && a->type == b->type;
    if (is_same_word || wanted.text() == text) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::vector<NamePattern::Place> NamePattern::places_in(std::string_view pattern) {
  std::vector<Place> places;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = pattern.find_first_of("{}", at);
    Place& place = places.emplace_back(Place{std::string(pattern.substr(at, std::min(open, pattern.size()) - at)), {}});
    if (open == std::string_view::npos) return places;
    const std::size_t close = pattern.find_first_of("{}", open + 1);
    if (pattern[open] == '}' || close == std::string_view::npos || pattern[close] == '{')
      throw_bad_pattern(pattern, "has an unmatched brace");
    std::string_view key = pattern.substr(open + 1, close - open - 1);
    // A key that is a position contains a colon: @189:i4.
    if (const std::size_t colon = key.rfind(":0"); colon != std::string_view::npos) {
      const std::string_view digits = key.substr(colon + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place.digits);
      if (error != std::errc() || end != digits.data() + digits.size() || place.digits > max_digits)
        throw_bad_pattern(pattern, fmt::format("contains '{}', which is not a number of digits", echoed(digits)));
      key = key.substr(0, colon);
    }
    place.key = key;
    at = close + 1;
  }
}

std::vector<segy::TraceKey> NamePattern::keys_of(std::string_view pattern, const segy::HeaderMap& map) {
  std::vector<std::string_view> names;
  for (const Place& place : places_in(pattern))
    if (place.key && std::ranges::find(names, *place.key) == names.end()) names.push_back(*place.key);
  if (names.empty()) throw_bad_pattern(pattern, "contains no key");
  std::vector<segy::TraceKey> keys;
  for (const std::string_view name : names) keys.push_back(segy::TraceKey::parse(name, map));
  return keys;
}

NamePattern::NamePattern(std::string_view pattern, std::span<const segy::TraceKey> keys, const segy::HeaderMap& map) {
  std::vector<bool> has_place(keys.size(), false);
  for (Place& place : places_in(pattern)) {
    Part part{.text = std::move(place.text), .digits = place.digits};
    if (place.key) {
      part.key = key_named(*place.key, keys, map);
      if (part.key < 0)
        throw_bad_pattern(pattern, fmt::format("contains '{}', which is not a key of --by", echoed(*place.key)));
      has_place[static_cast<std::size_t>(part.key)] = true;
    }
    parts_.push_back(std::move(part));
  }
  const auto missing = std::ranges::find(has_place, false);
  if (missing != has_place.end())
    throw_bad_pattern(pattern, fmt::format("does not contain the key '{}'",
                                           echoed(keys[static_cast<std::size_t>(missing - has_place.begin())].text())));
}

std::string NamePattern::name(std::span<const segy::WordValue> values) const {
  std::string name;
  for (const Part& part : parts_) {
    name += part.text;
    if (part.key < 0) continue;
    const segy::WordValue& value = values[static_cast<std::size_t>(part.key)];
    const std::string text = value.text();
    const bool is_printable = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '/'; });
    if (text.empty() || text.front() == '.' || !is_printable) {
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("'{}' cannot be part of a file's name", echoed(text)),
                   .action = "split by another word, or select traces with a condition"});
    }
    const bool is_negative = text.front() == '-';
    const std::string_view digits = std::string_view(text).substr(is_negative ? 1 : 0);
    if (is_negative) name += '-';
    const bool is_integer = std::ranges::all_of(digits, is_digit);
    if (is_integer && std::ssize(text) < part.digits)
      name.append(static_cast<std::size_t>(part.digits) - text.size(), '0');
    name += digits;
  }
  return name;
}

}  // namespace sill
