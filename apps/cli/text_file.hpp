// Small texts to files and to standard output, every failure an Error.
#pragma once

#include <string>
#include <string_view>

namespace sill::cli {

/// Local. Adds `text` to the end of a file, made if need be. Errors: io.
void append_text(const std::string& path, std::string_view text);

/// Local. Makes `text` the content of a file, whole or not at all. Errors: io.
void replace_text(const std::string& path, std::string_view text);

/// Local. Writes to standard output at once. Errors: io.
void print_text(std::string_view text);

}  // namespace sill::cli
