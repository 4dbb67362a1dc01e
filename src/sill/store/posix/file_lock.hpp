// A lock on a file that lasts as long as one of the processes that hold it.
#pragma once

#include <cstdint>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// An advisory lock (flock) on an open file. Whoever asks for it learns at once; nobody waits. Where the file system
/// knows no locks, all are granted.
class FileLock {
 public:
  /// Local. Opens the file, which must exist or, with OpenMode::write_or_create, is made; nothing is locked. Errors: io
  /// if it cannot be opened for reading and writing. Precondition: one of these two modes.
  explicit FileLock(const std::string& path, OpenMode mode = OpenMode::write);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Local. Whether the file is now locked for this object alone. Errors: io, as for `try_shared`, if the system fails
  /// to say (no locks left).
  [[nodiscard]] bool try_alone();
  /// Local. Whether the file is now locked for this object and others that share it. A lock that was held alone may be
  /// lost to another for a moment: then this is false.
  [[nodiscard]] bool try_shared();
  /// Local. Gives up what is held. Never fails: closing the file gives it up in any case.
  void release();

  /// Local. Whether `path` names the file that was opened: not, if another has taken its name since. Errors: io.
  [[nodiscard]] bool is_at(const std::string& path) const;
  /// Local. The number of the file in its file system, and how many names it has there. Errors: io.
  [[nodiscard]] std::int64_t inode() const;
  [[nodiscard]] std::int64_t names() const;

 private:
  [[nodiscard]] bool lock(int operation);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace sill
