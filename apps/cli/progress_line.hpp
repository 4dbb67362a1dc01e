// The line on the terminal that shows the progress of a long command.
#pragma once

#include <thread>

#include "sill/base/progress.hpp"

namespace sill::cli {

/// Shows stage, share done, rate and time left on standard error while it lives, if `wanted` and if that is a terminal.
/// Nothing appears in the first second, so that short commands stay quiet.
class ProgressLine {
 public:
  ProgressLine(const Progress& progress, bool wanted);

  /// Removes the line; it does not come back.
  void stop() { thread_ = {}; }

 private:
  std::jthread thread_;
};

}  // namespace sill::cli
