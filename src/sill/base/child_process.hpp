// Other programs, run as child processes.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace sill {

/// The end of a child process.
struct ChildEnd {
  bool in_time = true;  ///< false: it was ended after the time limit, or because of `is_cancelled`
  int status = 0;       ///< as waitpid(2) returns it, if `in_time`
  std::string printed;  ///< its standard output
  std::string warned;   ///< its standard error
};

/// Local. Runs a program, which is searched in PATH, with nothing as its standard input. The child leads a group of
/// processes. After `limit`, or as soon as `is_cancelled` returns true (called about 50 times per second), the group is
/// ended: by SIGTERM, so that a launcher can end its ranks, and 5 seconds later by SIGKILL. Processes of the group that
/// are left when the program has ended are ended as well. Errors: io if the program cannot be started.
[[nodiscard]] ChildEnd run_child(
    std::vector<std::string> arguments, std::chrono::duration<double> limit = std::chrono::hours(24 * 365),
    const std::function<bool()>& is_cancelled = [] { return false; });

}  // namespace sill
