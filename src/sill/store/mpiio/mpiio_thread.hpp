// The thread that may use MPI-IO.
#pragma once

namespace sill {

/// Local. Errors: usage on another thread than the one that started MPI, which alone may use MPI-IO. None where MPI
/// does not run.
void require_mpi_thread();

}  // namespace sill
