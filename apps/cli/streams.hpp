// Standard input and standard output as files: what goes over the data more than once, or in another order, needs
// files.
#pragma once

#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill::cli {

/// What a command reads from standard input (all of it, before it begins) and writes to standard output (when its file
/// is complete), stored in files without names in $TMPDIR or /tmp meanwhile, which are gone with the process. Only
/// without a launcher, which passes on neither byte for byte.
class Streams {
 public:
  explicit Streams(const Communicator& comm) : comm_(comm) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Local. The path of a file that holds what standard input brings. Errors: usage with several ranks, if it is a
  /// terminal, or was asked for before; io.
  [[nodiscard]] std::string input();

  /// Local. The path of a file for the output, empty as yet. Errors: usage with several ranks, or if standard output
  /// is a terminal.
  [[nodiscard]] std::string output();

  /// Local. Whether standard input was asked for.
  [[nodiscard]] bool takes_input() const { return !input_path_.empty(); }
  /// Local. Whether standard output is taken for an output.
  [[nodiscard]] bool takes_output() const { return !output_path_.empty(); }
  /// Local. A text for people, with "standard input" and "standard output" where it has their paths.
  [[nodiscard]] std::string shown(std::string text) const;

  /// Local. Sends the output to standard output, if it was asked for, and removes it. Errors: io.
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
