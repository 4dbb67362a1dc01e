// Ranges near each other share a window, in order, up to its size.
#include "sill/layout/near_ranges.hpp"

#include <gtest/gtest.h>

namespace sill {
namespace {

TEST(NearRanges, ShareAWindow) {
  const std::vector<ByteRange> ranges{{0, 8}, {8, 4}, {20, 4}, {200, 4}, {210, 4}, {150, 4}};
  const std::vector<RangeWindow> windows = windows_of(ranges, 16, 64);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].bytes, (ByteRange{0, 24}));
  EXPECT_EQ(windows[0].first, 0U);
  EXPECT_EQ(windows[0].count, 3U);
  EXPECT_TRUE(windows[0].has_gaps);
  EXPECT_EQ(windows[1].bytes, (ByteRange{200, 14}));
  EXPECT_EQ(windows[2].bytes, (ByteRange{150, 4}));  // before the last: a window of its own
  EXPECT_EQ(windows[2].first, 5U);
}

TEST(NearRanges, NeighboursHaveNoGap) {
  const std::vector<ByteRange> ranges{{0, 8}, {8, 4}};
  const std::vector<RangeWindow> windows = windows_of(ranges);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_FALSE(windows[0].has_gaps);
}

TEST(NearRanges, WindowsEndWithTheirSize) {
  std::vector<ByteRange> ranges;
  for (std::int64_t i = 0; i < 100; ++i) ranges.push_back({i * 10, 4});
  const std::vector<RangeWindow> windows = windows_of(ranges, 16, 64);
  EXPECT_EQ(windows.size(), 15U);  // of seven ranges each
  for (const RangeWindow& window : windows) EXPECT_LE(window.bytes.length, 64);
}

}  // namespace
}  // namespace sill
