// Reads traces as users name them, counted from 1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// Local. Returns a range of traces, "1:100", both ends included; "5:" and ":5" are open, "last" is the last trace.
/// Errors: usage, also if the range exceeds `traces`.
[[nodiscard]] ItemRange parse_trace_range(std::string_view text, std::int64_t traces);

/// Local. Returns traces and ranges of traces separated by commas, "1,5000,last" or "1:3,last", in the given order.
/// Errors: usage, also if one exceeds `traces`.
[[nodiscard]] std::vector<ItemRange> parse_trace_list(std::string_view text, std::int64_t traces);

}  // namespace sill
