// Sessions on a communicator of MPI.
#include "session.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace sill::bindings {
namespace {

void require_mpi() {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0) {
    refuse("a session is opened, but MPI is not initialized", "call MPI_Init_thread before sill_session_open");
  }
  if (is_finalized != 0) {
    refuse("a session is opened, but MPI has ended", "open sessions before MPI_Finalize");
  }
}

void require_ranks(MPI_Comm comm) {
  int is_inter = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_inter);
  if (comm == MPI_COMM_NULL || is_inter != 0) {
    refuse(
        comm == MPI_COMM_NULL ? "a session is opened on MPI_COMM_NULL" : "a session is opened on an intercommunicator",
        "pass the communicator of the ranks that write together");
  }
}

}  // namespace
}  // namespace sill::bindings

using namespace sill;
using namespace sill::bindings;

extern "C" {

int sill_session_open(MPI_Comm comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    (void)at(session, "the place for the session");
    require_mpi();
    require_ranks(comm);
    open_session(make_mpi_communicator(comm), options, session, 0);
  });
}

int sill_session_open_f(MPI_Fint comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    require_mpi();  // before MPI is asked which communicator it is
    const MPI_Comm of_c = MPI_Comm_f2c(comm);
    require_ranks(of_c);
    open_session(make_mpi_communicator(of_c), options, session, 1);
  });
}

}  // extern "C"
