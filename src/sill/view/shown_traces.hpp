// Selects the traces that a view of a survey shows: the traces that the user names, or an evenly spaced selection of
// these traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::view {

/// The traces that a user requests. All given criteria must hold; without any, all traces of the survey are requested.
struct TracesRequest {
  std::string range;                             ///< range of trace numbers, such as "1:100"
  std::string gather;                            ///< "cdp=1200" or "cdp=1200:1210"
  std::optional<std::int64_t> inline_number;     ///< `iline` of the header map
  std::optional<std::int64_t> crossline_number;  ///< `xline`
  std::string where;                             ///< a condition

  /// Local. Returns true if the selection depends on trace headers.
  [[nodiscard]] bool has_condition() const {
    return !gather.empty() || inline_number || crossline_number || !where.empty();
  }
};

/// Local. Returns the condition over header words that a request makes, except for `range`: "iline == 5 and (offset >
/// 0)". Returns an empty string if the request makes no condition. Errors: usage, for an invalid gather, unknown words
/// and invalid conditions.
[[nodiscard]] std::string condition_of(const TracesRequest& request, const segy::HeaderMap& words);

/// The traces of a view.
struct ShownTraces {
  std::vector<std::int64_t> numbers;  ///< from 0, ascending; the same on all ranks
  std::int64_t selected = 0;          ///< number of requested traces
  std::int64_t stride = 1;            ///< every `stride`-th requested trace is shown, starting at the first
  std::string condition;              ///< condition of the request, "iline == 5"; empty: all traces
  std::string gather_word;            ///< word of the requested gather; empty if no gather is requested
};

/// Local. Removes all but evenly spaced ones of the numbers of `shown`, if there are more than `max_traces`, as
/// `choose_shown_traces`. Precondition: `shown` contains every requested trace.
void thin_out(ShownTraces& shown, std::int64_t max_traces);

/// Collective. Returns the traces that `request` selects. If there are more than `max_traces`, returns evenly spaced
/// traces of the selection, at most nine tenths of `max_traces`: the remaining space is for gaps between gathers. A
/// condition is evaluated on all trace headers. Errors: usage, for an invalid request, and if no trace is selected,
/// with the nearest values of the word of a gather or line; otherwise as `select_traces`.
[[nodiscard]] ShownTraces choose_shown_traces(const Resources& resources, const SurveyReader& reader,
                                              const TracesRequest& request, std::int64_t max_traces);

}  // namespace sill::view
