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

/// Collective over `parent`. A duplicate of `parent`, so that messages of Sill never meet the caller's. The caller
/// keeps MPI initialized (thread level funneled or more) for as long as the result lives.
/// Errors: io if MPI fails.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm parent);

}  // namespace sill
