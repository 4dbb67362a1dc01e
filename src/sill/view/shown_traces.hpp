// Which traces a view of a survey shows: those that the user names, or every n-th of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::view {

/// The traces that a user asks for; what is given holds together. All traces of the survey if nothing is given.
struct TracesRequest {
  std::string range;                             ///< "1:100", of trace numbers
  std::string gather;                            ///< "cdp=1200" or "cdp=1200:1210"
  std::optional<std::int64_t> inline_number;     ///< `iline` of the header map
  std::optional<std::int64_t> crossline_number;  ///< `xline`
  std::string where;                             ///< a condition

  /// Local. Returns true if headers decide which traces are shown.
  [[nodiscard]] bool has_condition() const {
    return !gather.empty() || inline_number || crossline_number || !where.empty();
  }
};

/// Local. The condition over header words that a request makes but for `range`: "iline == 5 and (offset > 0)"; empty if
/// it makes none. Errors: usage for a gather that cannot be read, unknown words and conditions that are none.
[[nodiscard]] std::string condition_of(const TracesRequest& request, const segy::HeaderMap& words);

/// The traces of a view.
struct ShownTraces {
  std::vector<std::int64_t> numbers;  ///< from 0, ascending; the same on all ranks
  std::int64_t selected = 0;          ///< traces that were asked for
  std::int64_t stride = 1;            ///< every so many-th of these is shown, from the first on
  std::string condition;              ///< what was asked for, "iline == 5"; empty if it is all
  std::string gather_word;            ///< of `gather`, or empty
};

/// Collective. Returns the traces that `request` asks for; of more than `max_traces`, every n-th, so that at most nine
/// tenths of `max_traces` are left: the rest is for gaps between gathers. A condition is decided by all trace headers.
/// Errors: usage, for a request that cannot be read, and if no trace is selected, with the nearest values of the word
/// of a gather or line; otherwise as `select_traces`.
[[nodiscard]] ShownTraces choose_shown_traces(const Resources& resources, const SurveyReader& reader,
                                              const TracesRequest& request, std::int64_t max_traces);

}  // namespace sill::view
