// The mounted file system that holds a path.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

/// A mounted file system, as this process sees it.
struct Mount {
  std::string point = "/";              ///< the folder where it is mounted
  std::string file_system = "unknown";  ///< its type as mount(8) calls it: ext4, lustre, nfs4
  std::uint64_t device = 0;             ///< `st_dev` of its files, while it is mounted
};

/// Local. Returns the mount that holds `path` or, if `path` does not exist, the nearest existing folder above it.
/// Values that the system does not report have the defaults of `Mount`.
[[nodiscard]] Mount mount_of(const std::string& path);

/// Local. Returns `st_dev` of `path`; 0 if it does not exist.
[[nodiscard]] std::uint64_t device_of(const std::string& path);

/// Local. Returns the mount that holds `absolute_path` according to the lines of `mount_info`, in the format of
/// /proc/self/mountinfo (proc(5)). Precondition: the path contains no links or dots.
[[nodiscard]] Mount mount_of(const std::string& absolute_path, const std::string& mount_info);

}  // namespace sill
