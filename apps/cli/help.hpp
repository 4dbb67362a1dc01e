// The help of commands, `sill help TOPIC`, man pages and shell completions.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sill::cli {

/// An option as shown in the help. Properties of the option (such as required, default) are sentences after its
/// description.
struct OptionText {
  explicit OptionText(const CLI::Option& option);

  std::string label;                 ///< "-o, --output TEXT"
  std::string text;                  ///< "The sorted file. Required."
  std::vector<std::string> choices;  ///< the permitted values, if they are few
  bool takes_value = true;
};

/// The topics of `sill help`, besides commands.
inline constexpr std::array<std::string_view, 5> help_topics{"options", "expressions", "keys", "units", "policies"};

/// Local. Returns the commands of a program or of a command.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// Local. Returns the first line of a command's description.
[[nodiscard]] std::string summary_of(const CLI::App& app);

/// Local. Returns the help of `app`, even if a command of it is selected, whose help CLI11 would return.
[[nodiscard]] std::string own_help(const CLI::App& app);

/// Local. Sets the help format of `program` and of all commands added to it later: description, arguments and options,
/// examples, names of common options.
void format_help(CLI::App& program);

/// The arguments of `sill help`.
struct HelpRequest {
  std::vector<std::string> topic;
  std::string manual;  ///< the prefix into which man pages and completions are written
};

/// Local. Adds `sill help [TOPIC]`, which prints `help_text`.
void add_help(CLI::App& program, HelpRequest& request);

/// Local. Returns the text of `sill policies`: presets and axes.
[[nodiscard]] std::string text_of_policies();

/// Local. Returns the help of a command, "sort" or "kernel ior", or of a topic: options, expressions, keys, units,
/// policies. Returns the help of the program if `topic` is empty. Errors: usage for an unknown topic, with the list of
/// topics.
[[nodiscard]] std::string help_text(const CLI::App& program, const std::vector<std::string>& topic);

/// Local. Writes share/man/man1/sill.1, a man page per command, and completions for bash, zsh and fish into the
/// standard directories under a prefix. Errors: io.
void write_manual(const CLI::App& program, const std::string& prefix);

}  // namespace sill::cli
