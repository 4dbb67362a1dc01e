// Joins the solutions of all local problems of an output phase into one EnSight case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sill/io/session/resources.hpp"
#include "sill/solutions/solution_case.hpp"

namespace sill {

struct JoinSolutionsOptions {
  std::string folder;                     ///< a folder that a SolutionWriter wrote, elements included
  std::optional<std::int64_t> step = {};  ///< the phase; without it, the only phase
  std::string target;                     ///< path of the case, "….case"; its other files are named after it
};

/// Collective. Returns the paths that `join_solutions` reads and writes. Errors: as join_solutions, for the index.
[[nodiscard]] SolutionPaths paths_of_join(const Resources& resources, const JoinSolutionsOptions& options);
/// Collective. Writes an EnSight Gold case in ASCII (formats/solution/ensight_case.hpp) of a phase: the meshes of all
/// problems as one part, and one scalar per node for each dimension, with the same characters as in the solution files.
/// The files are written by the policy and appear when all are complete, the case last. Needs 72 bytes per problem in
/// addition to the stages. Everything except the records is verified before anything is written. If the lock of the
/// folder is available (OutputLock), no run can begin in the folder meanwhile. Errors: usage for a folder with several
/// phases and no step, and for a name that EnSight does not accept; input if the index states more than 2^31 - 1
/// points, if a solution or an element differs in size from the index, if there are more problems than it states, or if
/// a record is not a number; io, in particular if the phase has no index, if a file is missing, if there is too little
/// disk space, or if a run wrote to the phase while it was read.
[[nodiscard]] SolutionFiles join_solutions(const Resources& resources, const JoinSolutionsOptions& options);

}  // namespace sill
