// Short texts: appended to files, to standard output and to standard error; tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sill::cli {

/// A file to which text is appended, regardless of its content. Used by one rank.
class AppendedFile {
 public:
  /// Local. Creates the file if it does not exist. Errors: io, also for a pipe without a reader.
  explicit AppendedFile(const std::string& path);
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile();
  /// Local. Appends `text`. Errors: io.
  void append(std::string_view text);

 private:
  std::string path_;
  int descriptor_;
};

/// Local. Returns `text` with newlines but without other control characters, which file names may contain and terminals
/// interpret. They are escaped as by `echoed`.
[[nodiscard]] std::string without_control(std::string_view text);

/// Local. Returns the rows of a table as lines, with columns as wide as their content: first a left-aligned column of
/// names, then `numbers` right-aligned columns, then texts. Lines begin with `indent`.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers,
                                  std::string_view indent = "");

/// Local. Writes to standard output immediately. Errors: io.
void print_text(std::string_view text);

/// Local. Writes to standard error. Failures are ignored, because there is no way to report them.
void warn_text(std::string_view text) noexcept;

}  // namespace sill::cli
