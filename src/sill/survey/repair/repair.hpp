// Repairs a file: sets its headers to the detected properties, completes or drops a cut trace, undoes a copy in text
// mode.
#pragma once

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/survey/repair/repair_options.hpp"

namespace sill {

/// Collective. Writes a file with the detected properties to `options.output`, which appears when it is complete and
/// verified: described again, without assumptions, it must be read as intended and have no finding that a repair should
/// remove. Samples keep their values. For a sound file, the output has the same bytes. `rules.assume` applies to the
/// input; `rules.stops_at` to the output. `map` may be nullptr.
///
/// If a carriage return precedes every line feed of the file, only these carriage returns are removed. The output must
/// then be sound, under `rules.assume`, except for findings of grade minor.
///
/// Errors: usage (output is the input; properties that the revision cannot hold); input (properties of the file cannot
/// be determined, or cannot be repaired, with advice; a cut last trace without `last_trace`); io.
[[nodiscard]] RepairResult repair(const Resources& resources, const segy::HeaderMap* map, const InputRules& rules,
                                  const RepairOptions& options);

}  // namespace sill
