// The elements of a command of the program. A command is one file: it parses, calls the library, prints.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sill::cli {

class Session;

/// The options of every command, as written by the user.
struct CommonOptions {
  std::string policy;  ///< empty: the policy in SILL_POLICY or SILL_OPTIONS, otherwise the default
  int threads = 0;
  std::string log;
  std::string report;               ///< empty: the value in SILL_OPTIONS, otherwise none
  std::vector<std::string> assume;  ///< `assume` and `strict` are only for commands that call `add_input_options`
  bool strict = false;
  bool ignores_journals = false;  ///< only for commands that call `add_input_options`
  std::string map;                ///< a preset or a file; only for commands that call `add_map_option`
};

/// A range of numbers. Unlike CLI::Range, it refuses nan.
struct NumberRange : CLI::Range {
  NumberRange(double low, double high) : CLI::Range(low, high) {
    func_ = [in_range = func_](std::string& text) {
      double number = 0.0;
      const bool is_nan = CLI::detail::lexical_cast(text, number) && std::isnan(number);
      return is_nan ? fmt::format("{} is not a number", text) : in_range(text);
    };
  }
};

/// The function to run when a command is chosen. It returns the exit code.
struct Command {
  CommonOptions common;
  std::vector<std::string>* inputs = nullptr;  ///< expanded before `run` (cli/inputs.hpp); may be null
  std::string output = "segy";                 ///< the data that the command reads and writes, one of io_outputs();
                                               ///< selects the policy
  std::function<void()> check;                 ///< finds contradicting options before any input is opened; may be empty
  std::function<int(Session&)> run;
};

/// The commands of the program; the key is the parser of the command.
using Commands = std::map<const CLI::App*, std::unique_ptr<Command>>;

/// A new command. `add_command` creates it with the common options; the caller adds its own options and sets `run`.
struct NewCommand {
  CLI::App& parser;
  Command& command;
};
[[nodiscard]] NewCommand add_command(CLI::App& program, Commands& commands, const std::string& name,
                                     const std::string& description, const std::string& examples);

/// A new command with its own options, which the caller adds to the parser.
template <class Arguments>
struct CommandOf {
  CLI::App& parser;
  Command& command;
  std::shared_ptr<Arguments> options;
};
/// Local. Adds a command that calls `run` with its options.
template <class Arguments>
[[nodiscard]] CommandOf<Arguments> add_command(CLI::App& program, Commands& commands, const std::string& name,
                                               const std::string& description, const std::string& examples,
                                               int (*run)(Session& session, const Arguments& options)) {
  const auto [parser, command] = add_command(program, commands, name, description, examples);
  auto options = std::make_shared<Arguments>();
  command.run = [options, run](Session& session) { return run(session, *options); };
  return {parser, command, options};
}

/// The help text of `--memory` for most commands that have the option.
inline constexpr const char* memory_text =
    "Memory that a rank may use for data, such as 512M. Default: a quarter of the memory that the process may use, "
    "divided among the ranks of the node";

/// Local. Adds an option that takes one of `values`. The help shows its default, if it has one.
void add_choice(CLI::App& parser, const std::string& name, std::string& value, const std::vector<std::string>& values,
                const std::string& description);

/// The options of all commands that write traces.
struct OutputOptions {
  bool renumber = false;
  bool history = false;
};

/// Local. Adds `--renumber` and `--history` to a command that writes traces.
void add_output_options(const NewCommand& command, OutputOptions& options);

/// Local. Removes `--policy` and `--threads` from a command that moves no data to which they could apply.
void remove_mover_options(CLI::App& parser);

/// Local. Adds `--map` to a command that reads names of header words; Session::map() returns its value.
void add_map_option(const NewCommand& command);

/// Local. Adds `--assume` and `--strict` to a command that reads surveys; Session::rules() returns their values.
void add_input_options(const NewCommand& command);

/// Adds commands to the program or, for those of `sill kernel`, to a group.
using AddCommand = void(CLI::App& program, Commands& commands);
AddCommand add_advise, add_arrays, add_checkpoints, add_records, add_doctor, add_drain, add_report, add_info, add_scan,
    add_sort, add_compare, add_check, add_convert, add_edit, add_cut, add_flow, add_header, add_kernel, add_make_survey,
    add_index, add_match4d, add_merge, add_solutions, add_policies, add_recipes, add_repair, add_split, add_text,
    add_tune, add_map, add_plot, add_spectrum, add_view, add_words;
AddCommand add_kernel_mslio, add_kernel_stations, add_kernel_surfaces, add_kernel_ior, add_kernel_grid_rows,
    add_kernel_gccom, add_kernel_subflow, add_kernel_flash, add_kernel_checkpoint, add_kernel_tecplot,
    add_kernel_records, add_kernel_volume;

}  // namespace sill::cli
