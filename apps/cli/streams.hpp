// Standard input and standard output as files, because commands that process the data more than once, or in another
// order, need files.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill::cli {

/// Stores standard input (read completely before the command starts) and standard output (sent when the file is
/// complete) in unnamed files in $TMPDIR or /tmp, which disappear with the process. Works only without a launcher,
/// because launchers do not pass these streams on unchanged.
class Streams {
 public:
  explicit Streams(const Communicator& comm) : comm_(comm) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Local. Returns the path of a file with the data from standard input. Errors: usage with several ranks, if standard
  /// input is a terminal, or if it was requested before; io.
  [[nodiscard]] std::string input();

  /// Local. Returns the path of an empty file for the output. Errors: usage with several ranks, or if standard output
  /// is a terminal.
  [[nodiscard]] std::string output();

  /// Local. Returns true if standard input was requested.
  [[nodiscard]] bool takes_input() const { return !input_path_.empty(); }
  /// Local. Returns true if standard output was requested.
  [[nodiscard]] bool takes_output() const { return !output_path_.empty(); }
  /// Local. Returns a text for users, with "standard input" and "standard output" in place of their paths.
  [[nodiscard]] std::string shown(std::string text) const;

  /// Local. Sends the output to standard output, if requested, and removes it. Errors: io.
  void deliver();

 private:
  void require_alone() const;

  const Communicator& comm_;
  std::optional<UnnamedFile> input_;
  std::string input_path_;
  std::optional<UnnamedFile> output_;
  std::string output_path_;
};

}  // namespace sill::cli
