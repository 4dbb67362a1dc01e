// The place to which a command prints: standard output and standard error, or functions of the program that runs it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/text_file.hpp"
#include "sill/base/progress.hpp"
#include "sill/store/ranged/ranged_store.hpp"

namespace sill::cli {

struct Console {
  std::function<void(std::string_view)> print = print_text;  ///< receives results
  std::function<void(std::string_view)> warn = warn_text;    ///< receives notes, warnings and errors
  /// Receives the results of the command in JSON, with the I/O costs of `--report` as `cost`, when it ends without an
  /// error; may be empty.
  std::function<void(std::string_view)> results = {};
  Progress* progress = nullptr;  ///< the progress of the command; null: shown on a terminal
  /// The error that ends the command is thrown; otherwise it is printed. Errors of single inputs are printed, and the
  /// last one is thrown when the command has processed the others.
  bool throws_errors = false;
  std::string program = {};             ///< path of the program `sill`; empty in other programs
  const RangedFiles* remote = nullptr;  ///< opens URLs; null: the program reads no URLs
};

}  // namespace sill::cli
