#include "sill/store/posix/stale_pages.hpp"

#include <fcntl.h>
#include <sys/vfs.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace sill {
namespace {

constexpr std::uint32_t fuse_magic = 0x65735546;  // FUSE_SUPER_MAGIC of statfs(2)

// Queries each file system once, because on a file system in user space the query may go to a server.
bool is_in_user_space(int descriptor, dev_t device) {
  static std::mutex mutex;
  static std::map<dev_t, bool> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(device); found != known.end()) return found->second;
  }
  struct statfs status {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const bool is_fuse = static_cast<std::uint32_t>(status.f_type) == fuse_magic;
  const std::lock_guard lock(mutex);
  return known[device] = is_fuse;
}

}  // namespace

void drop_stale_pages(int descriptor, dev_t device) {
  if (is_in_user_space(descriptor, device)) (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace sill
