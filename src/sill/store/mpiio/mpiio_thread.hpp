// The thread that may use MPI-IO.
#pragma once

namespace sill {

/// Local. Checks that this thread may use MPI-IO. Errors: usage on another thread than the one that started MPI, and in
/// a build without MPI. None where MPI does not run.
void require_mpi_thread();

}  // namespace sill
