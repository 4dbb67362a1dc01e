// Undoing that a file was copied as text, which made two bytes of each line feed.
#pragma once

#include <string>

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/survey/repair/repair_options.hpp"

namespace sill {

/// Collective. Whether a carriage return stands before each line feed of the file's first MiB. Errors: io.
[[nodiscard]] bool begins_with_text_line_ends(const Resources& resources, const std::string& path);

/// Collective. `repair` of such a file: what comes out must be sound but for findings of grade minor. What else there
/// is to repair is reported of the output. Errors: usage for a `map` (else nullptr) and for options of other repairs;
/// input if a line feed stands alone, if there are fewer than four, or if what comes out is not sound; as
/// `segy::refuse_from` of the output; io.
[[nodiscard]] RepairResult undo_copy_as_text(const Resources& resources, const segy::HeaderMap* map,
                                             const InputRules& rules, const RepairOptions& options);

}  // namespace sill
