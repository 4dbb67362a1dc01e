// Suggestions for a misspelt name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Local. Returns up to three names of `known` that `name` may be a misspelling of, the nearest first. Case, blanks,
/// `-` and `_` are ignored; of names that differ only in these, only the first is returned.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string_view> known);

/// Local. Returns "did you mean a, b? " for the names a and b, to be placed before other advice; an empty text if there
/// are no names.
[[nodiscard]] std::string did_you_mean(std::span<const std::string> names);

}  // namespace sill
