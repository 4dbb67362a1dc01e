// Locks of a folder of output, or of a dataset: one run at a time writes it, and no run begins while it is read.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/posix/file_lock.hpp"

namespace sill {

/// The kind of output to lock. Outputs of different kinds do not exclude each other.
enum class OutputOf { solutions, stations, dataset };

/// Locks a folder, or a dataset identified by its file, against other runs, as long as any of the ranks lives. It locks
/// the file ".sill-solutions.lock" or ".sill-stations.lock" in the folder, or ".NAME.sill-lock" next to the dataset
/// NAME. The last process to release the lock removes that file. A file left by a killed run is not locked, and the
/// next run uses it.
class OutputLock {
 public:
  /// Collective. Locks for writing. `path` is an existing folder, or a dataset in an existing folder. Errors: io if
  /// another run, in this or any other process, has the lock, if the folder is being read, or if the file cannot be
  /// created.
  OutputLock(Communicator& comm, const std::string& path, OutputOf what);
  /// Local. Locks a folder for reading; one rank is enough. No run can begin in the folder while the lock exists; a run
  /// that has begun continues, and other readers are allowed. Nothing is locked if the file cannot be created, as on
  /// read-only media, or if a run is just beginning. Therefore a reader must check the index before and after reading.
  OutputLock(const std::string& folder, OutputOf what) noexcept;
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  ~OutputLock() { release(); }

  /// Local. Releases the lock. A second call does nothing.
  void release() noexcept;

 private:
  void take_alone(const std::string& path, OutputOf what);

  std::string path_;
  std::optional<FileLock> lock_;
};

}  // namespace sill
