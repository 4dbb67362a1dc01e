// Flows as TOML files.
#pragma once

#include <string>
#include <string_view>

#include "sill/flow/value/flow.hpp"

namespace sill::flow {

/// Local. Returns the flow in a recipe: `input` (a path or a list), `output`, and either `do` (a text in the inline
/// form) or tables `[[do]]`, with `op` and the keys as strings, numbers or booleans; and `flow_options`. Errors name
/// `source_name`. Errors: usage with file and line: invalid TOML, keys that a recipe does not have, values of another
/// type, both forms at once; as `parse_steps`.
[[nodiscard]] Flow parse_recipe(std::string_view text, const std::string& source_name);

/// Local. Returns the flow as a recipe, with tables `[[do]]`; `parse_recipe` restores the same flow.
[[nodiscard]] std::string recipe_text(const Flow& flow);

}  // namespace sill::flow
