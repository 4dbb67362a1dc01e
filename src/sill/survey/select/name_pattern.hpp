// Names of files, formed from values that all traces of a file share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/key.hpp"

namespace sill {

/// A path with placeholders for the values of keys: "out_{fldr}.sgy", "{iline:05}/line.sgy". `{KEY:0N}` pads an integer
/// with zeros to N digits.
class NamePattern {
 public:
  /// Local. Returns true if a name is a pattern: if it contains a brace.
  [[nodiscard]] static bool has_places(std::string_view name) { return name.find_first_of("{}") != name.npos; }

  /// The text before a placeholder, and the key in the placeholder; no placeholder follows the last text.
  struct Place {
    std::string text;
    std::optional<std::string_view> key = {};
    int digits = 0;
  };
  /// Local. Returns the placeholders of a pattern, which must outlive them. Errors: usage, for braces that do not
  /// match.
  [[nodiscard]] static std::vector<Place> places_in(std::string_view pattern);

  /// Local. Returns the keys of the placeholders of a pattern, in pattern order, each once. Errors: usage, for braces
  /// that do not match, for a pattern without a placeholder, and as TraceKey::parse.
  [[nodiscard]] static std::vector<segy::TraceKey> keys_of(std::string_view pattern, const segy::HeaderMap& map);

  /// Local. Reads a pattern. Errors: usage, if a brace has no counterpart, if a placeholder names none of `keys`, or if
  /// a key has no placeholder: then two files would have the same name.
  NamePattern(std::string_view pattern, std::span<const segy::TraceKey> keys, const segy::HeaderMap& map);

  /// Local. Returns the path for values of the keys, in their order. Errors: input, without a placeholder, if a value
  /// cannot be used in a file name: text that is empty, begins with a dot, or contains a slash or a character that is
  /// not printable.
  [[nodiscard]] std::string name(std::span<const segy::WordValue> values) const;

 private:
  struct Part {
    std::string text;  // text before the placeholder
    int key = -1;      // -1 if no placeholder follows
    int digits = 0;
  };
  std::vector<Part> parts_;
};

}  // namespace sill
