// Ranges of a file that lie near each other, to be read or written by one request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill {

/// A window of a file and the consecutive ranges that lie in it.
struct RangeWindow {
  ByteRange bytes;        ///< from the beginning of the first range to the end of the last
  std::size_t first = 0;  ///< index of the first range
  std::size_t count = 0;
  bool has_gaps = false;  ///< whether bytes between the ranges belong to none of them
};

/// Local. Groups `ranges` into windows, in their order: a range that begins at the end of the one before it, or less
/// than `max_gap_bytes` behind, shares its window, up to `max_window_bytes` a window.
[[nodiscard]] std::vector<RangeWindow> windows_of(std::span<const ByteRange> ranges,
                                                  std::int64_t max_gap_bytes = 16 << 10,
                                                  std::int64_t max_window_bytes = 1 << 20);

}  // namespace sill
