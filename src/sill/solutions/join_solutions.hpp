// The solutions of all local problems of an output phase as one EnSight case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sill/io/session/resources.hpp"
#include "sill/solutions/solution_case.hpp"

namespace sill {

struct JoinSolutionsOptions {
  std::string folder;                     ///< as a SolutionWriter wrote it, elements included
  std::optional<std::int64_t> step = {};  ///< which phase; without it, the only one there is
  std::string target;                     ///< the case, "….case"; its other files get the same name
};

/// Collective. Those of `join_solutions`. Errors: as its, for the index.
[[nodiscard]] SolutionPaths paths_of_join(const Resources& resources, const JoinSolutionsOptions& options);
/// Collective. An EnSight Gold case in ASCII (formats/solution/ensight_case.hpp) of a phase: the meshes of all problems
/// as one part, and a scalar a node for each dimension, in the characters of the solution files. The files are written
/// by the policy and appear when all are complete, the case last. Holds 72 bytes a problem beside the stages.
/// Errors: usage for a folder with several phases and no step, and a name that EnSight cannot take; input if the index
/// states more than 2^31 - 1 points, if a solution or an element has another size than it says, if there are more
/// problems than it states, or if a record is no number; io, above all if the phase has no index, if a file is
/// missing, if there is too little room, or if a run wrote to the phase while it was read. All but the records is
/// looked at before anything is written. No run begins in the folder meanwhile, if its lock can be had
/// (OutputLock).
[[nodiscard]] SolutionFiles join_solutions(const Resources& resources, const JoinSolutionsOptions& options);

}  // namespace sill
