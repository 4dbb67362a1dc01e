// The files of an edit in place, held open: no other edit may change them, and they are identified by their inodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/store/posix/file_lock.hpp"

namespace sill {

/// Files that no other edit may change meanwhile, from its construction on, while any of the ranks lives.
class EditLocks {
 public:
  /// Collective. `resources` outlive it. Errors: io if a file cannot be written, or if another edit has it; usage if a
  /// file is named twice; input as `require_same_files`.
  EditLocks(const Resources& resources, const std::vector<std::string>& paths);

  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  /// Local. The number of file `file` in its file system.
  [[nodiscard]] std::int64_t inode(std::size_t file) const { return locks_[file]->inode(); }

  /// Local. Errors: input if the path of file `file` does not name the file that is locked; io.
  void require_same_file(std::size_t file) const;
  /// Collective. The same for all files, and that all ranks have the same ones.
  void require_same_files() const;
  /// Collective. Errors: usage if a file has other names (hard links). The journal lies beside one of them: through the
  /// others a half edited file would be read without a warning.
  void require_one_name_each() const;

 private:
  const Resources& resources_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<FileLock>> locks_;
};

}  // namespace sill
