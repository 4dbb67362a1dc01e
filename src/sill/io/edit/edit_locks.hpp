// The files of an edit in place, which stay open: no other edit may change them, and their inodes identify them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/store/posix/file_lock.hpp"

namespace sill {

/// Files that no other edit may change, from the construction of this object until all ranks have ended.
class EditLocks {
 public:
  /// Collective. Locks the files. `resources` outlive it. Errors: io if a file cannot be written, or if another edit
  /// has locked it; usage if a file is named twice; input as `require_same_files`.
  EditLocks(const Resources& resources, const std::vector<std::string>& paths);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  /// Local. Returns the inode number of file `file`.
  [[nodiscard]] std::int64_t inode(std::size_t file) const { return locks_[file]->inode(); }

  /// Local. Checks that the path of file `file` still names the locked file. Errors: input if it does not; io.
  void require_same_file(std::size_t file) const;
  /// Collective. Checks the paths of all files, and that all ranks have the same files. Errors: as `require_same_file`.
  void require_same_files() const;
  /// Collective. Checks that no file has a second name (a hard link). The journal is next to one name; through another
  /// name a half-edited file would be read without a warning. Errors: usage if a file has one.
  void require_one_name_each() const;

 private:
  const Resources& resources_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<FileLock>> locks_;
};

}  // namespace sill
