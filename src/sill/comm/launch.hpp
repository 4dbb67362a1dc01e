// Detects whether a program of Sill was launched as one of several ranks.
#pragma once

#include <memory>

#include "sill/comm/communicator.hpp"
#include "sill/comm/launcher.hpp"

namespace sill {

/// Provides the ranks of a program while this object lives. With a single rank, MPI is not initialized, because with
/// Open MPI the initialization takes a third of a second.
class Launch {
 public:
  /// Collective over the launched processes. Initializes MPI only if a launcher announces more than one rank. Errors:
  /// usage if a launcher announces more ranks than MPI then reports, or announces more than one rank to a build without
  /// MPI: otherwise each process would run the complete job on its own; io as start_mpi.
  Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  /// Collective. Finalizes MPI if the constructor initialized it.
  ~Launch();

  [[nodiscard]] Communicator& comm() { return *comm_; }

  /// Local. Ends all ranks immediately. Call it for an error on one rank that the other ranks do not know.
  [[noreturn]] void abort(int exit_code);

 private:
  std::unique_ptr<Communicator> comm_;
  [[maybe_unused]] bool mpi_ = false;  // not in a build without MPI
};

}  // namespace sill
