// What limits the output that a report describes, and what would change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/io_report.hpp"

namespace sill {

/// A part of the time of an output.
struct IoPart {
  std::string name;      ///< "small requests", "opening files", "waiting for other ranks" …
  double seconds = 0;    ///< mean of a rank
  std::string measured;  ///< what was measured, in words and numbers; may be empty
};

/// A change that should make output faster.
struct IoAdvice {
  std::string limit;   ///< the part that becomes less, or "one writer", or "files" for all that is done there
  std::string change;  ///< what to do, in words
  std::optional<std::string> policy = {};           ///< to be given to this output, if it is a matter of policy
  std::optional<std::int64_t> least_requests = {};  ///< writes that there will be at the least, where they become fewer
  double gain_s = 0;                                ///< that may be saved of the mean rank's time
};

/// What limits one output.
struct OutputAdvice {
  std::string name;
  double seconds = 0;            ///< in calls for output, mean of a rank; without such calls in files
  std::vector<IoPart> parts;     ///< of `seconds`, the longest first; behind asynchronous calls also more than that
  std::vector<IoAdvice> advice;  ///< the largest gain first; empty if nothing is known to be faster
};

/// Local. What limits each output of `report` that wrote anything, in its order. docs/auto.md has the rules.
[[nodiscard]] std::vector<OutputAdvice> advice_on(const IoReport& report);

}  // namespace sill
