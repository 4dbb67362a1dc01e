#include "sill/store/folder_sync.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sill/base/error.hpp"

namespace sill {

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(errno, "opening the folder of the output", {.file = folder});
  const int result = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  if (result != 0) throw system_error(reason, "fsync of the folder of the output", {.file = folder});
}

}  // namespace sill
