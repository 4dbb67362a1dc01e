// What the environment and the MPI library report before MPI is started.
#pragma once

#include <optional>
#include <string>

namespace sill {

/// What launcher variables of the environment announce.
struct Announcement {
  std::string variable;  ///< the variable that says so, with its value
  std::string launcher;  ///< whose variable it is
  int ranks = 1;         ///< 0: unknown, the variable does not say
  int rank = 0;
};

/// Local. The announcement of the most ranks found in the environment, if there is any: OMPI_COMM_WORLD_SIZE (Open
/// MPI), PMI_SIZE (MPICH, Intel MPI), PMIX_RANK, SLURM_STEP_NUM_TASKS with SLURM_PROCID (a step of Slurm).
[[nodiscard]] std::optional<Announcement> launcher_announcement();

/// Local. Returns the name and version of the MPI library that this build uses, or "without MPI". MPI need not be
/// initialized.
[[nodiscard]] std::string mpi_library();

}  // namespace sill
