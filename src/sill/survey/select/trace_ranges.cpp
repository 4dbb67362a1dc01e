#include "sill/survey/select/trace_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(std::string_view text, std::int64_t traces, const char* what, const char* action) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("`{}` is not a {} of the {} traces of the input", echoed(text), what, traces),
               .action = action});
}

// Returns the trace of a number or "last"; 0 or less if the text is neither, or not a trace.
std::int64_t trace_of(std::string_view text, std::int64_t traces) {
  if (text == "last") return traces;
  std::int64_t trace = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), trace);
  const bool is_trace = result.ec == std::errc{} && result.ptr == text.data() + text.size() && trace <= traces;
  return is_trace ? trace : 0;
}

}  // namespace

ItemRange parse_trace_range(std::string_view text, std::int64_t traces) {
  const std::size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  const std::string_view to = colon == text.npos ? "" : text.substr(colon + 1);
  const std::int64_t first = from.empty() ? 1 : trace_of(from, traces);
  const std::int64_t last = to.empty() ? traces : trace_of(to, traces);
  if (colon == text.npos || first < 1 || last < first)
    refuse(text, traces, "range", "write FIRST:LAST, counted from 1, both included, such as 1:100");
  return {first - 1, last - first + 1};
}

std::vector<ItemRange> parse_trace_list(std::string_view text, std::int64_t traces) {
  std::vector<ItemRange> list;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string_view entry = trimmed(text.substr(from, comma - from));
    from = comma + 1;
    if (entry.find(':') != entry.npos) {
      list.push_back(parse_trace_range(entry, traces));
      continue;
    }
    const std::int64_t trace = trace_of(entry, traces);
    if (trace < 1)
      refuse(entry, traces, "trace",
             "write numbers counted from 1, `last`, or ranges, such as 1,5000,last or 1:3,last");
    list.push_back({trace - 1, 1});
  }
  return list;
}

}  // namespace sill
