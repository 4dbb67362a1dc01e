// The arithmetic of extents against walking through them byte by byte.
#include "sill/plan/extent.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plan/any_extent.hpp"
#include "sill/plan/rows.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::BytePlace;

std::vector<std::int64_t> places_of(const Extent& extent) {
  std::vector<std::int64_t> places;
  test::for_each_byte(extent, [&](std::int64_t at, const std::byte*) { places.push_back(at); });
  return places;
}

ByteRange any_range(std::int64_t first, std::int64_t end) {
  const auto begin = test::any_number(first, end);
  return {begin, test::any_number(0, end - begin)};
}

TEST(Extent, KnowsItsBytesWithoutWalkingThroughThem) {
  EXPECT_TRUE(rc::check([] {
    const Extent extent = test::nested_extent();
    const std::vector<std::int64_t> places = places_of(extent);
    RC_ASSERT(std::is_sorted(places.begin(), places.end()));
    RC_ASSERT(std::cmp_equal(places.size(), extent.total_bytes()));
    RC_ASSERT(extent.bounding_range() == ByteRange(places.front(), places.back() + 1 - places.front()));
    const auto before = [&](std::int64_t at) {
      return std::lower_bound(places.begin(), places.end(), at) - places.begin();
    };
    for (std::int64_t at = std::max<std::int64_t>(0, places.front() - 3); at < places.back() + 5; ++at) {
      RC_ASSERT(extent.bytes_before(at) == before(at));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      RC_ASSERT(extent.file_offset_of(static_cast<std::int64_t>(i)) == places[i]);
    }
    const ByteRange window = any_range(0, places.back() + 5);
    RC_ASSERT(extent.packed_within(window) ==
              ByteRange(before(window.offset), before(window.end()) - before(window.offset)));
  }));
}

TEST(Extent, RowsAreItsBytesInOrder) {
  EXPECT_TRUE(rc::check([] {
    Extent extent = test::nested_extent();
    if (test::any_number<int>(0, 4) == 0) extent.memory = nullptr;
    const std::vector<BytePlace> all = test::bytes_of(extent);
    const ByteRange packed = any_range(0, extent.total_bytes());
    std::vector<BytePlace> visited;
    for_each_row(extent, packed, [&](const Row& row) {
      RC_ASSERT(row.packed_offset_bytes == packed.offset + static_cast<std::int64_t>(visited.size()));
      RC_ASSERT(row.count >= 1);
      RC_ASSERT(row.run_bytes >= 1);
      RC_ASSERT(row.count == 1 || row.run_bytes == extent.run_bytes);
      Extent literal{.offset_bytes = row.file_offset_bytes,
                     .run_bytes = row.run_bytes,
                     .steps = {{row.count, row.file_stride_bytes, row.memory_stride_bytes}},
                     .memory = row.memory};
      const std::vector<BytePlace> bytes = test::bytes_of(literal);
      visited.insert(visited.end(), bytes.begin(), bytes.end());
    });
    RC_ASSERT(std::equal(visited.begin(), visited.end(), all.begin() + packed.offset, all.begin() + packed.end()));
  }));
}

TEST(Extent, RowsAreAsLongAsTheyCanBe) {
  // 3 planes of 4 rows of 5 runs: whole rows are 12, whatever the planes.
  const Extent extent{.run_bytes = 2, .steps = {{3, 1000, 7}, {4, 100, 7}, {5, 10, 7}}};
  const auto rows_in = [&](ByteRange packed) {
    int rows = 0;
    for_each_row(extent, packed, [&](const Row&) { ++rows; });
    return rows;
  };
  EXPECT_EQ(rows_in({0, 120}), 12);
  EXPECT_EQ(rows_in({10, 10}), 1);
  EXPECT_EQ(rows_in({9, 2}), 2);     // the second half of a run, the first of the next row
  EXPECT_EQ(rows_in({1, 118}), 14);  // the ends are partly wanted runs
  EXPECT_EQ(rows_in({0, 0}), 0);
}

TEST(Extent, ContiguousIsItsBytes) {
  const Extent extent = contiguous(2, {5, 7}, test::address(3));
  EXPECT_EQ(extent.total_bytes(), 7);
  EXPECT_EQ(extent.bounding_range(), (ByteRange{5, 7}));
  EXPECT_EQ(extent.memory, test::address(3));
  EXPECT_EQ(contiguous(2, {5, 7}, static_cast<const std::byte*>(test::address(3))), extent);
}

}  // namespace
}  // namespace sill
