// Small texts added to files, to standard output and to standard error.
#pragma once

#include <string>
#include <string_view>

namespace sill::cli {

/// A file to which text is added, whatever it holds already. Used by one rank.
class AppendedFile {
 public:
  /// Local. Makes the file if it is not there. Errors: io, also for a pipe that nobody reads.
  explicit AppendedFile(const std::string& path);
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile();
  /// Local. Errors: io.
  void append(std::string_view text);

 private:
  std::string path_;
  int descriptor_;
};

/// Local. `text` for people: of several lines, without any other control characters, which file names may hold and
/// terminals obey. They are escaped as `echoed` does.
[[nodiscard]] std::string without_control(std::string_view text);

/// Local. Writes to standard output at once. Errors: io.
void print_text(std::string_view text);

/// Local. Writes to standard error; failures are ignored, because nothing is left to report them to.
void warn_text(std::string_view text) noexcept;

}  // namespace sill::cli
