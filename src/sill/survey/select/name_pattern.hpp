// Names of files that hold what is equal in all their traces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/key.hpp"

namespace sill {

/// A path with places for the values of keys: "out_{fldr}.sgy", "{iline:05}/line.sgy". `{KEY:0N}` fills an integer up
/// with zeros to N digits.
class NamePattern {
 public:
  /// Local. Returns true if a name is a pattern: if it has a brace.
  [[nodiscard]] static bool has_places(std::string_view name) { return name.find_first_of("{}") != name.npos; }

  /// The text before a place, and what the place names; none follows the last text.
  struct Place {
    std::string text;
    std::optional<std::string_view> key = {};
    int digits = 0;
  };
  /// Local. The places of a pattern, which outlives them. Errors: usage, for braces that do not match.
  [[nodiscard]] static std::vector<Place> places_in(std::string_view pattern);

  /// Local. The keys that a pattern has places for, in the order of these, each once. Errors: usage, for braces that do
  /// not match, for no place, and as TraceKey::parse.
  [[nodiscard]] static std::vector<segy::TraceKey> keys_of(std::string_view pattern, const segy::HeaderMap& map);

  /// Local. Errors: usage, if a brace has no other, if a place names none of `keys`, or if one of them has no place:
  /// then two files would have one name.
  NamePattern(std::string_view pattern, std::span<const segy::TraceKey> keys, const segy::HeaderMap& map);

  /// Local. The path for values of the keys, in their order. Errors: input, without a place, if a value cannot be part
  /// of a file's name: text that is empty, begins with a dot, or has a
  /// slash or what is not printable.
  [[nodiscard]] std::string name(std::span<const segy::WordValue> values) const;

 private:
  struct Part {
    std::string text;  // before the place
    int key = -1;      // -1: no place follows
    int digits = 0;
  };
  std::vector<Part> parts_;
};

}  // namespace sill
