// The files that a command reads, as named by the user: paths, patterns, lists; and one output per input, for commands
// that make one file from one file.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::cli {

/// Local. Adds the positional option `name` for the input files of a command, and the options of `add_input_options`.
/// The user's value is expanded before the command runs. Precondition: `files` lives as long as the parser.
CLI::Option& add_inputs(const NewCommand& command, const std::string& name, std::vector<std::string>& files,
                        const std::string& description);

/// Collective. Returns `given` with `@LIST` replaced by the lines of that file, and shell patterns (* ? [) replaced by
/// the matching files, in byte order. Lines of a list may be patterns; blank lines and lines that start with # are
/// skipped. A path that exists, or a URL, is never treated as a pattern. Errors: io for a list that cannot be read;
/// usage for a pattern without matches, and for a list that is empty or names another list.
[[nodiscard]] std::vector<std::string> expanded(Communicator& comm, const std::vector<std::string>& given);

/// Local. Returns true if `given` names a list of files.
[[nodiscard]] bool names_list(const std::string& given);

/// Local. Returns the last sentence of the help of `-o`, which explains how an output is named for each input.
[[nodiscard]] std::string each_output_grammar();

/// The inputs of one output.
struct InputsOfOutput {
  std::vector<std::string> inputs;
  std::string output;
};

/// Local. Returns an output for each of `inputs` if `given` is a folder (it ends with / or is one), or if it contains
/// {file}. In a folder, outputs keep the names of their inputs; {file} is replaced by the name of an input without
/// folder and ending. Otherwise returns one output `given` for all inputs. Errors: usage if two outputs would have the
/// same name, or for standard input.
[[nodiscard]] std::vector<InputsOfOutput> outputs_of(const std::vector<std::string>& inputs, const std::string& given);

}  // namespace sill::cli
