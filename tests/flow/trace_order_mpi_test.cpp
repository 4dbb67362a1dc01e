// Gathers are whole on ranks, in the order of their keys, with the neighbours that a rank needs.
#include "sill/flow/run/trace_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sill/comm/exchange.hpp"
#include "sill/flow/run/sorted_runs.hpp"
#include "sill/layout/decomposition.hpp"
#include "support/world.hpp"

namespace sill::flow {
namespace {

using test::world;

// Trace t of this rank's block has the key `key(t)`, if it stays.
template <class Key>
TraceOrder ordered(
    std::int64_t traces, std::int64_t halo, bool has_gathers, Key key,
    bool (*stays)(std::int64_t) = [](std::int64_t) { return true; }) {
  Communicator& comm = world();
  const ItemRange own = block_of(traces, comm.size(), comm.rank());
  std::vector<KeyRecord<1>> records;
  for (std::int64_t t = own.first; t < own.end(); ++t)
    if (stays(t)) records.push_back({{static_cast<std::uint64_t>(key(t)) << 32U}, t});
  sort_distributed(comm, records);
  return order_of(comm, std::move(records), has_gathers ? 4 : 0, halo);
}

TEST(TraceOrder, GathersAreWhole) {
  for (const std::int64_t traces : {0, 1, 5, 97}) {
    for (const std::int64_t gathers : {1, 3, 40}) {
      const auto key = [&](std::int64_t t) { return t * 7919 % gathers; };
      const TraceOrder order = ordered(traces, 0, true, key);
      const auto all = all_gather_all(world(), std::span<const std::int64_t>(order.numbers));
      ASSERT_EQ(std::ssize(all), traces);
      EXPECT_EQ(order.all, traces);
      std::vector<std::int64_t> expected(static_cast<std::size_t>(traces));
      std::iota(expected.begin(), expected.end(), 0);
      std::ranges::stable_sort(expected, {}, key);
      EXPECT_EQ(all, expected);
      EXPECT_EQ(order.all_gathers, std::min(traces, gathers));
      ASSERT_EQ(order.gathers.back(), order.own.count);
      for (std::size_t g = 0; g + 1 < order.gathers.size(); ++g) {
        const auto begin = static_cast<std::size_t>(order.gathers[g]);
        const auto end = static_cast<std::size_t>(order.gathers[g + 1]);
        for (std::size_t i = begin; i < end; ++i) EXPECT_EQ(key(order.numbers[i]), key(order.numbers[begin]));
        const std::int64_t of_key =
            std::ranges::count_if(expected, [&](std::int64_t t) { return key(t) == key(order.numbers[begin]); });
        EXPECT_EQ(static_cast<std::int64_t>(end - begin), of_key) << "a gather is cut";
      }
    }
  }
}

TEST(TraceOrder, NeighboursAreThoseOfTheOrder) {
  for (const std::int64_t traces : {1, 2, 3, 7, 50}) {
    for (const std::int64_t halo : {1, 3, 60}) {
      const TraceOrder order = ordered(traces, halo, false, [&](std::int64_t t) { return traces - t; });
      // In the order, trace p is the input's traces - 1 - p.
      const std::int64_t first = std::max<std::int64_t>(0, order.before - halo);
      const std::int64_t end = std::min(traces, order.before + order.own.count + halo);
      if (order.own.count == 0) continue;
      ASSERT_EQ(std::ssize(order.numbers), end - first);
      EXPECT_EQ(order.own.first, order.before - first);
      for (std::int64_t p = first; p < end; ++p)
        EXPECT_EQ(order.numbers[static_cast<std::size_t>(p - first)], traces - 1 - p);
    }
  }
}

TEST(SortedRuns, AreTakenForScatteredTracesBeyondTheCache) {
  Communicator& comm = world();
  constexpr std::int64_t traces = 20'000;
  // What is asked is a disk whose requests two threads make: more of them at once make scattered reads cheap enough.
  PermutationFacts facts{.items = traces, .item_bytes = 6000, .ranks = 1, .threads = 2};
  facts.memory_bytes = 32 << 20;
  facts.cacheable_bytes = 30 << 20;
  const auto shuffled = [](std::int64_t t) { return t * 7919 % traces; };
  const auto as_they_lie = [](std::int64_t t) { return t; };
  const TraceOrder all = ordered(traces, 0, false, shuffled);
  EXPECT_TRUE(are_runs_faster(comm, facts, all));
  EXPECT_FALSE(are_runs_faster(comm, facts, ordered(traces, 0, false, as_they_lie)));
  // Few traces, of all ranks or of the first alone, are read where they lie; nearly all are not.
  const auto taken = [&](bool (*stays)(std::int64_t)) {
    return are_runs_faster(comm, facts, ordered(traces, 0, false, shuffled, stays));
  };
  EXPECT_FALSE(taken([](std::int64_t t) { return t % 50 == 0; }));
  EXPECT_FALSE(taken([](std::int64_t t) { return t < 100; }));
  EXPECT_TRUE(taken([](std::int64_t t) { return t % 50 != 0; }));
  facts.cacheable_bytes = std::int64_t{1} << 30;
  EXPECT_FALSE(are_runs_faster(comm, facts, all));
}

}  // namespace
}  // namespace sill::flow
