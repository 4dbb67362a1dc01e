// Detects whether a program of Sill was launched as one of several ranks.
#pragma once

#include <memory>

#include "sill/comm/communicator.hpp"
#include "sill/comm/launcher.hpp"

namespace sill {

/// The ranks of a program, for as long as this object lives. With a single rank MPI is not initialized: with Open MPI
/// that would cost a third of a second.
class Launch {
 public:
  /// Collective over the launched processes. Initializes MPI only if a launcher announces more than one rank.
  /// Errors: usage when a launcher announces more ranks than MPI then reports, or more than one to a build without MPI:
  /// each of its processes would run the whole job on its own; io as start_mpi.
  Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  /// Collective. Finalizes MPI if it was initialized here.
  ~Launch();

  [[nodiscard]] Communicator& comm() { return *comm_; }

  /// Local. Ends all ranks at once. For an error on one rank that the other ranks do not know.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> comm_;
  [[maybe_unused]] bool mpi_ = false;  // not in a build without MPI
};

}  // namespace sill
