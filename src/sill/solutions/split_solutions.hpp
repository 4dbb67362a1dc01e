// The files of local solutions out of a case that was made of them.
#pragma once

#include <string>

#include "sill/io/session/resources.hpp"
#include "sill/solutions/solution_case.hpp"

namespace sill {

/// Collective. Those of `split_solutions`. Errors: as its, for the case.
[[nodiscard]] SolutionPaths paths_of_split(const Resources& resources, const std::string& case_path,
                                           const std::string& folder);

/// Collective. From the case that `join_solutions` made, the solution files of the problems, each in its
/// folder, byte for byte, and their index; also where they were chunks of a shared file. Elements are not given back,
/// for a case has their coordinates with six digits. Errors: input if the case is not Sill's, or its files do not have
/// the sizes and beginnings that it states, or its values are not records as `join_solutions` takes them: then there is
/// no index; io, also, before anything is made, for too little room, and if another run writes into the folder, or one
/// wrote of its problems there beside their solutions (SolutionWriter::write_problem_files): elements of another mesh
/// would be joined with these solutions. Solution files that are there are replaced, links not followed; other phases
/// stay.
[[nodiscard]] SolutionFiles split_solutions(const Resources& resources, const std::string& case_path,
                                            const std::string& folder);

}  // namespace sill
