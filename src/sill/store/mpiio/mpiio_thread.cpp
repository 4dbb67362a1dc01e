#include "sill/store/mpiio/mpiio_thread.hpp"

#include <mpi.h>

#include "sill/base/error.hpp"

namespace sill {

void require_mpi_thread() {
  int is_running = 0;
  int has_ended = 0;
  int is_main = 0;
  MPI_Initialized(&is_running);
  MPI_Finalized(&has_ended);
  if (is_running == 0 || has_ended != 0) return;
  MPI_Is_thread_main(&is_main);
  if (is_main != 0) return;
  throw Error({.code = ErrorCode::usage,
               .problem = "only the thread that started MPI may use MPI-IO",
               .action = "open and write outputs on that thread, or use posix calls (call=posix)"});
}

}  // namespace sill
