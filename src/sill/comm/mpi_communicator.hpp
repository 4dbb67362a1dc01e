// A communicator over MPI.
#pragma once

// The C++ bindings that MPI-3 removed are not wanted.
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

/// Collective over `parent`. The ranks of `parent` again, so that messages of Sill never meet the caller's. The caller
/// keeps MPI initialized (thread level funneled or more) for as long as the result lives.
/// Errors: io if MPI fails, or, on all ranks, if one has no memory for lists of an entry a rank.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm parent);

/// Local. What MPI calls `comm`; its own handle: messages on it keep the order of its other collective calls, and no
/// file is opened on it. For a communicator made alone MPI_COMM_SELF; MPI is then started if it is not
/// (`start_mpi_alone`).
[[nodiscard]] MPI_Comm mpi_handle(const Communicator& comm);

/// Local. Returns the errno that the error class of a status of MPI names; 0 for a class that names no cause.
/// MPI_ERR_IO is such a class: ROMIO also reports a full disk by it.
[[nodiscard]] int system_error_number_of(int mpi_status);

/// Collective over the launched processes. Starts MPI at thread level funneled. Errors: io if the process may open too
/// few files for it, which MPI itself would answer by ending the program, or if MPI fails; of this process alone:
/// others wait for it until their launcher ends them.
void start_mpi();

/// Local. Starts MPI for this process alone, unless it runs already; it ends with the process. For calls that need MPI
/// in a program that was not launched by one. Errors: usage if MPI has ended already, or if a launcher announces
/// several ranks: then the program has to start MPI itself; as start_mpi.
void start_mpi_alone();

}  // namespace sill
