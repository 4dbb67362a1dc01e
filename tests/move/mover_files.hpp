// The files that movers are tried on, and the ways to open them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "move/random_access.hpp"
#include "sill/move/mover.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/shared_folder.hpp"

namespace sill::test {

/// Local. File number `file` of those in a folder.
[[nodiscard]] inline std::string path_of(const SharedFolder& folder, int file) { return folder / std::to_string(file); }

/// Collective. Rank 0 makes the files 0 to `files` - 1, of `bytes` bytes each; or sees to it that there are none, for 0
/// bytes. What they hold.
inline FileContents make_files(const SharedFolder& folder, Communicator& comm, int files, std::int64_t bytes) {
  FileContents contents(static_cast<std::size_t>(files));
  for (int file = 0; file < files; ++file) {
    Bytes& content = contents[static_cast<std::size_t>(file)];
    content = pattern(bytes, 1 + static_cast<std::uint64_t>(file));
    if (comm.rank() != 0) continue;
    std::filesystem::remove(path_of(folder, file));
    if (bytes > 0) make_file(path_of(folder, file), content);
  }
  comm.barrier();
  return contents;
}

/// Local. Those files for a mover; what opens them may be changed.
[[nodiscard]] inline MoverFiles files_in(const SharedFolder& folder, int files, OpenMode mode, Policy::Call call) {
  MoverFiles all;
  for (int file = 0; file < files; ++file) all.paths.push_back(path_of(folder, file));
  all.mode = mode;
  switch (call) {
    case Policy::Call::posix: all.open = open_posix; break;
    case Policy::Call::mpiio: all.open = open_mpiio; break;
    case Policy::Call::mpiio_collective:
      all.open = open_posix;
      all.open_together = [](Communicator& comm, std::span<const int> ranks, const std::string& path, OpenMode how) {
        return open_mpiio_together(comm, ranks, path, how);
      };
  }
  return all;
}

/// Local. The plan of a rank.
[[nodiscard]] inline AccessPlan plan_of(const std::vector<Extent>& extents, Operation operation) {
  return operation == Operation::write ? AccessPlan::for_writing(extents) : AccessPlan::for_reading(extents);
}

/// Local. The plans of all ranks in closed form. `access` outlives it.
[[nodiscard]] inline PlanOfRank closed_form(const Access& access, Operation operation) {
  return [&access, operation](int rank) {
    return plan_of(access.ranks[static_cast<std::size_t>(rank)].file_side(), operation);
  };
}

}  // namespace sill::test
