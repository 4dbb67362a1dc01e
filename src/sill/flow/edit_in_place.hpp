// An edit of files where they lie, with a journal beside each.
#pragma once

#include "sill/flow/computed_edit.hpp"
#include "sill/io/edit_locks.hpp"

namespace sill {

/// Collective. Writes what was computed. Counts what it notes into `result`. Errors: as `edit`.
void edit_in_place(const Resources& resources, const EditLocks& locks, const Reader& reader, const ComputedEdit& edit,
                   EditResult& result);

}  // namespace sill
