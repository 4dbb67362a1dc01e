// An edit of files where they lie, with a journal beside each.
#pragma once

#include "sill/io/edit/edit_locks.hpp"
#include "sill/survey/edit/computed_edit.hpp"

namespace sill {

/// Collective. Writes what was computed. Counts what it notes into `result`. Errors: as `edit`.
void edit_in_place(const Resources& resources, const EditLocks& locks, const SurveyReader& reader,
                   const ComputedEdit& edit, EditResult& result);

}  // namespace sill
