// A folder that one run at a time writes into.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/file_lock.hpp"

namespace sill {

/// Holds a folder against other runs, as long as any of the ranks lives, by a lock on the file ".sill-solutions.lock"
/// in it. Who is the last to let go removes that file; one that a killed run left is not locked, and the next run takes
/// it.
class FolderLock {
 public:
  /// Collective. `folder` is there. Errors: io if another run has it, in this process or any other, or if the file
  /// cannot be made.
  FolderLock(Communicator& comm, const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { release(); }

  /// Local. Lets go of the folder. A second call does nothing.
  void release() noexcept;

 private:
  void take_alone(const std::string& folder);

  std::string path_;
  std::optional<FileLock> lock_;
};

}  // namespace sill
