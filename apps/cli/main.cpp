// The program `sill`.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/help.hpp"
#include "cli/program.hpp"
#include "cli/signals.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/launch.hpp"

namespace {

using namespace sill;
using namespace sill::cli;

// Raises the limit of open files, because many inputs are open at once, and shells often set a low limit (usually
// 1,024) although the system allows more. The limit is not raised beyond what is needed, because some libraries process
// all descriptor numbers up to the limit.
void allow_many_open_files() {
  constexpr rlim_t enough = 65'536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= std::min(limit.rlim_max, enough)) return;
  limit.rlim_cur = std::min(limit.rlim_max, enough);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // if this fails, the limit remains unchanged
}

// Returns true on the first rank. Before MPI is initialized, the launcher's variables state the rank.
bool is_first_of_launch() {
  const std::optional<Announcement> announced = launcher_announcement();
  return !announced || announced->rank == 0;
}

int run(const Command& command, std::vector<std::string> arguments) {
  std::optional<Launch> launch;
  try {
    launch.emplace();
  } catch (const Error& error) {
    print_error(error);  // on every process, because the processes do not know each other
    return static_cast<int>(error.code());
  }
  if (launch->comm().size() > 1) expect_other_ranks(launch->comm().rank() == 0);
  std::error_code unknown;
  const Console console{.program = std::filesystem::read_symlink("/proc/self/exe", unknown)};
  return run_command(launch->comm(), command, std::move(arguments), console,
                     [&](int exit_code) { launch->abort(exit_code); });
}

int print_help(const CLI::App& program, const HelpRequest& request) {
  if (!is_first_of_launch()) return 0;
  try {
    if (request.manual.empty())
      std::fputs(help_text(program, request.topic).c_str(), stdout);
    else
      write_manual(program, request.manual);
    return 0;
  } catch (const Error& error) {
    print_error(error);
    return static_cast<int>(error.code());
  }
}

}  // namespace

int main(int count, char** values) {
  install_signal_handlers();
  allow_many_open_files();
  Program program;
  const std::vector<std::string> arguments(values, values + count);
  try {
    program.parse(arguments);
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() == 0)
      return is_first_of_launch() ? program.parser().exit(failure) : 0;  // help, version
    if (is_first_of_launch() && arguments.size() == 1) {
      std::fputs(program.parser().help().c_str(), stdout);  // without arguments, shows the available commands
    } else if (is_first_of_launch()) {
      print_error(program.usage_error(failure));
    }
    return static_cast<int>(ErrorCode::usage);
  }
  if (program.chosen().get_name() == "help") return print_help(program.parser(), program.help());
  return run(program.command(), arguments);
}
