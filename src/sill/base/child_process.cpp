#include "sill/base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "sill/base/error.hpp"

namespace sill {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_end{5};
constexpr int tick_ms = 50;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw system_error(errno, "pipe", {});
    (void)::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_in();
    ::close(ends_[0]);
  }
  [[nodiscard]] int out() const { return ends_[0]; }
  [[nodiscard]] int in() const { return ends_[1]; }
  void close_in() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  void read_all(std::string& text) const {
    std::array<char, 65536> buffer{};
    for (ssize_t got = 1; got > 0;) {
      got = ::read(ends_[0], buffer.data(), buffer.size());
      if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

pid_t start(std::vector<std::string>& arguments, const Pipe& printed, const Pipe& warned) {
  std::vector<char*> words;
  for (std::string& each : arguments) words.push_back(each.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, printed.in(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, warned.in(), STDERR_FILENO);
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
  Pipe printed;
  Pipe warned;
  const pid_t child = start(arguments, printed, warned);
  printed.close_in();
  warned.close_in();
  ChildEnd end;
  const auto begin = Clock::now();
  Clock::time_point kill_at{};
  while (::waitpid(child, &end.status, WNOHANG) == 0) {
    std::array<pollfd, 2> ready{pollfd{printed.out(), POLLIN, 0}, pollfd{warned.out(), POLLIN, 0}};
    (void)::poll(ready.data(), ready.size(), tick_ms);
    // A pipe that the child closed is always ready.
    if (((ready[0].revents | ready[1].revents) & POLLHUP) != 0) (void)::poll(nullptr, 0, tick_ms);
    printed.read_all(end.printed);
    warned.read_all(end.warned);
    if (end.in_time && (Clock::now() - begin > limit || is_cancelled())) {
      end.in_time = false;
      kill_at = Clock::now() + time_to_end;
      ::kill(-child, SIGTERM);
    } else if (!end.in_time && Clock::now() > kill_at) {
      ::kill(-child, SIGKILL);
    }
  }
  ::kill(-child, SIGKILL);
  printed.read_all(end.printed);
  warned.read_all(end.warned);
  return end;
}

}  // namespace sill
