// What limits the output that a report describes, and what would change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/io_report.hpp"

namespace sill {

/// A share of the time of an output.
struct TimeShare {
  std::string name;      ///< "small requests", "opening files", "copying" …
  double seconds = 0;    ///< mean of a rank
  std::string measured;  ///< what was counted, in words; may be empty
};

/// A change that should make output faster.
struct IoAdvice {
  std::string limit;   ///< what it is about: "small requests", "one writer", "files", "waiting for other ranks" …
  std::string change;  ///< what to do, in words
  std::optional<std::string> policy = {};         ///< of this output alone, if it is a matter of policy
  std::optional<std::int64_t> min_requests = {};  ///< writes that there will be at the least, where they become fewer
  double gain_s = 0;                              ///< that may be saved at most of a rank's time, the mean of all
};

/// What limits one output.
struct OutputAdvice {
  std::string name;
  double seconds = 0;             ///< in calls for output, mean of a rank; without such calls in files
  std::vector<TimeShare> shares;  ///< of `seconds`, the longest first
  std::vector<IoAdvice> advice;   ///< the largest gain first; empty if nothing is known to save a tenth of the time
};

/// Local. What limits each output of `report` that took time to write, in its order. docs/auto.md has the rules.
/// Precondition: policies are as Policy::text gives them.
[[nodiscard]] std::vector<OutputAdvice> advice_on(const IoReport& report);

}  // namespace sill
