// The solutions of all local problems of an output phase as one EnSight case, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sill/formats/solution/phase_index.hpp"
#include "sill/io/resources.hpp"

namespace sill {

struct JoinSolutionsOptions {
  std::string folder;                     ///< as a SolutionWriter wrote it, elements included
  std::optional<std::int64_t> step = {};  ///< which phase; without it, the only one there is
  std::string target;                     ///< the case, "….case"; its other files get the same name
};

struct SolutionFiles {
  solution::PhaseIndex phase;
  std::int64_t files = 0;  ///< that were written
  std::int64_t bytes = 0;  ///< in them
};

/// The files that an operation reads and writes.
struct SolutionPaths {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Collective. Those of `join_solutions`. Errors: as its, for what the index tells.
[[nodiscard]] SolutionPaths paths_of_join(const Resources& resources, const JoinSolutionsOptions& options);
/// Collective. Those of `split_solutions`. Errors: as its, for what the case tells.
[[nodiscard]] SolutionPaths paths_of_split(const Resources& resources, const std::string& case_path,
                                           const std::string& folder);

/// Collective. An EnSight Gold case in ASCII (formats/solution/ensight_case.hpp) of a phase: the meshes of all problems
/// as one part, and a scalar a node for each dimension, in the characters of the solution files. The files are written
/// by the policy and appear when all are complete, the case last. Holds 72 bytes a problem beside the stages.
/// Errors: usage for a folder with several phases and no step, a name that EnSight cannot take, more than 2^31 - 1
/// points; input if a solution or an element has another size than the index says, if there are more problems than it
/// tells of, or if text is not made of its records; io, above all if the phase has no index or a file is missing.
[[nodiscard]] SolutionFiles join_solutions(const Resources& resources, const JoinSolutionsOptions& options);

/// Collective. The other way: from the case that `join_solutions` made, the solution files of the problems, each in its
/// folder, byte for byte, and their index; also where they were chunks of a shared file. Elements are not given back,
/// for a case has their coordinates with six digits. Errors: input if the case is not Sill's, or its files do not have
/// the sizes and beginnings that it tells, or its values are not records as `join_solutions` takes them: then there is
/// no index; io.
[[nodiscard]] SolutionFiles split_solutions(const Resources& resources, const std::string& case_path,
                                            const std::string& folder);

}  // namespace sill
