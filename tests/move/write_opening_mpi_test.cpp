// What ranks agree on as a write begins: by one reduction, and the same on all of them.
#include "sill/move/write_opening.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "comm/counting_communicator.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::failed;
using test::thrown;
using test::world;

TEST(WriteOpeningMpi, CostsOneReduction) {
  test::CountingCommunicator comm(world());
  const OpenedWrite opened = agree_on_write(comm, {}, {.plans = {{.distance_bytes = 3}, {.distance_bytes = -5}}});
  EXPECT_EQ(comm.reductions, 1);
  EXPECT_EQ(comm.gathers + comm.broadcasts + comm.barriers + comm.all_to_alls, 0);
  ASSERT_EQ(opened.distances_bytes.size(), 2U);
  EXPECT_EQ(opened.distances_bytes[0], 3);
  EXPECT_EQ(opened.distances_bytes[1], -5);
}

TEST(WriteOpeningMpi, ADistanceIsThatOfAllRanks) {
  const std::int64_t rank = world().rank();
  const bool is_alone = world().size() == 1;
  const auto distance_of = [&](const PlanRepeat& plan) {
    return agree_on_write(world(), {}, {.plans = {plan}}).distances_bytes.at(0);
  };
  EXPECT_EQ(distance_of({.distance_bytes = rank}), is_alone ? std::optional<std::int64_t>(0) : std::nullopt);
  // An empty plan matches the others, whichever rank has it.
  for (int empty = 0; empty < world().size(); ++empty) {
    const bool is_mine = rank == empty;
    const PlanRepeat plan{.distance_bytes = is_mine ? 0 : 40, .is_empty = is_mine};
    EXPECT_EQ(distance_of(plan), is_alone ? 0 : 40);
    // One that is not known on any rank has to be planned by all.
    EXPECT_EQ(distance_of(is_mine ? PlanRepeat{.is_empty = true} : plan), std::nullopt);
  }
  EXPECT_EQ(distance_of({.distance_bytes = 7, .is_empty = true}), 0);
  EXPECT_TRUE(agree_on_write(world(), {}, {}).distances_bytes.empty());
}

TEST(WriteOpeningMpi, NumbersOfRanksAreJoined) {
  const std::int64_t rank = world().rank();
  const std::int64_t last = world().size() - 1;
  const OpenedWrite opened = agree_on_write(
      world(), {.of_root = 100 + rank, .is_unchanged = rank != last},
      {.done = 5 + rank, .last_call = CallTime{1'000'000'000 * (1 + rank), 500'000'000 * (1 + last - rank)}});
  EXPECT_EQ(opened.agreed.of_root, 100);
  EXPECT_FALSE(opened.agreed.is_unchanged);
  EXPECT_EQ(opened.done, 5);
  ASSERT_TRUE(opened.last_call);
  EXPECT_DOUBLE_EQ(opened.last_call->total_s, static_cast<double>(1 + last));
  EXPECT_DOUBLE_EQ(opened.last_call->requests_s, 0.5 * static_cast<double>(1 + last));
  EXPECT_TRUE(agree_on_write(world(), {}, {}).agreed.is_unchanged);
  EXPECT_FALSE(agree_on_write(world(), {}, {}).last_call);
}

TEST(WriteOpeningMpi, TheErrorOfTheLowestRankIsThatOfAll) {
  for (int lowest = 0; lowest < world().size(); ++lowest) {
    Opening opening;
    if (world().rank() >= lowest) opening.error = failed("no room on " + std::to_string(world().rank()));
    const std::optional<Error> error = thrown([&] { (void)agree_on_write(world(), opening, {}); });
    ASSERT_TRUE(error);
    EXPECT_NE(std::string(error->what()).find("no room on " + std::to_string(lowest)), std::string::npos)
        << error->what();
  }
}

TEST(WriteOpeningMpi, WhatMustBeEqualIsCompared) {
  Opening opening{.equal = 10 + world().rank(), .unequal = [](std::int64_t min, std::int64_t max) {
                    return failed(std::to_string(min) + " to " + std::to_string(max));
                  }};
  const std::optional<Error> error = thrown([&] { (void)agree_on_write(world(), opening, {}); });
  EXPECT_EQ(error.has_value(), world().size() > 1);
  if (error) {
    EXPECT_NE(std::string(error->what()).find("10 to " + std::to_string(9 + world().size())), std::string::npos);
  }
  opening.unequal = {};  // then it does not matter
  EXPECT_FALSE(thrown([&] { (void)agree_on_write(world(), opening, {}); }));
}

}  // namespace
}  // namespace sill
