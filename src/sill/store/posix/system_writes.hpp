// What the system counted of a process's own writes.
#pragma once

#include <cstdint>
#include <optional>

namespace sill {

/// Calls of write(2), pwrite(2), writev(2) and pwritev(2) since the process began, to files and anything else.
struct SystemWrites {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

/// Local. Of this process, all threads together (/proc/self/io: syscw and wchar of proc(5)); nothing where the system
/// does not count them.
[[nodiscard]] std::optional<SystemWrites> system_writes();

}  // namespace sill
