// Communicators of mpi4py, for all outputs of several ranks.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::python {

/// Collective over `comm`, a communicator of mpi4py; None stands for this process alone. Returns a new communicator of
/// the same ranks. Errors: usage, on this rank only, if `comm` is no communicator of mpi4py, or is an
/// intercommunicator or COMM_NULL, if MPI does not run, if mpi4py uses another MPI library than this build, and in a
/// build without MPI; io if MPI fails. Precondition: the GIL is held.
[[nodiscard]] std::unique_ptr<Communicator> make_communicator(const nanobind::object& comm);

/// Local. Returns true after MPI_Finalize; false in a build without MPI.
[[nodiscard]] bool has_mpi_ended();

/// Local. Throws the usage error of a communicator that cannot be used.
[[noreturn]] inline void refuse_communicator(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

}  // namespace sill::python
