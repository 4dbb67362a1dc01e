// The factors that limit the output described in a report, and changes that would help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/io_report.hpp"

namespace sill {

/// One activity's share of the time of an output.
struct TimeShare {
  std::string name;      ///< "small requests", "opening files", "copying" …
  double seconds = 0;    ///< mean over all ranks
  std::string measured;  ///< the underlying counts, as text; may be empty
};

/// A change that should make output faster.
struct IoAdvice {
  std::string limit;   ///< the limiting factor: "small requests", "one writer", "files", "waiting for other ranks" …
  std::string change;  ///< the recommended change, as text
  std::optional<std::string> policy = {};         ///< policy for this output only, if the change is a policy
  std::optional<std::int64_t> min_requests = {};  ///< lower limit of the writes that remain, if there are fewer
  double gain_s = 0;                              ///< upper limit of the time saved per rank, mean over all ranks
};

/// The limiting factors of one output.
struct OutputAdvice {
  std::string name;
  double seconds = 0;             ///< time in calls for output, mean over all ranks; without such calls: time in files
  std::vector<TimeShare> shares;  ///< shares of `seconds`, the longest first
  std::vector<IoAdvice> advice;   ///< the largest gain first; empty if no known change saves a tenth of the time
};

/// Local. Returns the limiting factors of each output of `report` that took time to write, in the order of the report.
/// docs/auto.md describes the rules. Precondition: policies are in the form of Policy::text.
[[nodiscard]] std::vector<OutputAdvice> advice_on(const IoReport& report);

}  // namespace sill
