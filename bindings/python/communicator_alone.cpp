// Communicators in a build without MPI: only this process.
#include "communicator.hpp"

#include "errors.hpp"
#include "sill/comm/launch.hpp"

namespace sill::python {

bool has_mpi_ended() { return false; }

void require_one_writer(const nanobind::object& comm) {
  if (comm.is_none()) (void)Launch();
}

std::unique_ptr<Communicator> make_communicator(const nanobind::object& comm, Thread /*used_on*/) {
  if (comm.is_none()) return make_alone();
  refuse("comm is given, but this build of Sill is without MPI",
         "install it with the MPI of mpi4py: `SILL_MPI=any pip install .` in the source of Sill takes the "
         "MPI of mpicc");
}

}  // namespace sill::python
