#include "plain_mpiio.hpp"

#include <algorithm>
#include <set>

#include "sill/base/error.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace sill::bench {
namespace {

void check(int status, const char* call) {
  if (status != MPI_SUCCESS) throw Error({.code = ErrorCode::io, .problem = std::string(call) + " failed"});
}

}  // namespace

void PlainMpiio::write(const std::vector<AccessPlan>& plans) {
  const auto me = static_cast<std::size_t>(comm_.rank());
  std::set<int> files;
  for (const AccessPlan& plan : plans) files.insert(plan.files().begin(), plan.files().end());
  for (const int file : files) {
    std::size_t calls = 0;
    int owners = 0;
    for (const AccessPlan& plan : plans) {
      calls = std::max(calls, plan.of_file(file).size());
      owners += plan.of_file(file).empty() ? 0 : 1;
    }
    const std::span<const Extent> mine = plans[me].of_file(file);
    if (owners == 1 && mine.empty()) continue;
    MPI_File handle = opened(file, owners == 1 ? MPI_COMM_SELF : mpi_handle(comm_));
    for (std::size_t i = 0; i < calls; ++i) {
      MPI_Status status;
      if (i < mine.size()) {
        const MpiType type = file_type(mine.subspan(i, 1), 0);
        check(MPI_File_set_view(handle, 0, MPI_BYTE, type.get(), "native", MPI_INFO_NULL), "MPI_File_set_view");
        check(MPI_File_write_all(handle, mine[i].memory, static_cast<int>(mine[i].total_bytes()), MPI_BYTE, &status),
              "MPI_File_write_all");
      } else {
        check(MPI_File_set_view(handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "MPI_File_set_view");
        check(MPI_File_write_all(handle, nullptr, 0, MPI_BYTE, &status), "MPI_File_write_all");
      }
    }
  }
}

void PlainMpiio::close() {
  for (auto& [file, handle] : files_) check(MPI_File_close(&handle), "MPI_File_close");
  files_.clear();
}

MPI_File PlainMpiio::opened(int file, MPI_Comm owners) {
  const auto [found, is_new] = files_.try_emplace(file, MPI_FILE_NULL);
  if (is_new) {
    check(MPI_File_open(owners, paths_[static_cast<std::size_t>(file)].c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE,
                        MPI_INFO_NULL, &found->second),
          "MPI_File_open");
  }
  return found->second;
}

}  // namespace sill::bench
