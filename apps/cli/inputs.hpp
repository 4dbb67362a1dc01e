// The files that a command reads, as a user names them: paths, patterns, lists.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::cli {

/// Local. Adds the positional option `name` for the input files of a command, and what `add_input_options` adds; what
/// the user writes there is expanded before the command runs. `files` lives as long as the parser.
CLI::Option& add_inputs(const NewCommand& command, const std::string& name, std::vector<std::string>& files,
                        const std::string& description);

/// Collective. `given` with `@LIST` replaced by the lines of that file (blank lines and those that begin with # left
/// out; each may be a pattern), and patterns of the shell (* ? [) by the files that match, in the order of their bytes.
/// A path that exists is never a pattern. Errors: io for a list that cannot be read; usage for a pattern that nothing
/// matches, a list that is empty or names a list.
[[nodiscard]] std::vector<std::string> expanded(Communicator& comm, const std::vector<std::string>& given);

/// Local. Returns true if `given` stands for the files that a list names.
[[nodiscard]] bool names_list(const std::string& given);

}  // namespace sill::cli
