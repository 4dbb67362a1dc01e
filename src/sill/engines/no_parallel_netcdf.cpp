// PnetCDF in a build without MPI: the constructors refuse, so that no other function is ever called.
#include <utility>

#include "sill/base/error.hpp"
#include "sill/engines/parallel_netcdf.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse_pnetcdf() {
  throw Error({.code = ErrorCode::usage,
               .problem = "PnetCDF is requested, but this build of Sill is without MPI",
               .action = "use a build of Sill with MPI, or container=netcdf"});
}

}  // namespace

ParallelNetcdf::ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& /*description*/,
                               int /*version*/, const Hints& hints)
    : comm_(comm), path_(std::move(path)), asked_(hints) {
  refuse_pnetcdf();
}

ParallelNetcdf::ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& /*description*/,
                               const Hints& hints)
    : comm_(comm), path_(std::move(path)), asked_(hints) {
  refuse_pnetcdf();
}

void ParallelNetcdf::begin(std::size_t /*variable*/, const Box& /*box*/, const std::byte* /*values*/) {
  refuse_pnetcdf();
}
void ParallelNetcdf::begin(std::size_t /*variable*/, std::span<const Box> /*boxes*/, const std::byte* /*values*/) {
  refuse_pnetcdf();
}
void ParallelNetcdf::finish() { refuse_pnetcdf(); }
void ParallelNetcdf::begin_own() { refuse_pnetcdf(); }
void ParallelNetcdf::write_own(std::size_t /*variable*/, const Box& /*box*/, const std::byte* /*values*/) {
  refuse_pnetcdf();
}
void ParallelNetcdf::end_own() { refuse_pnetcdf(); }
void ParallelNetcdf::close() { refuse_pnetcdf(); }
MpiioHintsInEffect ParallelNetcdf::hints_in_effect() const { refuse_pnetcdf(); }
std::string ParallelNetcdf::version() { refuse_pnetcdf(); }

}  // namespace sill
