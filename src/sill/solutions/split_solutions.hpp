// Restores the files of local solutions from a case that was made from them.
#pragma once

#include <string>

#include "sill/io/session/resources.hpp"
#include "sill/solutions/solution_case.hpp"

namespace sill {

/// Collective. Returns the paths that `split_solutions` reads and writes. Errors: as split_solutions, for the case.
[[nodiscard]] SolutionPaths paths_of_split(const Resources& resources, const std::string& case_path,
                                           const std::string& folder);

/// Collective. Restores the solution files of the problems from a case that `join_solutions` made, byte for byte, each
/// file in its folder, and writes their index. Chunks of a shared file are also restored as separate files. Elements
/// are not restored, because the case contains their coordinates with only six digits. Existing solution files are
/// replaced, without following links; other phases remain. Errors: input if the case was not made by Sill, if its files
/// do not have the sizes and beginnings that it states, or if its values are not records as `join_solutions` writes
/// them: then there is no index; io. Before anything is written, also io if there is too little disk space, if another
/// run writes into the folder, or if a run wrote its problem files there next to their solutions
/// (SolutionWriter::write_problem_files): elements of another mesh would be joined with these solutions.
[[nodiscard]] SolutionFiles split_solutions(const Resources& resources, const std::string& case_path,
                                            const std::string& folder);

}  // namespace sill
