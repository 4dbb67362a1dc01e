#include "cli/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launch.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"

namespace sill::cli {
namespace {

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

std::string version_text() {
  std::vector<std::string_view> names;
  const std::string hdf5 = hdf5::build_version();
  for (const Container each : containers) {
    if (!is_hdf5(each) || !hdf5.empty()) names.push_back(name_of(each));
  }
  return fmt::format("sill {} ({})\narray containers: {}\n{}", SILL_VERSION, mpi_library(), fmt::join(names, ", "),
                     hdf5.empty() ? "built without HDF5, so without the containers hdf5 and netcdf4, and ASDF"
                                  : "built for HDF5 " + hdf5 + ", which is loaded when it is used");
}

}  // namespace

Program::Program()
    : parser_(fmt::format("Sill: parallel I/O for seismic data ({}), with the same result on any number of ranks.",
                          mpi_library()),
              "sill") {
  parser_.set_version_flag("--version", version_text());
  parser_.require_subcommand(1);
  format_help(parser_);
  for (AddCommand* const add :
       {add_info,      add_scan,        add_sort,  add_compare,  add_advise,   add_arrays,  add_checkpoints,
        add_records,   add_doctor,      add_drain, add_report,   add_check,    add_convert, add_edit,
        add_cut,       add_match4d,     add_merge, add_repair,   add_split,    add_header,  add_kernel,
        add_solutions, add_make_survey, add_index, add_policies, add_flow,     add_recipes, add_text,
        add_tune,      add_view,        add_map,   add_plot,     add_spectrum, add_words})
    add(parser_, commands_);
  add_help(parser_, help_);
}

const CLI::App& Program::chosen() const {
  const CLI::App* chosen = &parser_;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

void Program::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed;
  // CLI11 splits an argument in brackets at its commas. A file with such a name is passed with the prefix "./".
  for (std::size_t i = arguments.size(); i-- > 1;) {
    const bool in_brackets = arguments[i].starts_with('[') && arguments[i].ends_with(']');
    reversed.push_back(in_brackets ? "./" + arguments[i] : arguments[i]);
  }
  parser_.parse(std::move(reversed));
}

Error Program::usage_error(const CLI::ParseError& failure) const {
  std::string of;
  for (const CLI::App* each = &chosen(); each != &parser_; each = each->get_parent()) {
    of = each->get_name() + " " + of;
  }
  std::string problem = failure.what();
  std::string action;
  const std::vector<std::string> unknown = parser_.remaining(true);
  if (!unknown.empty()) action = did_you_mean(names_near(unknown.front(), chosen()));
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr;
  if (is_missing && !unknown.empty() && unknown.front().starts_with("-") && unknown.front() != "--") {
    problem = fmt::format("unknown option `{}`", unknown.front());
  } else if (is_missing && !commands_of(chosen()).empty()) {
    if (unknown.empty())
      problem = fmt::format("a command is missing after `{}`", of.empty() ? "sill" : trimmed(of));
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

int run_command(Communicator& comm, const Command& command, std::vector<std::string> arguments, const Console& console,
                const std::function<void(int)>& abort) {
  std::optional<Session> session;
  int exit_code = 0;
  try {
    require_same_on_all(
        comm,
        [&] {
          std::string text;
          for (const std::string& argument : std::span(arguments).subspan(1)) text += argument + '\0';
          return text;
        },
        "the ranks were started with different commands", "start all ranks with the same command line");
    session.emplace(comm, command.common, command.output, std::move(arguments), console);
    if (command.check) run_and_agree(comm, command.check);
    if (command.inputs != nullptr) *command.inputs = session->inputs(*command.inputs);
    exit_code = command.run(*session);
  } catch (...) {
    const Error error = session ? session->shown(current_error()) : current_error();
    exit_code = static_cast<int>(error.code());
    // An error that the other ranks do not know must not leave them waiting.
    const bool known_to_all = error.agreed() || comm.size() == 1;
    if (session && comm.rank() == 0) {
      session->print_last_error(error);
    } else if (!console.throws_errors && (comm.rank() == 0 || !known_to_all)) {
      print_error(error);
    }
    if (!known_to_all) abort(exit_code);
    if (console.throws_errors) throw Error(error);
    return exit_code;
  }
  if (console.throws_errors && session->printed_error() && exit_code >= static_cast<int>(ErrorCode::usage))
    throw Error(*session->printed_error());
  return exit_code;
}

void print_error(const Error& error) { warn_text(fmt::format("sill: error: {}\n", without_control(error.what()))); }

}  // namespace sill::cli
