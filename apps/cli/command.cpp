#include "cli/command.hpp"

#include <fmt/format.h>

#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::cli {

NewCommand add_command(CLI::App& program, Commands& commands, const std::string& name, const std::string& description,
                       const std::string& examples) {
  CLI::App& parser = *program.add_subcommand(name, description);
  parser.footer("Examples:\n" + examples);
  auto command = std::make_unique<Command>();
  CommonOptions& common = command->common;
  parser.add_option(
      "--policy", common.policy,
      "I/O policy (`sill help policies`). Default: the policy in SILL_POLICY or SILL_OPTIONS, otherwise auto");
  parser.add_option("--threads", common.threads, "Threads per rank. Default: one for each core available to the rank")
      ->check(CLI::Range(1, 1024));
  parser.add_option("--log", common.log, "Append a log of all steps and diagnostics to this file");
  parser.add_option("--report", common.report,
                    "Write a report of the I/O costs to this file: an HTML page if its name ends with .html, text "
                    "tables if it ends with .txt, otherwise JSON (docs/io-report.md)");
  Command& result = *command;
  commands.emplace(&parser, std::move(command));
  return {parser, result};
}

void add_choice(CLI::App& parser, const std::string& name, std::string& value, const std::vector<std::string>& values,
                const std::string& description) {
  parser.add_option(name, value, description)->check(CLI::IsMember(values))->capture_default_str();
}

void add_output_options(const NewCommand& command, OutputOptions& options) {
  command.parser.add_flag("--renumber", options.renumber,
                          "Number traces from 1 per output file (bytes 1-4, 5-8) and per ensemble (25-28)");
  command.parser.add_flag("--history", options.history, "Record the command in a free line of the text header");
}

void remove_mover_options(CLI::App& parser) {
  for (const char* const name : {"--policy", "--threads"}) parser.remove_option(parser.get_option(name));
}

void add_map_option(const NewCommand& command) {
  command.parser
      .add_option("--map", command.command.common.map,
                  fmt::format("Header map, which states the positions of header words: a preset ({}) or a file in TOML "
                              "or JSON (docs/words.md)",
                              fmt::join(segy::HeaderMap::preset_names(), ", ")))
      ->type_name("FILE|PRESET");
}

void add_input_options(const NewCommand& command) {
  command.parser
      .add_option("--assume", command.command.common.assume,
                  "Properties of the inputs that override their headers and detection, separated by commas "
                  "(docs/segy-support.md). Names: " +
                      segy::assumption_grammar())
      ->type_name("NAME=VALUE,...")
      ->allow_extra_args(false);
  command.parser.add_flag("--strict", command.command.common.strict,
                          "Refuse inputs with findings of grade minor or worse, and list these findings");
  command.parser.add_flag("--ignore-journal", command.command.common.ignores_journals,
                          "Read inputs that an interrupted edit left partly edited");
}

}  // namespace sill::cli
