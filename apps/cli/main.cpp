// The program `sill`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "cli/text_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/container.hpp"

namespace {

using namespace sill;
using namespace sill::cli;

// CLI11 splits an argument in brackets at its commas. A file with such a name is passed with the prefix "./".
std::vector<std::string> arguments_of(int count, char** values) {
  std::vector<std::string> arguments;
  for (const std::string value : std::span(values, static_cast<std::size_t>(count))) {
    const bool in_brackets = value.starts_with('[') && value.ends_with(']');
    arguments.push_back(in_brackets ? "./" + value : value);
  }
  return arguments;
}

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

void print_error(const Error& error) { warn_text(fmt::format("sill: error: {}\n", without_control(error.what()))); }

// Returns the chosen command; for `kernel`, the chosen kernel.
const CLI::App& chosen_of(const CLI::App& program) {
  const CLI::App* chosen = &program;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

// Returns names similar to the first argument that `chosen` does not accept: commands or options of it.
std::vector<std::string> names_near(const std::string& argument, const CLI::App& chosen) {
  std::vector<std::string> names;
  if (argument.starts_with("-")) {
    for (const CLI::Option* option : chosen.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else {
    for (const CLI::App* command : commands_of(chosen)) names.push_back(command->get_name());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest_names(std::string_view(argument).substr(0, argument.find('=')), known);
}

// Converts an error of the parser to the form of all errors.
Error usage_error(const CLI::App& program, const CLI::ParseError& failure) {
  std::string of;
  for (const CLI::App* each = &chosen_of(program); each != &program; each = each->get_parent()) {
    of = each->get_name() + " " + of;
  }
  std::string problem = failure.what();
  std::string action;
  const CLI::App& chosen = chosen_of(program);
  const std::vector<std::string> unknown = program.remaining(true);
  if (!unknown.empty()) action = did_you_mean(names_near(unknown.front(), chosen));
  if (dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr && !commands_of(chosen).empty()) {
    if (unknown.empty())
      problem = fmt::format("a command is missing after `{}`", of.empty() ? "sill" : trimmed(of));
    else if (unknown.front().starts_with("-"))
      problem = fmt::format("unknown option `{}`", unknown.front());
    else
      problem = fmt::format("unknown command `{}{}`", of, unknown.front());
    std::error_code cannot_tell;
    if (!unknown.empty() && std::filesystem::exists(unknown.front(), cannot_tell))
      action = "this is the name of a file: name a command first, as in `sill info FILE`; ";
  }
  return Error({.code = ErrorCode::usage,
                .problem = echoed(problem, 2000),  // the message may list the permitted values
                .action = action + fmt::format("`sill {}--help` lists commands and options", of)});
}

// Runs the command in a session. Returns the exit code.
int run_on(Launch& launch, const Command& command, std::vector<std::string> arguments) {
  Communicator& comm = launch.comm();
  std::optional<Session> session;
  try {
    require_same_on_all(
        comm,
        [&] {
          std::string text;
          for (const std::string& argument : std::span(arguments).subspan(1)) text += argument + '\0';
          return text;
        },
        "the ranks were started with different commands", "start all ranks with the same command line");
    session.emplace(comm, command.common, command.output, std::move(arguments));
    if (command.check) run_and_agree(comm, command.check);
    if (command.inputs != nullptr) *command.inputs = session->inputs(*command.inputs);
    return command.run(*session);
  } catch (...) {
    const Error error = session ? session->shown(current_error()) : current_error();
    const int exit_code = static_cast<int>(error.code());
    // An error that the other ranks do not know must not leave them waiting.
    const bool known_to_all = error.agreed() || comm.size() == 1;
    if (session && comm.rank() == 0) {
      session->print_error(error);
    } else if (comm.rank() == 0 || !known_to_all) {
      print_error(error);
    }
    if (!known_to_all) launch.abort(exit_code);
    return exit_code;
  }
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
  return run_on(*launch, command, std::move(arguments));
}

std::string version_text() {
  std::vector<std::string_view> names;
  for (const Container each : containers) names.push_back(name_of(each));
  return fmt::format("sill {} ({})\narray containers: {}", SILL_VERSION, mpi_library(), fmt::join(names, ", "));
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
  CLI::App program("Sill: parallel I/O for seismic data. Runs alone or under mpiexec, with the same result.", "sill");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  format_help(program);
  Commands commands;
  HelpRequest help;
  add_info(program, commands);
  add_scan(program, commands);
  add_sort(program, commands);
  add_compare(program, commands);
  add_advise(program, commands);
  add_arrays(program, commands);
  add_checkpoints(program, commands);
  add_records(program, commands);
  add_drain(program, commands);
  add_report(program, commands);
  add_check(program, commands);
  add_convert(program, commands);
  add_edit(program, commands);
  add_cut(program, commands);
  add_match4d(program, commands);
  add_merge(program, commands);
  add_repair(program, commands);
  add_split(program, commands);
  add_header(program, commands);
  add_kernel(program, commands);
  add_solutions(program, commands);
  add_make_survey(program, commands);
  add_index(program, commands);
  add_policies(program, commands);
  add_flow(program, commands);
  add_recipes(program, commands);
  add_text(program, commands);
  add_tune(program, commands);
  add_view(program, commands);
  add_map(program, commands);
  add_plot(program, commands);
  add_spectrum(program, commands);
  add_words(program, commands);
  add_help(program, help);
  const std::vector<std::string> arguments = arguments_of(count, values);
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));  // in reverse order
  } catch (const CLI::ParseError& failure) {
    if (failure.get_exit_code() == 0) return is_first_of_launch() ? program.exit(failure) : 0;  // help, version
    if (is_first_of_launch() && arguments.size() == 1) {
      std::fputs(program.help().c_str(), stdout);  // without arguments, shows the available commands
    } else if (is_first_of_launch()) {
      print_error(usage_error(program, failure));
    }
    return static_cast<int>(ErrorCode::usage);
  }
  if (chosen_of(program).get_name() == "help") return print_help(program, help);
  return run(*commands.at(&chosen_of(program)), arguments);
}
