// How many collective calls this process has made, as MPI's profiling interface sees them.
#pragma once

#include <cstdint>

namespace sill::test {

/// Local. Calls of MPI_Allreduce, MPI_Bcast, MPI_Allgather, MPI_Allgatherv, MPI_Alltoall, MPI_Alltoallv and MPI_Barrier
/// since the program began. What MPI-IO calls within the library is not among them.
[[nodiscard]] std::int64_t collective_calls();

}  // namespace sill::test
