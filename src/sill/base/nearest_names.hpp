// Names that a misspelt one may have been meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Local. Up to three of `known` that `name` may have been meant to be, the nearest first. Case and what people put
/// between the parts of a name do not count; nor does a second name that differs in nothing else.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string_view> known);

/// Local. "did you mean a, b? ", to be put before what else can be done; empty without names.
[[nodiscard]] std::string did_you_mean(std::span<const std::string> names);

}  // namespace sill
