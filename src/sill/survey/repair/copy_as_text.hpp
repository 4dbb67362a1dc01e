// Undoes a copy of a file in text mode, which replaced each line feed by a carriage return and a line feed.
#pragma once

#include <string>

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/survey/repair/repair_options.hpp"

namespace sill {

/// Collective. Returns true if a carriage return precedes each line feed in the first MiB of the file. Errors: io.
[[nodiscard]] bool begins_with_text_line_ends(const Resources& resources, const std::string& path);

/// Collective. Repairs a file that was copied in text mode. The output must have no findings except those of grade
/// minor. Other necessary repairs are only reported, for the output. Errors: usage for a `map` (must be nullptr) and
/// for options of other repairs; input if a line feed is not preceded by a carriage return, if there are fewer than
/// four line ends, or if the output is not sound; as `segy::refuse_from` of the output; io.
[[nodiscard]] RepairResult undo_copy_as_text(const Resources& resources, const segy::HeaderMap* map,
                                             const InputRules& rules, const RepairOptions& options);

}  // namespace sill
