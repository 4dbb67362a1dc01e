// Man pages and shell completions, generated from the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sill::cli {

/// Local. Writes share/man/man1/sill.1, a man page per command, and completions for bash, zsh and fish into the
/// standard directories under a prefix. Errors: io.
void write_manual(const CLI::App& program, const std::string& prefix);

}  // namespace sill::cli
