// Which mounted file system holds a path.
#pragma once

#include <cstdint>
#include <string>

namespace sill {

/// A mounted file system, as this process sees it.
struct Mount {
  std::string point = "/";              ///< the folder where it is mounted
  std::string file_system = "unknown";  ///< its type as mount(8) calls it: ext4, lustre, nfs4
  std::uint64_t device = 0;             ///< `st_dev` of what lies in it, while it is mounted
};

/// Local. The mount that holds `path`, or else the nearest folder above it that is there. What the system does not
/// report stays as above.
[[nodiscard]] Mount mount_of(const std::string& path);

/// Local. `st_dev` of `path`; 0 if it is not there.
[[nodiscard]] std::uint64_t device_of(const std::string& path);

/// Local. The same as the first among the lines of `mount_info`, which is in the form of /proc/self/mountinfo
/// (proc(5)), of a path without links and dots.
[[nodiscard]] Mount mount_of(const std::string& absolute_path, const std::string& mount_info);

}  // namespace sill
