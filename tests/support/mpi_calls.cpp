#include "support/mpi_calls.hpp"

#include <mpi.h>

#include <atomic>

namespace {

std::atomic<std::int64_t> calls = 0;

}  // namespace

std::int64_t sill::test::collective_calls() { return calls; }

// In place of those of the library, which are the same under their profiling names (MPI-4.0, section 15.2).
extern "C" {

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  ++calls;
  return PMPI_Allreduce(sent, received, count, type, operation, comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++calls;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allgather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
                  MPI_Datatype received_type, MPI_Comm comm) {
  ++calls;
  return PMPI_Allgather(sent, sent_count, sent_type, received, received_count, received_type, comm);
}

int MPI_Allgatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, const int* received_counts,
                   const int* places, MPI_Datatype received_type, MPI_Comm comm) {
  ++calls;
  return PMPI_Allgatherv(sent, sent_count, sent_type, received, received_counts, places, received_type, comm);
}

int MPI_Alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int received_count,
                 MPI_Datatype received_type, MPI_Comm comm) {
  ++calls;
  return PMPI_Alltoall(sent, sent_count, sent_type, received, received_count, received_type, comm);
}

int MPI_Alltoallv(const void* sent, const int* sent_counts, const int* sent_places, MPI_Datatype sent_type,
                  void* received, const int* received_counts, const int* received_places, MPI_Datatype received_type,
                  MPI_Comm comm) {
  ++calls;
  return PMPI_Alltoallv(sent, sent_counts, sent_places, sent_type, received, received_counts, received_places,
                        received_type, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++calls;
  return PMPI_Barrier(comm);
}

}  // extern "C"
