// The commands of the program `sill`: their parsers, and running one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::cli {

/// All commands, with their options. A command is parsed at most once per object.
class Program {
 public:
  /// Local. Creates the parsers of all commands.
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] CLI::App& parser() { return parser_; }
  /// Local. Returns the chosen command; for `kernel`, the chosen kernel. Precondition: `parse` was called.
  [[nodiscard]] const CLI::App& chosen() const;
  /// Local. Parses the arguments of a command line; the first is the name of the program. Errors: CLI::ParseError.
  void parse(const std::vector<std::string>& arguments);
  /// Local. Returns the command that `parse` chose. Precondition: it is not `help`.
  [[nodiscard]] const Command& command() const { return *commands_.at(&chosen()); }
  /// Local. Returns the arguments of `sill help`, if `parse` chose it.
  [[nodiscard]] const HelpRequest& help() const { return help_; }
  /// Local. Returns an error of `parse` in the form of all errors.
  [[nodiscard]] Error usage_error(const CLI::ParseError& failure) const;

 private:
  CLI::App parser_;
  Commands commands_;
  HelpRequest help_;
};

/// Collective. Runs a command and returns its exit code. `arguments`: the command line, for logs and reports. Errors:
/// any, if `console.throws_errors`; otherwise they are printed. `abort` is called with the exit code after an error
/// that other ranks may not know.
int run_command(Communicator& comm, const Command& command, std::vector<std::string> arguments, const Console& console,
                const std::function<void(int)>& abort);

/// Local. Prints an error to standard error, before there is a session.
void print_error(const Error& error);

}  // namespace sill::cli
