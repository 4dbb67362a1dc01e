#include "sill/io/edit/edit_locks.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse_replaced(const std::string& path) {
  throw Error(
      {.code = ErrorCode::input,
       .problem =
           "another file took the name of this file before the edit, or the ranks see different files under this path",
       .where = {.file = path},
       .action = "nothing was written into the new file; run the edit when no other program replaces the file"});
}

}  // namespace

EditLocks::EditLocks(const Resources& resources, const std::vector<std::string>& paths)
    : resources_(resources), paths_(paths) {
  Communicator& comm = resources.comm;
  const auto refuse = [](const std::string& path) {
    throw Error({.code = ErrorCode::io,
                 .problem = "another edit of this file is running",
                 .where = {.file = path},
                 .action = "wait until it has ended; nothing was changed"});
  };
  // Rank 0 requests exclusive locks, which it gets only if no process has a shared one; then all ranks take shared
  // locks. So the files stay locked while any rank lives.
  run_on_rank(comm, 0, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::error_code unknown;
      for (std::size_t before = 0; before < i; ++before)
        if (std::filesystem::equivalent(paths[before], paths[i], unknown))
          throw Error({.code = ErrorCode::usage,
                       .problem = "a file to edit is named twice",
                       .where = {.file = paths[i]},
                       .action = "name it once"});
      locks_.push_back(std::make_unique<FileLock>(paths[i]));
      if (!locks_.back()->try_alone()) refuse(paths[i]);
    }
  });
  run_and_agree(comm, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (comm.rank() != 0) {
        locks_.push_back(std::make_unique<FileLock>(paths[i]));
        continue;
      }
      if (!locks_[i]->try_shared()) refuse(paths[i]);
    }
  });
  run_and_agree(comm, [&] {
    for (std::size_t i = 0; i < paths.size() && comm.rank() != 0; ++i)
      if (!locks_[i]->try_shared()) refuse(paths[i]);
  });
  require_same_files();
}

void EditLocks::require_same_file(std::size_t file) const {
  if (!locks_[file]->is_at(paths_[file])) refuse_replaced(paths_[file]);
}

void EditLocks::require_same_files() const {
  std::vector<std::int64_t> inodes;
  run_and_agree(resources_.comm, [&] {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      require_same_file(i);
      inodes.push_back(inode(i));
    }
  });
  broadcast_all(resources_.comm, inodes, 0);
  run_and_agree(resources_.comm, [&] {
    for (std::size_t i = 0; i < paths_.size(); ++i)
      if (inode(i) != inodes[i]) refuse_replaced(paths_[i]);
  });
}

void EditLocks::require_one_name_each() const {
  run_on_rank(resources_.comm, 0, [&] {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const std::int64_t names = locks_[i]->names();
      if (names <= 1) continue;
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("the file has {} names (hard links): the edit would change the file under all names, "
                                  "and readers under another name would not detect an interrupted edit",
                                  names),
           .where = {.file = paths_[i]},
           .action = "write a new file with -o, or edit a copy"});
    }
  });
}

}  // namespace sill
