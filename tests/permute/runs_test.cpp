// How items are divided into runs: every item in one run, every run of one rank.
#include "sill/permute/runs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

TEST(RunLayoutTest, DividesEachRanksBlock) {
  const RunLayout layout(10, 2, 2);  // blocks of 5: 2 + 2 + 1
  EXPECT_EQ(layout.runs(), 6);
  EXPECT_EQ(layout.runs_of(0), (ItemRange{0, 3}));
  EXPECT_EQ(layout.runs_of(1), (ItemRange{3, 3}));
  EXPECT_TRUE(layout.runs_of(2).empty());
  EXPECT_TRUE(layout.items_of(2).empty());
  EXPECT_EQ(layout.items_of_run(2), (ItemRange{4, 1}));
  EXPECT_EQ(layout.items_of_run(3), (ItemRange{5, 2}));
  EXPECT_EQ(layout.run_holding(4), 2);
  EXPECT_EQ(layout.run_holding(5), 3);
}

TEST(RunLayoutTest, RunsCoverAllItemsInOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto items = *rc::gen::inRange<std::int64_t>(0, 200);
    const auto parts = *rc::gen::inRange(1, 6);
    const auto run_items = *rc::gen::inRange<std::int64_t>(1, 60);
    const RunLayout layout(items, parts, run_items);
    std::int64_t next_run = 0;
    std::int64_t next_item = 0;
    for (int rank = 0; rank < parts + 2; ++rank) {
      const ItemRange runs = layout.runs_of(rank);
      RC_ASSERT(runs.first == next_run);
      RC_ASSERT(layout.items_of(rank) == (rank < parts ? block_of(items, parts, rank) : ItemRange{items, 0}));
      for (; next_run < runs.end(); ++next_run) {
        const ItemRange run = layout.items_of_run(next_run);
        RC_ASSERT(run.first == next_item);
        RC_ASSERT(run.count >= 1 && run.count <= run_items);
        for (; next_item < run.end(); ++next_item) RC_ASSERT(layout.run_holding(next_item) == next_run);
      }
      RC_ASSERT(next_item == layout.items_of(rank).end());
    }
    RC_ASSERT(next_run == layout.runs());
    RC_ASSERT(next_item == items);
  }));
}

TEST(RunLayoutTest, ARunHasNoMoreItemsThan32BitsNumber) {
  constexpr std::int64_t max = std::int64_t{1} << 31U;
  for (const std::int64_t run_items : {max, max + 1, 3 * max, std::int64_t{1} << 62U}) {
    const RunLayout layout(4 * max + 6, 2, run_items);  // blocks of 2 * max + 3: two full runs and 3 items
    EXPECT_EQ(layout.runs(), 6);
    EXPECT_EQ(layout.items_of_run(0), (ItemRange{0, max}));
    EXPECT_EQ(layout.items_of_run(2), (ItemRange{2 * max, 3}));
    EXPECT_EQ(layout.items_of_run(3), (ItemRange{2 * max + 3, max}));
    EXPECT_EQ(layout.run_holding(4 * max + 5), 5);
  }
  EXPECT_EQ(RunLayout(max, 1, max - 1).runs(), 2) << "fewer are as they were asked for";
}

TEST(ItemsARun, AreWhatAThreadHoldsButNotMoreThanHelps) {
  constexpr std::int64_t mega = 1 << 20;
  const auto of = [](std::int64_t items, int parts, std::int64_t memory_bytes, int threads) {
    return items_per_run(items, 1000, parts, memory_bytes, threads);
  };
  EXPECT_EQ(of(100'000'000, 1, 1040 * 500, 1), 500);
  EXPECT_EQ(of(100'000'000, 1, 1040 * 500, 2), 250);
  EXPECT_EQ(of(100'000'000, 1, 1039, 2), 0) << "not one";
  EXPECT_EQ(of(100'000'000, 1, -5, 2), 0);
  // Of n runs a stretch of the output of that length takes pieces of an n-th: long enough.
  const std::int64_t run = of(100'000'000, 1, 100'000 * mega, 2);
  EXPECT_NEAR(static_cast<double>(run) * static_cast<double>(run) * 1000 / 100'000'000, 4 * mega, mega / 100);
  // Every thread has a run.
  EXPECT_EQ(of(1000, 2, 1000 * mega, 4), 125);
  EXPECT_EQ(of(3, 4, 1000 * mega, 4), 1);
}

}  // namespace
}  // namespace sill
