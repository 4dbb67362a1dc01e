// Queries that need no running MPI: the launcher that the environment variables announce, and the version of the MPI
// library.
#pragma once

#include <optional>
#include <string>

namespace sill {

/// The launch announced by environment variables.
struct Announcement {
  std::string variable;  ///< the variable and its value
  std::string launcher;  ///< the launcher that sets it
  int ranks = 1;         ///< 0: unknown
  int rank = 0;
};

/// Local. Returns the announcement with the largest number of ranks among these environment variables; nullopt if none
/// of them is set: OMPI_COMM_WORLD_SIZE (Open MPI), PMI_SIZE (MPICH, Intel MPI), PMIX_RANK, SLURM_STEP_NUM_TASKS with
/// SLURM_PROCID (a step of Slurm).
[[nodiscard]] std::optional<Announcement> launcher_announcement();

/// Local. Returns the name and version of the MPI library that this build uses, or "without MPI". MPI need not be
/// initialized.
[[nodiscard]] std::string mpi_library();

/// Local. Returns true in a build with MPI.
[[nodiscard]] bool has_mpi();

}  // namespace sill
