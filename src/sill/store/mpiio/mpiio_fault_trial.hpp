// Whether MPI-IO reports writes that the system refused, tried without the guards of the store.
#pragma once

#include <string>

#include "sill/comm/communicator.hpp"

namespace sill {

/// The implementation of MPI-IO. With Open MPI `standard` is the one that a program gets unless it chooses.
enum class MpiioDriver { standard, ompio, romio };

/// How the ranks write beyond a limit on file sizes.
enum class MpiioFault {
  alone,      ///< each its own file (MPI_File_write_at), and /dev/full
  together,   ///< interleaved, in one collective call that takes one round of two-phase writing
  in_rounds,  ///< as `together`, in several rounds (cb_buffer_size)
};

/// The writes of all ranks, and what MPI-IO returned for those whose bytes are not all in the file.
struct MpiioOutcome {
  int writes = 0;
  int failed = 0;        ///< writes for which MPI-IO returned an error
  int missing = 0;       ///< writes whose bytes are not all in the file
  int unreported = 0;    ///< of the missing: MPI-IO returned success
  int short_counts = 0;  ///< of the unreported: the status states fewer bytes than requested
};

/// Collective. Writes beyond a limit on file sizes in the empty folder `folder`. Does not return if MPI-IO lets a rank
/// wait forever: run it in a process that can be ended. Changes the driver only before MPI opens its first file.
/// Errors: usage if this MPI does not have the driver; io.
[[nodiscard]] MpiioOutcome try_mpiio_fault(Communicator& comm, const std::string& folder, MpiioDriver driver,
                                           MpiioFault fault);

/// Collective. Writes together bytes that only the last rank has. Otherwise as try_mpiio_fault, without a limit.
[[nodiscard]] MpiioOutcome try_mpiio_empty_ranks(Communicator& comm, const std::string& folder);

}  // namespace sill
