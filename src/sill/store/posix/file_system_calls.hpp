// The calls of the system that ask a file system about itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sill {

/// What `striping.hpp` needs of the system; an interface, so that tests can stand in for file systems that are not
/// there. All calls are Local. Those that return an int return 0 or an errno.
class FileSystemCalls {
 public:
  FileSystemCalls() = default;
  FileSystemCalls(const FileSystemCalls&) = delete;
  FileSystemCalls& operator=(const FileSystemCalls&) = delete;
  virtual ~FileSystemCalls() = default;

  /// The magic number of the file system that holds `path` (statfs(2)); 0 if the system does not report.
  [[nodiscard]] virtual std::int64_t magic_of(const std::string& path) = 0;
  /// The size of requests that the file system prefers for `path` (st_blksize); 0 if the system does not report.
  [[nodiscard]] virtual std::int64_t block_bytes_of(const std::string& path) = 0;
  /// Makes an empty file, which must not exist, without opening it for writing. `mode`: as of open(2).
  [[nodiscard]] virtual int create(const std::string& path, unsigned mode) = 0;
  [[nodiscard]] virtual int set_attribute(const std::string& path, const char* name,
                                          std::span<const std::byte> value) = 0;
  [[nodiscard]] virtual int get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) = 0;
  /// ioctl(2) on a file or a folder opened for reading.
  [[nodiscard]] virtual int control(const std::string& path, unsigned long request, void* argument) = 0;
};

/// Local. The calls of this system.
[[nodiscard]] FileSystemCalls& system_calls();

}  // namespace sill
