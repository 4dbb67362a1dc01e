#include "sill/store/mpiio/mpiio_ranks.hpp"

#include <fmt/format.h>

#include "sill/base/error.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"

namespace sill {
namespace {

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("{} failed", call),
               .action = "the message layer is broken: end all ranks and see the launcher's messages"});
}

}  // namespace

MpiRanks::MpiRanks(MPI_Comm parent, std::span<const int> ranks) {
  int parent_size = 0;
  check(MPI_Comm_size(parent, &parent_size), "MPI_Comm_size");
  if (ranks.size() == 1) return;
  if (ranks.size() == static_cast<std::size_t>(parent_size)) {
    // A duplicate, not the parent itself: Open MPI 4.1 would pass the attributes that ROMIO attaches to the parent to
    // groups created from it.
    check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  } else {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group mine = MPI_GROUP_NULL;
    check(MPI_Comm_group(parent, &all), "MPI_Comm_group");
    const int chosen = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &mine);
    MPI_Group_free(&all);
    check(chosen, "MPI_Group_incl");
    const int tag = 1;
    const int made = MPI_Comm_create_group(parent, mine, tag, &comm_);
    MPI_Group_free(&mine);
    check(made, "MPI_Comm_create_group");
  }
  ++open_mpi_handles();
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
}

MpiRanks::~MpiRanks() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (comm_ == MPI_COMM_SELF || ended != 0) return;
  MPI_Comm_free(&comm_);
  --open_mpi_handles();
}

bool MpiRanks::all(bool mine) const {
  int value = mine ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
  return value == 1;
}

void MpiRanks::sum(std::span<std::int64_t> values) const {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, comm_),
        "MPI_Allreduce");
}

void MpiRanks::all_gather(std::span<const std::int64_t> mine, std::span<std::int64_t> all) const {
  const int count = static_cast<int>(mine.size());
  check(MPI_Allgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, comm_), "MPI_Allgather");
}

}  // namespace sill
