// The files that a command reads, as named by the user: paths, patterns, lists.
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

}  // namespace sill::cli
