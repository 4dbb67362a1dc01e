// A communicator over MPI.
#pragma once

// Do not include the C++ bindings that MPI-3 removed.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <memory>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Local. Checks that a program may open a session on MPI. Errors: usage if MPI is not initialized, or has ended.
void require_mpi_running();

/// Local. Checks that ranks can write together with `comm`. Errors: usage for MPI_COMM_NULL and an intercommunicator.
/// Precondition: MPI runs.
void require_intracommunicator(MPI_Comm comm);

/// Collective over `parent`. Returns a new communicator with the ranks of `parent`, so that messages of Sill never
/// match messages of the caller. Precondition: MPI stays initialized (thread level funneled or higher) while the result
/// lives. Errors: io if MPI fails or, on all ranks, if one rank lacks memory for lists with one entry per rank.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm parent);

/// Local. Returns the MPI handle of `comm` itself: calls on the handle are ordered with the other collective calls of
/// `comm`; no MPI file is opened on the handle. For a communicator made by `make_alone`, returns MPI_COMM_SELF, after
/// starting MPI if needed (`start_mpi_alone`).
[[nodiscard]] MPI_Comm mpi_handle(const Communicator& comm);

/// Local. Returns the errno that corresponds to the error class of an MPI status; 0 for a class without a specific
/// cause. MPI_ERR_IO has no specific cause: ROMIO also reports a full disk with this class.
[[nodiscard]] int system_error_number_of(int mpi_status);

/// Collective over the launched processes. Starts MPI at thread level funneled. Errors: io if MPI fails, or if the
/// process may open too few files for MPI, which would end the program. The error is thrown on this process only: other
/// processes wait for it until their launcher ends them.
void start_mpi();

/// Local. Starts MPI for this process only, unless it runs already; MPI ends with the process. For calls that need MPI
/// in a program that no MPI launcher started. Errors: usage if MPI has ended already, or if a launcher announces
/// several ranks: then the program must start MPI itself; otherwise as start_mpi.
void start_mpi_alone();

}  // namespace sill
