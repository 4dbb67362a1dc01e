// Groups neighbouring ranges of a file, to read or write them with one request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// A window of a file and the consecutive ranges inside it.
struct RangeWindow {
  ByteRange bytes;        ///< from the beginning of the first range to the end of the last
  std::size_t first = 0;  ///< index of the first range
  std::size_t count = 0;
  bool has_gaps = false;  ///< true if bytes between the ranges belong to none of them
};

/// Local. Groups `ranges` into windows, in their order. A range joins the window of the preceding range if it begins at
/// the end of that range or less than `max_gap_bytes` after it, and if the window then has at most `max_window_bytes`
/// bytes.
[[nodiscard]] std::vector<RangeWindow> windows_of(std::span<const ByteRange> ranges,
                                                  std::int64_t max_gap_bytes = 16 << 10,
                                                  std::int64_t max_window_bytes = 1 << 20);

}  // namespace sill
