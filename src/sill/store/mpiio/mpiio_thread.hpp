// The thread that may use MPI-IO.
#pragma once

namespace sill {

/// Local. Checks that this thread may use MPI-IO. Errors: usage on a thread other than the thread that started MPI (no
/// error if MPI is not running), and always in a build without MPI.
void require_mpi_thread();

}  // namespace sill
