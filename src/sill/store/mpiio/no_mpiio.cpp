// MPI-IO in a build without MPI: nothing can be opened.
#include <string>

#include "sill/base/error.hpp"
#include "sill/store/mpiio/mpiio_fault_trial.hpp"
#include "sill/store/mpiio/mpiio_hint_trial.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/mpiio/mpiio_thread.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse_mpiio() {
  throw Error({.code = ErrorCode::usage,
               .problem = "MPI-IO is requested, but this build of Sill is without MPI",
               .action = "use call=posix, or a build of Sill with MPI"});
}

}  // namespace

void require_mpi_thread() { refuse_mpiio(); }

std::unique_ptr<Store> open_mpiio(const std::string& /*path*/, OpenMode /*mode*/) { refuse_mpiio(); }

Opener mpiio_opener(MpiioHintReport* /*report*/) {
  return [](const std::string& path, OpenMode mode) { return open_mpiio(path, mode); };
}

std::unique_ptr<Store> open_mpiio_together(Communicator& /*comm*/, std::span<const int> /*ranks*/,
                                           const std::string& /*path*/, OpenMode /*mode*/, const MpiioHints& /*hints*/,
                                           MpiioHintReport* /*report*/) {
  refuse_mpiio();
}

std::size_t safe_open_mpiio_files() { return 1; }

MpiioEffect try_mpiio_hints(Communicator& /*comm*/, const std::string& /*folder*/, const MpiioHints& /*hints*/) {
  refuse_mpiio();
}

std::vector<TriedHint> try_all_mpiio_hints(Communicator& /*comm*/, const std::string& /*folder*/) { refuse_mpiio(); }

MpiioOutcome try_mpiio_fault(Communicator& /*comm*/, const std::string& /*folder*/, MpiioDriver /*driver*/,
                             MpiioFault /*fault*/) {
  refuse_mpiio();
}

}  // namespace sill
