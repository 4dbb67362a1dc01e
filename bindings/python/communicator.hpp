// Communicators of mpi4py, for all outputs of several ranks.
#pragma once

#include <nanobind/nanobind.h>

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::python {

/// The thread that uses a communicator: the one that makes it, or another one, which needs MPI_THREAD_SERIALIZED.
enum class Thread : std::uint8_t { this_one, other };

/// Collective over `comm`, a communicator of mpi4py; None stands for this process only. Returns a new communicator of
/// the same ranks. Errors: usage, on this rank only, if `comm` is not a communicator of mpi4py, or is an
/// intercommunicator or COMM_NULL; if MPI is not initialized or has a lower thread level; if mpi4py uses another MPI
/// library than this build; and in a build without MPI; io if MPI fails. Precondition: the GIL is held.
[[nodiscard]] std::unique_ptr<Communicator> make_communicator(const nanobind::object& comm,
                                                              Thread used_on = Thread::this_one);

/// Local. Errors: usage if `comm` is None and a launcher started this process as one of several, or does not state of
/// how many (PMIX_RANK alone, also for one process): each of them would write the same files.
void require_one_writer(const nanobind::object& comm);

/// Local. Returns true after MPI_Finalize; false in a build without MPI.
[[nodiscard]] bool has_mpi_ended();

/// The process and the thread that opened an output, which may use and close it. A forked process, another thread and,
/// after MPI ended, any thread must not use the communicator of ranks.
class OpenedBy {
 public:
  /// Local. `is_of_ranks`: with a communicator of mpi4py.
  explicit OpenedBy(bool is_of_ranks) : is_of_ranks_(is_of_ranks) {}
  [[nodiscard]] bool is_here() const {
    return process_ == ::getpid() && (!is_of_ranks_ || (thread_ == std::this_thread::get_id() && !has_mpi_ended()));
  }

  /// Local. Errors: usage for the output `path` unless `is_here`.
  void require_here(const std::string& path) const {
    if (is_here()) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = "another process opened it, or another thread with comm, or MPI has ended",
                 .where = {.file = path},
                 .action = "use it where it was opened, before MPI.Finalize"});
  }

 private:
  pid_t process_ = ::getpid();
  std::thread::id thread_ = std::this_thread::get_id();
  bool is_of_ranks_;
};

}  // namespace sill::python
