#include "sill/io/simulation/folder_lock.hpp"

#include <unistd.h>

#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
namespace {

std::string lock_path(const std::string& folder, FolderOf what) {
  return folder + (what == FolderOf::solutions ? "/.sill-solutions.lock" : "/.sill-stations.lock");
}

[[noreturn]] void refuse_folder(const std::string& folder, FolderOf what) {
  throw Error({.code = ErrorCode::io,
               .problem = what == FolderOf::solutions
                              ? "another run is writing solutions into this folder at the moment, or they are being "
                                "joined"
                              : "another run is writing stations into this folder at the moment",
               .where = {.file = folder},
               .action = "wait until it has ended, or give each run a folder of its own; nothing was changed"});
}

}  // namespace

// Rank 0 asks for it alone, which it gets only if no rank of another run holds a part; then all take one.
FolderLock::FolderLock(Communicator& comm, const std::string& folder, FolderOf what) {
  run_and_agree(comm, [&] { path_ = lock_path(folder, what); });
  run_on_rank(comm, 0, [&] { take_alone(folder, what); });
  const auto share = [&] {
    if (!lock_->try_shared()) refuse_folder(folder, what);
  };
  run_on_rank(comm, 0, share);
  run_and_agree(comm, [&] {
    if (comm.rank() == 0) return;
    lock_.emplace(path_, OpenMode::write_or_create);
    share();
  });
  // A rank that works in another folder, or sees another one mounted there, made a lock of its own.
  std::int64_t inode = lock_->inode();
  comm.broadcast(std::as_writable_bytes(std::span(&inode, 1)), 0);
  const std::optional<Error> differs = attempt([&] {
    if (lock_->inode() == inode) return;
    throw Error({.code = ErrorCode::io,
                 .problem = "the ranks see different folders under this path",
                 .where = {.file = folder},
                 .action = "start all ranks in one folder, or name it by its absolute path; it must be mounted on all "
                           "nodes alike"});
  });
  try {
    agree(comm, differs);
  } catch (...) {
    release();
    throw;
  }
}

FolderLock::FolderLock(const std::string& folder, FolderOf what) noexcept {
  (void)attempt([&] {
    path_ = lock_path(folder, what);
    do {
      lock_.emplace(path_, OpenMode::write_or_create);
    } while (lock_->try_shared() && !lock_->is_at(path_));  // who had it removed it after it was opened here
  });
}

void FolderLock::take_alone(const std::string& folder, FolderOf what) {
  do {
    lock_.emplace(path_, OpenMode::write_or_create);
    if (!lock_->try_alone()) refuse_folder(folder, what);
  } while (!lock_->is_at(path_));  // who had it removed it after it was opened here
}

// The last rank gets the lock alone. Where the file system knows no locks every rank does, and holds nobody up. On
// Linux asking for it alone gives up a share; CephFS keeps that, so that it must be given up before.
void FolderLock::release() noexcept {
  if (!lock_) return;
  (void)attempt([&] {
    lock_->release();
    if (lock_->try_alone() && lock_->is_at(path_)) (void)::unlink(path_.c_str());
  });
  lock_.reset();
}

}  // namespace sill
