#include "sill/store/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "sill/base/error.hpp"

namespace sill {

FileLock::FileLock(const std::string& path) {
  // For writing: over NFS a lock held alone needs that. O_NONBLOCK: opening a pipe must not wait.
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw system_error(errno, "opening for writing", {.file = path});
}

FileLock::~FileLock() { ::close(descriptor_); }

bool FileLock::lock(int operation) {
  if (::flock(descriptor_, operation | LOCK_NB) == 0) return true;
  return errno != EWOULDBLOCK;
}

bool FileLock::try_alone() { return lock(LOCK_EX); }
bool FileLock::try_shared() { return lock(LOCK_SH); }

}  // namespace sill
