// Dealing a list of items to parts.
#include "sill/layout/decomposition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "sill/layout/item_list.hpp"

namespace sill {
namespace {

TEST(BlockOf, GivesTheFirstPartsOneMore) {
  EXPECT_EQ(block_of(10, 4, 0), (ItemRange{0, 3}));
  EXPECT_EQ(block_of(10, 4, 1), (ItemRange{3, 3}));
  EXPECT_EQ(block_of(10, 4, 2), (ItemRange{6, 2}));
  EXPECT_EQ(block_of(10, 4, 3), (ItemRange{8, 2}));
}

TEST(BlockOf, LeavesPartsEmptyWhenItemsAreFew) {
  EXPECT_EQ(block_of(1, 3, 0), (ItemRange{0, 1}));
  EXPECT_EQ(block_of(1, 3, 1), (ItemRange{1, 0}));
  EXPECT_EQ(block_of(0, 3, 2), (ItemRange{0, 0}));
}

TEST(BlockOf, DividesRangesFromTheirFirst) { EXPECT_EQ(block_of(ItemRange{100, 10}, 4, 1), (ItemRange{103, 3})); }

TEST(BlockOf, CoversAllItemsOnceAndEvenly) {
  EXPECT_TRUE(rc::check([] {
    const auto items = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 50),
                                       rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max() / 2));
    const auto parts = *rc::gen::inRange<std::int64_t>(1, 70);
    std::int64_t next = 0;
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    std::int64_t largest = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const ItemRange block = block_of(items, parts, part);
      RC_ASSERT(block.first == next);
      RC_ASSERT(block_of(ItemRange{7, items}, parts, part) == (ItemRange{7 + block.first, block.count}));
      next = block.end();
      smallest = std::min(smallest, block.count);
      largest = std::max(largest, block.count);
    }
    RC_ASSERT(next == items);
    RC_ASSERT(largest - smallest <= 1);
  }));
}

TEST(PartHolding, NamesTheBlockThatHoldsTheItem) {
  EXPECT_TRUE(rc::check([] {
    const auto items = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 50),
                                       rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 40U));
    const auto parts = *rc::gen::inRange<std::int64_t>(1, 70);
    const auto item = *rc::gen::inRange<std::int64_t>(0, items);
    const std::int64_t part = part_holding(item, items, parts);
    RC_ASSERT(part >= 0 && part < parts);
    const ItemRange block = block_of(items, parts, part);
    RC_ASSERT(block.first <= item && item < block.end());
  }));
}

TEST(Intersection, HoldsWhatBothHold) {
  EXPECT_TRUE(rc::check([] {
    const auto range =
        rc::gen::map(rc::gen::pair(rc::gen::inRange<std::int64_t>(0, 20), rc::gen::inRange<std::int64_t>(0, 20)),
                     [](std::pair<std::int64_t, std::int64_t> p) {
                       return ItemRange{p.first, p.second};
                     });
    const ItemRange a = *range;
    const ItemRange b = *range;
    const ItemRange both = intersection(a, b);
    const auto holds = [](ItemRange r, std::int64_t item) { return r.first <= item && item < r.end(); };
    RC_ASSERT(both.count >= 0);
    for (std::int64_t item = 0; item < 45; ++item) RC_ASSERT(holds(both, item) == (holds(a, item) && holds(b, item)));
  }));
}

TEST(ItemListTest, PlacesItemsBackToBack) {
  const ItemList list{3600, 240, 10};
  EXPECT_EQ(list.bytes_of({0, 1}), (ByteRange{3600, 240}));
  EXPECT_EQ(list.bytes_of({9, 1}).end(), 3600 + list.total_bytes());
  EXPECT_EQ(list.bytes_of(list.all()), (ByteRange{3600, 2400}));
  EXPECT_TRUE(list.bytes_of({10, 0}).empty());
  const ItemList large{3600, std::int64_t{1} << 20U, std::int64_t{1} << 30U};
  EXPECT_EQ(large.bytes_of({large.count - 1, 1}).end(), 3600 + (std::int64_t{1} << 50U));
}

}  // namespace
}  // namespace sill
