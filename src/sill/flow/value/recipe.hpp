// Flows as files: TOML.
#pragma once

#include <string>
#include <string_view>

#include "sill/flow/value/flow.hpp"

namespace sill::flow {

/// Local. The flow that a recipe says: `input` (a path or a list), `output`, and either `do` (a text in the inline
/// form) or tables `[[do]]`, with `op` and the keys as strings, numbers or booleans; and `flow_options`. `source_name`
/// is named in errors. Errors: usage with file and line: no TOML, keys that a recipe does not have, values of another
/// type, both forms at once; as `parse_steps`.
[[nodiscard]] Flow parse_recipe(std::string_view text, const std::string& source_name);

/// Local. The flow as a recipe, with tables `[[do]]`; `parse_recipe` reads it back as it is.
[[nodiscard]] std::string recipe_text(const Flow& flow);

}  // namespace sill::flow
