// A folder of output that one run at a time writes into, and none while it is read.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/posix/file_lock.hpp"

namespace sill {

/// What a folder is held for. Output of different kinds does not hinder each other.
enum class FolderOf { solutions, stations };

/// Holds a folder against other runs, as long as any of the ranks lives, by a lock on the file ".sill-solutions.lock"
/// or ".sill-stations.lock" in it. Who is the last to let go removes that file; one that a killed run left is not
/// locked, and the next run takes it.
class FolderLock {
 public:
  /// Collective. For writing. `folder` is there. Errors: io if another run has it, in this process or any other, or if
  /// somebody reads it, or if the file cannot be made.
  FolderLock(Communicator& comm, const std::string& folder, FolderOf what);
  /// Local. For reading, of which one rank is enough: no run begins in the folder while it lasts; one that has begun
  /// goes on, and others may read. Nothing is held where the file cannot be made, as on media that are only read, or
  /// where a run is just beginning: so who reads looks at the index before and after.
  FolderLock(const std::string& folder, FolderOf what) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { release(); }

  /// Local. Lets go of the folder. A second call does nothing.
  void release() noexcept;

 private:
  void take_alone(const std::string& folder, FolderOf what);

  std::string path_;
  std::optional<FileLock> lock_;
};

}  // namespace sill
