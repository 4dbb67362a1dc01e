// A file lock that ends at the latest when the last process that holds it ends.
#pragma once

#include <cstdint>
#include <string>

#include "sill/store/store.hpp"

namespace sill {

/// An advisory lock (flock) on an open file. Requests return immediately. If the file system does not
/// support locks, all requests are granted.
class FileLock {
 public:
  /// Local. Opens the file without locking it. With OpenMode::write_or_create a missing file is created. Errors: io if
  /// the file cannot be opened for reading and writing. Precondition: `mode` is `write` or `write_or_create`.
  explicit FileLock(const std::string& path, OpenMode mode = OpenMode::write);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Local. Locks the file exclusively; returns true if this object now holds the lock. Errors: io, as for
  /// `try_shared`, if the request fails for a reason other than a lock of another process (for example, the system has
  /// no locks left).
  [[nodiscard]] bool try_alone();
  /// Local. Locks the file for this object and others that share the lock; returns true if it is now locked. Converting
  /// an exclusive lock is not atomic: if another process locks the file in between, returns false.
  [[nodiscard]] bool try_shared();
  /// Local. Releases the lock. Never fails: closing the file releases it in any case.
  void release();

  /// Local. Returns true if `path` names the opened file, false if another file has taken the name since. Errors: io.
  [[nodiscard]] bool is_at(const std::string& path) const;
  /// Local. Return the inode number of the file in its file system, and its number of names. Errors: io.
  [[nodiscard]] std::int64_t inode() const;
  [[nodiscard]] std::int64_t names() const;

 private:
  [[nodiscard]] bool lock(int operation);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace sill
