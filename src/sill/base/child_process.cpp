#include "sill/base/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "sill/base/error.hpp"

namespace sill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_end{5};
constexpr std::chrono::milliseconds tick{20};

// A file in memory, for what a child prints.
class Output {
 public:
  Output() : descriptor_(::memfd_create("output", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw system_error(errno, "memfd_create", {});
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { ::close(descriptor_); }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(descriptor_, 0, SEEK_END))), '\0');
    const ssize_t got = ::pread(descriptor_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
  }

 private:
  int descriptor_;
};

pid_t start(std::vector<std::string>& arguments, const Output& printed, const Output& warned) {
  std::vector<char*> words;
  for (std::string& each : arguments) words.push_back(each.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, printed.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, warned.descriptor(), STDERR_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, words.front(), &actions, &how, words.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw system_error(failed, "starting a program", {.file = arguments.front()});
  return child;
}

}  // namespace

ChildEnd run_child(std::vector<std::string> arguments, std::chrono::duration<double> limit,
                   const std::function<bool()>& is_cancelled) {
  const Output printed;
  const Output warned;
  const pid_t child = start(arguments, printed, warned);
  ChildEnd end;
  auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  while (::waitpid(child, &end.status, WNOHANG) == 0) {
    std::this_thread::sleep_for(tick);
    if (end.in_time && (Clock::now() > until || is_cancelled())) {
      end.in_time = false;
      until = Clock::now() + time_to_end;
      ::kill(-child, SIGTERM);
    } else if (!end.in_time && Clock::now() > until) {
      ::kill(-child, SIGKILL);
      if (Clock::now() > until + time_to_end) break;  // the system cannot end it
    }
  }
  ::kill(-child, SIGKILL);  // the rest of the group
  end.printed = printed.text();
  end.warned = warned.text();
  return end;
}

}  // namespace sill
