// Running part of a test as a user whom file permissions bind: root may do everything.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace sill::test {

/// Local. Runs `holds` in a child process, as an unprivileged user if this one is root. Empty if it returned true, else
/// what happened.
[[nodiscard]] inline std::string as_unprivileged_user(const std::function<bool()>& holds) {
  const pid_t child = ::fork();
  if (child < 0) return "fork failed";
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(3);
    try {
      ::_exit(holds() ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return "the child was ended by a signal";
  switch (WEXITSTATUS(status)) {
    case 0: return {};
    case 1: return "does not hold";
    case 2: return "something unexpected was thrown";
    default: return "the user could not be changed";
  }
}

}  // namespace sill::test
