#include "sill/store/posix/stale_pages.hpp"

#include <fcntl.h>
#include <sys/vfs.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace sill {
namespace {

constexpr std::int64_t fuse_magic = 0x65735546;  // FUSE_SUPER_MAGIC

// Asked once a file system: on such a one the question may go to a server.
bool is_in_user_space(int descriptor, dev_t device) {
  static std::mutex mutex;
  static std::map<dev_t, bool> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace(device, false);
  struct statfs status {};
  if (is_new && ::fstatfs(descriptor, &status) == 0) place->second = std::int64_t{status.f_type} == fuse_magic;
  return place->second;
}

}  // namespace

void forget_stale_pages(int descriptor, dev_t device) {
  if (is_in_user_space(descriptor, device)) (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace sill
