// Writing element by element through MPI-IO in a build without MPI: the constructor refuses.
#include "kernels/mpiio_elements.hpp"
#include "sill/base/error.hpp"

namespace sill::kernels {

struct MpiioElements::Places {};

MpiioElements::MpiioElements(Communicator& comm, std::int64_t /*element_bytes*/,
                             std::span<const std::int64_t> /*places_bytes*/)
    : comm_(comm) {
  throw usage_error("the original program writes with MPI-IO, but this build of Sill is without MPI",
                    "use a build of Sill with MPI, or --policy instead of --original");
}

MpiioElements::~MpiioElements() = default;

double MpiioElements::write(const std::string& /*path*/, std::span<const std::byte> /*values*/, Meter& /*meter*/) {
  return 0.0;
}

}  // namespace sill::kernels
