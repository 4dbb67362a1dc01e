#include "support/world.hpp"

#include <memory>

#include "sill/comm/mpi_communicator.hpp"

namespace sill::test {

Communicator& world() {
  static const std::unique_ptr<Communicator> comm = make_mpi_communicator(MPI_COMM_WORLD);
  return *comm;
}

}  // namespace sill::test
