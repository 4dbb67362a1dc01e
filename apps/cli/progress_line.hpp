// The line on the terminal with the progress of a long command.
#pragma once

#include <thread>

#include "sill/base/progress.hpp"

namespace sill::cli {

/// Shows stage, fraction done, rate and remaining time on standard error while the object lives, if `wanted` and if
/// standard error is a terminal. Shows nothing in the first second, so that short commands print nothing.
class ProgressLine {
 public:
  ProgressLine(const Progress& progress, bool wanted);

  /// Removes the line permanently.
  void stop() { thread_ = {}; }

 private:
  std::jthread thread_;
};

}  // namespace sill::cli
