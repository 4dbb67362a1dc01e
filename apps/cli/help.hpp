// The help of commands, and `sill help TOPIC`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sill::cli {

/// An option as people read it: what the parser knows of it are sentences behind its description.
struct OptionText {
  explicit OptionText(const CLI::Option& option);

  std::string label;                 ///< "-o, --output TEXT"
  std::string text;                  ///< "The sorted file. Required."
  std::vector<std::string> choices;  ///< the values that it may have, if they are few
  bool takes_value = true;
};

/// Local. The commands of a program or of a command.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// Local. The first line of what a command does.
[[nodiscard]] std::string summary_of(const CLI::App& app);

/// Local. Lays out the help of `program` and of all commands that it gets from then on: what a command does, its
/// arguments and options, examples, the names of its common options.
void format_help(CLI::App& program);

/// What `sill help` was asked for.
struct HelpRequest {
  std::vector<std::string> topic;
  std::string manual;  ///< a prefix that man pages and completions are written into
};

/// Local. Adds `sill help [TOPIC]`. What it prints is `help_text`.
void add_help(CLI::App& program, HelpRequest& request);

/// Local. The help of a command, "sort" or "kernel ior", or of a topic: options, expressions, keys, units, policies; of
/// the program if `topic` is empty. Errors: usage, naming the topics.
[[nodiscard]] std::string help_text(const CLI::App& program, const std::vector<std::string>& topic);

}  // namespace sill::cli
