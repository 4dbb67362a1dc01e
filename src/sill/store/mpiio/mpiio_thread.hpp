// The thread that may use MPI-IO.
#pragma once

namespace sill {

/// Local. Throws if the calling thread is not the one that started MPI: only that thread may use MPI-IO. Does nothing
/// if MPI is not running. Errors: usage.
void require_mpi_thread();

}  // namespace sill
