// A folder of output, or a dataset, that one run at a time writes, and a folder none while it is read.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/posix/file_lock.hpp"

namespace sill {

/// What is held. Output of different kinds does not hinder each other.
enum class OutputOf { solutions, stations, dataset };

/// Holds a folder, or a dataset named as its file, against other runs, as long as any of the ranks lives, by a lock on
/// the file ".sill-solutions.lock" or ".sill-stations.lock" in it, or on ".NAME.sill-lock" beside the dataset NAME. Who
/// is the last to let go removes that file; one that a killed run left is not locked, and the next run takes it.
class OutputLock {
 public:
  /// Collective. For writing. `path` is that of a folder that is there, or of a dataset in one. Errors: io if another
  /// run has it, in this process or any other, or if somebody reads it, or if the file cannot be made.
  OutputLock(Communicator& comm, const std::string& path, OutputOf what);
  /// Local. For reading, of which one rank is enough: no run begins in the folder while it lasts; one that has begun
  /// goes on, and others may read. Nothing is held where the file cannot be made, as on media that are only read, or
  /// where a run is just beginning: so who reads looks at the index before and after.
  OutputLock(const std::string& folder, OutputOf what) noexcept;
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  ~OutputLock() { release(); }

  /// Local. Lets go of it. A second call does nothing.
  void release() noexcept;

 private:
  void take_alone(const std::string& path, OutputOf what);

  std::string path_;
  std::optional<FileLock> lock_;
};

}  // namespace sill
