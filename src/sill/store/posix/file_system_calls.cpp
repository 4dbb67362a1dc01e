#include "sill/store/posix/file_system_calls.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

namespace sill {
namespace {

class SystemCalls final : public FileSystemCalls {
 public:
  [[nodiscard]] std::int64_t magic_of(const std::string& path) override {
    struct statfs status {};
    // The type of the field differs between systems; its sign has no meaning.
    return ::statfs(path.c_str(), &status) == 0 ? static_cast<std::uint32_t>(status.f_type) : 0;
  }

  [[nodiscard]] std::int64_t block_bytes_of(const std::string& path) override {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_blksize : 0;
  }

  [[nodiscard]] int create(const std::string& path, unsigned mode) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0) return errno;
    return ::close(descriptor) == 0 ? 0 : errno;
  }

  [[nodiscard]] int set_attribute(const std::string& path, const char* name,
                                  std::span<const std::byte> value) override {
    return ::setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0 ? 0 : errno;
  }

  [[nodiscard]] int get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) override {
    value.resize(64 * 1024);  // XATTR_SIZE_MAX of Linux
    const ssize_t length = ::getxattr(path.c_str(), name, value.data(), value.size());
    value.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return length >= 0 ? 0 : errno;
  }

  [[nodiscard]] int control(const std::string& path, unsigned long request, void* argument) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int reason = ::ioctl(descriptor, request, argument) == 0 ? 0 : errno;
    ::close(descriptor);
    return reason;
  }
};

}  // namespace

FileSystemCalls& system_calls() {
  static SystemCalls calls;
  return calls;
}

}  // namespace sill
