// Tests whether MPI-IO reports writes that the system refused. The guards of the store are off.
#pragma once

#include <cstdint>
#include <string>

#include "sill/comm/communicator.hpp"

namespace sill {

/// The implementation of MPI-IO. With Open MPI `standard` is the one that a program gets unless it chooses.
enum class MpiioDriver { standard, ompio, romio };

/// The kind of writes. Except for `empty_ranks`, a limit on file sizes refuses some of them.
enum class MpiioFault {
  alone,        ///< each its own file (MPI_File_write_at), and /dev/full
  together,     ///< interleaved, in one collective call that takes one round of two-phase writing
  in_rounds,    ///< as `together`, in several rounds (cb_buffer_size)
  empty_ranks,  ///< in one collective call to which only the last rank passes bytes
};

/// The writes of all ranks, and what MPI-IO returned for those whose bytes are not all in the file.
struct MpiioOutcome {
  std::int64_t failed = 0;        ///< writes for which MPI-IO returned an error
  std::int64_t missing = 0;       ///< writes whose bytes are not all in the file
  std::int64_t unreported = 0;    ///< missing writes for which MPI-IO returned success
  std::int64_t short_counts = 0;  ///< unreported writes for which the status states fewer bytes than requested
};

/// Collective. Writes to the empty folder `folder`. Does not return if MPI-IO lets a rank wait forever: run it in a
/// process that can be ended. Changes the driver only before MPI opens its first file. Errors: usage if this MPI does
/// not have the driver; io.
[[nodiscard]] MpiioOutcome try_mpiio_fault(Communicator& comm, const std::string& folder, MpiioDriver driver,
                                           MpiioFault fault);

}  // namespace sill
