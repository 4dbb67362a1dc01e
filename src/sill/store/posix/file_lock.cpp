#include "sill/store/posix/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sill/base/error.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {

namespace {

struct stat status_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw system_error(errno, "fstat", {});
  return status;
}

}  // namespace

FileLock::FileLock(const std::string& path, OpenMode mode) : path_(path) {
  if (is_url(path)) throw read_only_error(path);
  // Opened for writing: over NFS an exclusive lock requires that. O_NONBLOCK: opening a pipe must not wait.
  descriptor_ =
      ::open(path.c_str(),
             O_RDWR | O_CLOEXEC | O_NONBLOCK | (mode == OpenMode::write_or_create ? O_CREAT | O_NOFOLLOW : 0), 0666);
  if (descriptor_ < 0) throw system_error(errno, "opening for writing", {.file = path});
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
  ::close(descriptor_);
  throw Error({.code = ErrorCode::io, .problem = "not a regular file", .where = {.file = path}});
}

FileLock::~FileLock() { ::close(descriptor_); }

bool FileLock::lock(int operation) {
  if (::flock(descriptor_, operation | LOCK_NB) == 0) return true;
  // The errors of a file system without locks. Any other failure (no locks left, an error) must not be treated as a
  // lock.
  if (errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return true;
  if (errno == EWOULDBLOCK) return false;
  throw system_error(errno, "locking", {.file = path_});
}

bool FileLock::try_alone() { return lock(LOCK_EX); }
bool FileLock::try_shared() { return lock(LOCK_SH); }
void FileLock::release() { (void)::flock(descriptor_, LOCK_UN); }

bool FileLock::is_at(const std::string& path) const {
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw system_error(errno, "stat", {.file = path});
  }
  const struct stat own = status_of(descriptor_);
  return own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

std::int64_t FileLock::inode() const { return static_cast<std::int64_t>(status_of(descriptor_).st_ino); }
std::int64_t FileLock::names() const { return static_cast<std::int64_t>(status_of(descriptor_).st_nlink); }

}  // namespace sill
