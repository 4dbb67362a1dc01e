// Man pages and completion for shells, from what the parser knows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sill::cli {

/// Local. Writes share/man/man1/sill.1 and a page for each command, and completions for bash, zsh and fish, where
/// shells look for them, into a prefix. Errors: io.
void write_manual(const CLI::App& program, const std::string& prefix);

}  // namespace sill::cli
