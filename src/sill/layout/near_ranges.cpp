#include "sill/layout/near_ranges.hpp"

namespace sill {

std::vector<RangeWindow> windows_of(std::span<const ByteRange> ranges, std::int64_t max_gap_bytes,
                                    std::int64_t max_window_bytes) {
  std::vector<RangeWindow> windows;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ByteRange range = ranges[i];
    if (!windows.empty()) {
      RangeWindow& last = windows.back();
      const std::int64_t gap = range.offset - last.bytes.end();
      if (gap >= 0 && gap < max_gap_bytes && range.end() - last.bytes.offset <= max_window_bytes) {
        last.bytes.length = range.end() - last.bytes.offset;
        last.has_gaps = last.has_gaps || gap > 0;
        ++last.count;
        continue;
      }
    }
    windows.push_back({range, i, 1, false});
  }
  return windows;
}

}  // namespace sill
