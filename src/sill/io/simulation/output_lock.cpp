#include "sill/io/simulation/output_lock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

std::string lock_path(const std::string& path, OutputOf what) {
  switch (what) {
    case OutputOf::solutions: return path + "/.sill-solutions.lock";
    case OutputOf::stations: return path + "/.sill-stations.lock";
    case OutputOf::dataset: break;
  }
  const std::size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + part_prefix_of(path.substr(name)) + "lock";
}

[[noreturn]] void refuse_held(const std::string& path, OutputOf what) {
  const char* const problem = what == OutputOf::dataset ? "another run is writing this dataset"
                              : what == OutputOf::stations
                                  ? "another run is writing stations into this folder"
                                  : "another run is writing or joining solutions in this folder";
  throw Error({.code = ErrorCode::io,
               .problem = problem,
               .where = {.file = path},
               .action = fmt::format("wait until it has ended, or use another {} for each run; nothing was changed",
                                     what == OutputOf::dataset ? "dataset" : "folder")});
}

}  // namespace

// Rank 0 requests an exclusive lock, which it gets only if no rank of another run has a shared one; then all ranks take
// shared locks.
OutputLock::OutputLock(Communicator& comm, const std::string& output, OutputOf what) {
  run_and_agree(comm, [&] { path_ = lock_path(output, what); });
  run_on_rank(comm, 0, [&] { take_alone(output, what); });
  const auto share = [&] {
    if (!lock_->try_shared()) refuse_held(output, what);
  };
  run_on_rank(comm, 0, share);
  run_and_agree(comm, [&] {
    if (comm.rank() == 0) return;
    lock_.emplace(path_, OpenMode::write_or_create);
    share();
  });
  // A rank that works in another folder, or on which another folder is mounted under the path, made a separate lock.
  std::int64_t inode = lock_->inode();
  comm.broadcast(std::as_writable_bytes(std::span(&inode, 1)), 0);
  const std::optional<Error> differs = attempt([&] {
    if (lock_->inode() == inode) return;
    throw Error(
        {.code = ErrorCode::io,
         .problem = "the ranks see different folders under this path",
         .where = {.file = output},
         .action =
             "start all ranks in one folder, or give the absolute path; the folder must be the same on all nodes"});
  });
  try {
    agree(comm, differs);
  } catch (...) {
    release();
    throw;
  }
}

OutputLock::OutputLock(const std::string& folder, OutputOf what) noexcept {
  (void)attempt([&] {
    path_ = lock_path(folder, what);
    do {
      lock_.emplace(path_, OpenMode::write_or_create);
    } while (lock_->try_shared() && !lock_->is_at(path_));  // its last owner removed it after it was opened here
  });
}

void OutputLock::take_alone(const std::string& output, OutputOf what) {
  do {
    lock_.emplace(path_, OpenMode::write_or_create);
    if (!lock_->try_alone()) refuse_held(output, what);
  } while (!lock_->is_at(path_));  // its last owner removed it after it was opened here
}

// The last rank gets the exclusive lock and removes the file. On a file system without locks every rank does, which
// blocks no other rank. On Linux, requesting the exclusive lock releases the shared one; CephFS retains it, so it must
// be released first.
void OutputLock::release() noexcept {
  if (!lock_) return;
  (void)attempt([&] {
    lock_->release();
    if (lock_->try_alone() && lock_->is_at(path_)) (void)::unlink(path_.c_str());
  });
  lock_.reset();
}

}  // namespace sill
