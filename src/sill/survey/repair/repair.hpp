// Repairing a file: its headers made to say what it was found to be, its end made whole, a copy as text undone.
#pragma once

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/survey/repair/repair_options.hpp"

namespace sill {

/// Collective. Writes the file anew, as it was found to be, to `options.output`, which appears when it is complete and
/// was proved: described anew, with nothing assumed, it must be read as intended and have no finding that a repair is
/// to undo. Samples keep their values. Of a sound file the output has the same bytes. `rules.assume` is of the input;
/// `rules.stops_at` of the output. `map` may be nullptr.
///
/// Where a carriage return stands before every line feed of the file, all of them are taken out and nothing else is
/// done; the output must then be sound, under `rules.assume`, but for findings of grade minor.
///
/// Errors: usage (output is the input; what the revision cannot hold); input (what the file is cannot be found out, or
/// not be mended, with what to do; a cut last trace where `last_trace` is not given); io.
[[nodiscard]] RepairResult repair(const Resources& resources, const segy::HeaderMap* map, const InputRules& rules,
                                  const RepairOptions& options);

}  // namespace sill
