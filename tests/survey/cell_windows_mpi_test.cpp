// Windows of positions: each position once, whatever the ranks, windows and memory.
#include "sill/survey/arrays/cell_windows.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

TEST(CellWindows, ShapesAreMultiplesOrWholeDimensions) {
  EXPECT_EQ(window_shape({200, 300}, {1, 1}, 8192, false), (Index{64, 128}));
  EXPECT_EQ(window_shape({200, 300}, {1, 1}, 8192, true), (Index{16, 300}));
  EXPECT_EQ(window_shape({5, 300}, {1, 1}, 8192, false), (Index{5, 300}));
  EXPECT_EQ(window_shape({200, 300}, {12, 7}, 1000, false), (Index{24, 28}));
  EXPECT_EQ(window_shape({200, 300}, {500, 7}, 1, false), (Index{200, 7}));  // larger than the limit
  EXPECT_EQ(window_shape({1000}, {1}, 100, false), (Index{64}));
}

TEST(CellWindows, EachPositionIsVisitedOnce) {
  Communicator& comm = test::world();
  for (const Index& shape : {Index{7, 9}, Index{40}, Index{3, 4, 5}, Index{1, 1}}) {
    for (const std::int64_t max_items : {1, 4, 30, 1000}) {
      for (const std::int64_t memory : {64, 4000, 1 << 20}) {
        const Resources resources{.comm = comm, .memory_bytes = memory};
        const Index window = window_shape(shape, Index(shape.size(), 1), max_items, false);
        std::vector<std::int64_t> visits(static_cast<std::size_t>(whole(shape).items()));
        std::int64_t calls = 0;
        for_each_window(resources, shape, window, 8, [&](std::span<const Box> boxes) {
          ++calls;
          std::int64_t items = 0;
          for (const Box& box : boxes) {
            items += box.items();
            ASSERT_TRUE(lies_in(box, whole(shape)));
            for (std::int64_t i = 0; i < box.items(); ++i) {
              Index at(shape.size());
              for (std::size_t d = shape.size(), rest = static_cast<std::size_t>(i); d-- > 0;) {
                const auto count = static_cast<std::size_t>(box.count[d]);
                at[d] = box.first[d] + static_cast<std::int64_t>(rest % count);
                rest /= count;
              }
              ++visits[static_cast<std::size_t>(offset_of(at, row_major_strides(shape, 1)))];
            }
          }
          if (window.size() == 1) {
            EXPECT_LE(8 * items, std::max<std::int64_t>(memory / 4, 8));
          }
        });
        comm.all_reduce(visits, Reduction::sum);
        for (const std::int64_t each : visits) ASSERT_EQ(each, 1);
        EXPECT_EQ(all_reduce(comm, calls, Reduction::min), all_reduce(comm, calls, Reduction::max));
      }
    }
  }
}

}  // namespace
}  // namespace sill
