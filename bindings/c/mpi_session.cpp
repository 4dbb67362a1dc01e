// Sessions on a communicator of MPI.
#include "session.hpp"
#include "sill/comm/mpi_communicator.hpp"

using namespace sill;
using namespace sill::bindings;

extern "C" {

int sill_session_open(MPI_Comm comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    (void)at(session, "the pointer for the session");
    require_mpi_running();
    require_intracommunicator(comm);
    open_session(make_mpi_communicator(comm), options, session, 0);
  });
}

int sill_session_open_f(MPI_Fint comm, const sill_options* options, sill_session** session) {
  if (session != nullptr) *session = nullptr;
  return status_of([&] {
    require_mpi_running();  // MPI_Comm_f2c needs MPI
    const MPI_Comm of_c = MPI_Comm_f2c(comm);
    require_intracommunicator(of_c);
    open_session(make_mpi_communicator(of_c), options, session, 1);
  });
}

}  // extern "C"
