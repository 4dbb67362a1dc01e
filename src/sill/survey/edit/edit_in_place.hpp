// Edits files in place, with a journal next to each file.
#pragma once

#include "sill/io/edit/edit_locks.hpp"
#include "sill/survey/edit/computed_edit.hpp"

namespace sill {

/// Collective. Writes a computed edit. Adds its notes to `result`. Errors: as `edit`.
void edit_in_place(const Resources& resources, const EditLocks& locks, const SurveyReader& reader,
                   const ComputedEdit& edit, EditResult& result);

}  // namespace sill
