// The elements of a command of the program. A command is one file: it parses, calls the library, prints.
#pragma once

#include <CLI/CLI.hpp>
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

/// The help text of `--memory` for most commands that have the option.
inline constexpr const char* memory_text =
    "Memory that a rank may use for data, such as 512M. Default: a quarter of the memory that the process may use, "
    "divided among the ranks of the node";

/// The options of all commands that write traces.
struct OutputOptions {
  bool renumber = false;
  bool history = false;
};

/// Local. Adds `--renumber` and `--history` to a command that writes traces.
void add_output_options(const NewCommand& command, OutputOptions& options);

/// Local. Adds `--map` to a command that reads names of header words; Session::map() returns its value.
void add_map_option(const NewCommand& command);

/// Local. Adds `--assume` and `--strict` to a command that reads surveys; Session::rules() returns their values.
void add_input_options(const NewCommand& command);

void add_advise(CLI::App& program, Commands& commands);
void add_arrays(CLI::App& program, Commands& commands);
void add_checkpoints(CLI::App& program, Commands& commands);
void add_records(CLI::App& program, Commands& commands);
void add_doctor(CLI::App& program, Commands& commands);
void add_drain(CLI::App& program, Commands& commands);
void add_report(CLI::App& program, Commands& commands);
void add_info(CLI::App& program, Commands& commands);
void add_scan(CLI::App& program, Commands& commands);
void add_sort(CLI::App& program, Commands& commands);
void add_compare(CLI::App& program, Commands& commands);
void add_check(CLI::App& program, Commands& commands);
void add_convert(CLI::App& program, Commands& commands);
void add_edit(CLI::App& program, Commands& commands);
void add_cut(CLI::App& program, Commands& commands);
void add_flow(CLI::App& program, Commands& commands);
void add_header(CLI::App& program, Commands& commands);
void add_kernel(CLI::App& program, Commands& commands);
void add_kernel_mslio(CLI::App& kernels, Commands& commands);
void add_kernel_stations(CLI::App& kernels, Commands& commands);  ///< a command of `sill kernel`, like the kernels
                                                                  ///< below
void add_kernel_surfaces(CLI::App& kernels, Commands& commands);
void add_kernel_ior(CLI::App& kernels, Commands& commands);
void add_kernel_grid_rows(CLI::App& kernels, Commands& commands);
void add_kernel_gccom(CLI::App& kernels, Commands& commands);
void add_kernel_subflow(CLI::App& kernels, Commands& commands);
void add_kernel_flash(CLI::App& kernels, Commands& commands);
void add_kernel_checkpoint(CLI::App& kernels, Commands& commands);
void add_kernel_tecplot(CLI::App& kernels, Commands& commands);
void add_kernel_records(CLI::App& kernels, Commands& commands);
void add_kernel_volume(CLI::App& kernels, Commands& commands);
void add_make_survey(CLI::App& program, Commands& commands);
void add_index(CLI::App& program, Commands& commands);
void add_match4d(CLI::App& program, Commands& commands);
void add_merge(CLI::App& program, Commands& commands);
void add_solutions(CLI::App& program, Commands& commands);
void add_policies(CLI::App& program, Commands& commands);
void add_recipes(CLI::App& program, Commands& commands);  ///< agc, filter, nmo, velan, stack
void add_repair(CLI::App& program, Commands& commands);
void add_split(CLI::App& program, Commands& commands);
void add_text(CLI::App& program, Commands& commands);
void add_tune(CLI::App& program, Commands& commands);
void add_map(CLI::App& program, Commands& commands);
void add_plot(CLI::App& program, Commands& commands);
void add_spectrum(CLI::App& program, Commands& commands);
void add_view(CLI::App& program, Commands& commands);
void add_words(CLI::App& program, Commands& commands);

}  // namespace sill::cli
