// The program `sill`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/launch.hpp"

namespace {

using namespace sill;
using namespace sill::cli;

// Before MPI is initialized, the launcher's variables tell which rank speaks.
bool is_first_of_launch() {
  const std::optional<Announcement> announced = launcher_announcement();
  return !announced || announced->rank == 0;
}

void tell(const Error& error) { fmt::print(stderr, "sill: error: {}\n", error.what()); }

int run(Command& command, std::vector<std::string> arguments) {
  std::optional<Launch> launch;
  try {
    launch.emplace();
  } catch (const Error& error) {
    if (is_first_of_launch()) tell(error);
    return static_cast<int>(error.code());
  }
  Communicator& comm = launch->comm();
  if (comm.size() > 1) expect_other_ranks();
  try {
    Session session(comm, command.common, std::move(arguments));
    return command.run(session);
  } catch (...) {
    const Error error = current_error();
    const int exit_code = static_cast<int>(error.code());
    // An error that the other ranks do not know of must not leave them waiting.
    const bool known_to_all = error.agreed() || comm.size() == 1;
    if (comm.rank() == 0 || !known_to_all) tell(error);
    if (!known_to_all) launch->abort(exit_code);
    return exit_code;
  }
}

}  // namespace

int main(int count, char** values) {
  install_signal_handlers();
  CLI::App program("Sill: parallel I/O for seismic data. Runs alone or under mpiexec, with the same result.", "sill");
  program.set_version_flag("--version", fmt::format("sill {} ({})", SILL_VERSION, mpi_library()));
  program.require_subcommand(1);
  program.footer("`sill COMMAND --help` tells about a command and gives examples.");
  Commands commands;
  add_info(program, commands);
  add_scan(program, commands);
  add_sort(program, commands);
  add_compare(program, commands);
  add_make_survey(program, commands);
  try {
    program.parse(count, values);
  } catch (const CLI::ParseError& failure) {
    if (!is_first_of_launch()) return failure.get_exit_code() == 0 ? 0 : static_cast<int>(ErrorCode::usage);
    return program.exit(failure) == 0 ? 0 : static_cast<int>(ErrorCode::usage);
  }
  std::vector<std::string> arguments;
  for (const char* value : std::span(values, static_cast<std::size_t>(count))) arguments.emplace_back(value);
  return run(*commands.at(program.get_subcommands().front()), std::move(arguments));
}
