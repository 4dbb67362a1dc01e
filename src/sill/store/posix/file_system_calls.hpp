// System calls that query or configure a file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sill {

/// The system calls that `striping.hpp` needs. An interface, so that tests can simulate file systems that are not
/// present. All calls are Local. Functions that return an int return 0 or an errno.
class FileSystemCalls {
 public:
  FileSystemCalls() = default;
  FileSystemCalls(const FileSystemCalls&) = delete;
  FileSystemCalls& operator=(const FileSystemCalls&) = delete;
  virtual ~FileSystemCalls() = default;

  /// Returns the magic number of the file system that holds `path` (statfs(2)); 0 if the system does not report it.
  [[nodiscard]] virtual std::int64_t magic_of(const std::string& path) = 0;
  /// Returns the request size that the file system prefers for `path` (st_blksize); 0 if the system does not report it.
  [[nodiscard]] virtual std::int64_t block_bytes_of(const std::string& path) = 0;
  /// Creates an empty file, which must not exist, without opening it for writing. `mode`: as for open(2).
  [[nodiscard]] virtual int create(const std::string& path, unsigned mode) = 0;
  [[nodiscard]] virtual int set_attribute(const std::string& path, const char* name,
                                          std::span<const std::byte> value) = 0;
  [[nodiscard]] virtual int get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value) = 0;
  /// Calls ioctl(2) on a file or a folder opened for reading.
  [[nodiscard]] virtual int control(const std::string& path, unsigned long request, void* argument) = 0;
};

/// Local. Returns the calls of this system.
[[nodiscard]] FileSystemCalls& system_calls();

}  // namespace sill
