// Which policy is chosen for which access, and what it depends on.
#include "sill/choose/policy_choice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "move/any_policy.hpp"

namespace sill {
namespace {

using Writers = Policy::Writers;

// `ranks` that hold `pieces` pieces each of a file, in turns or one after another.
std::vector<AccessSummary> shared_file(int ranks, std::int64_t piece_bytes, std::int64_t pieces, bool in_turns) {
  std::vector<AccessSummary> summaries;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t bytes = piece_bytes * pieces;
    const ByteRange range = in_turns ? ByteRange{rank * piece_bytes, (pieces - 1) * ranks * piece_bytes + piece_bytes}
                                     : ByteRange{rank * bytes, bytes};
    summaries.push_back({0, rank, range, bytes, in_turns ? pieces : 1});
  }
  return summaries;
}

constexpr std::int64_t stage_bytes = 4 << 20;

Policy chosen(const std::vector<AccessSummary>& summaries, const std::string& policy, FileSystemKind kind,
              const std::vector<int>& nodes) {
  return estimates(Policy::parse(policy),
                   {.summaries = summaries,
                    .node_of_ranks = nodes,
                    .core_share = 1,
                    .max_stage_bytes = stage_bytes,
                    .file_system = kind},
                   built_in_costs(kind))
      .front()
      .policy;
}

TEST(PolicyChoiceTest, SmallPiecesThatRanksInterleaveAreJoined) {
  const std::vector<int> nodes(4, 0);
  for (const auto kind :
       {FileSystemKind::memory, FileSystemKind::local, FileSystemKind::network, FileSystemKind::user_space}) {
    EXPECT_NE(chosen(shared_file(4, 96, 10'000, true), "auto", kind, nodes).writers, Writers::all);
    EXPECT_NE(chosen(shared_file(4, 4, 100'000, true), "auto", kind, nodes).writers, Writers::all);
    // Rows of a netCDF file, of two ranks that each have half: requests to one file wait for each other.
    EXPECT_NE(chosen(shared_file(2, 1600, 8442, true), "auto", kind, {0, 0}).writers, Writers::all);
  }
}

TEST(PolicyChoiceTest, GapsBetweenVariablesAreNotWritten) {
  // A step of an HDF5 file whose variables have room for ten: of two ranks that each have half of all rows.
  std::vector<AccessSummary> step = shared_file(2, 1600, 8442, true);
  for (AccessSummary& each : step) {
    each.covered_bytes = each.bounding_range.length;
    each.bounding_range.length *= 10;
  }
  for (const auto kind :
       {FileSystemKind::memory, FileSystemKind::local, FileSystemKind::network, FileSystemKind::user_space})
    EXPECT_NE(chosen(step, "auto", kind, {0, 0}).writers, Writers::all);
}

TEST(PolicyChoiceTest, LargePiecesAreWrittenByWhoHoldsThem) {
  const std::vector<int> nodes(4, 0);
  for (const auto kind :
       {FileSystemKind::memory, FileSystemKind::local, FileSystemKind::network, FileSystemKind::user_space}) {
    EXPECT_EQ(chosen(shared_file(4, 64 << 20, 1, false), "auto", kind, nodes), Policy{});
    EXPECT_EQ(chosen(shared_file(4, 16 << 20, 4, true), "auto", kind, nodes), Policy{});
    EXPECT_EQ(chosen(shared_file(1, 64 << 20, 1, false), "auto", kind, {0}), Policy{});
  }
  EXPECT_EQ(chosen({}, "auto", FileSystemKind::local, nodes), Policy{}) << "nothing is moved";
}

TEST(PolicyChoiceTest, ManyFilesOfSmallPiecesAreSpreadOverRanks) {
  const std::vector<int> nodes(4, 0);
  std::vector<AccessSummary> summaries;
  for (int file = 0; file < 100; ++file) {
    for (AccessSummary each : shared_file(4, 18, 1000, true)) {
      each.file = file;
      summaries.push_back(each);
    }
  }
  const Policy made = chosen(summaries, "auto", FileSystemKind::local, nodes);
  EXPECT_NE(made.writers, Writers::all);
  EXPECT_NE(made.writers, Writers::first);
}

TEST(PolicyChoiceTest, WhatIsNamedIsKept) {
  const std::vector<int> nodes(4, 0);
  const std::vector<AccessSummary> rows = shared_file(4, 96, 10'000, true);
  EXPECT_EQ(chosen(rows, "writers=elected", FileSystemKind::local, nodes).writers, Writers::elected);
  EXPECT_EQ(chosen(rows, "stage=64K", FileSystemKind::local, nodes).stage_bytes, 64 << 10);
  EXPECT_EQ(chosen(rows, "call=mpiio-collective", FileSystemKind::local, nodes), Policy::parse("collective"));
  EXPECT_EQ(chosen(rows, "align=1M", FileSystemKind::local, nodes).align_bytes, 1 << 20);
  EXPECT_TRUE(rc::check([&] {
    const Policy policy = test::any_policy();
    const Access access{.summaries = rows, .node_of_ranks = nodes, .max_stage_bytes = stage_bytes};
    for (const Policy& each : candidates(policy, access)) {
      RC_ASSERT(policy.allows(each));
      RC_ASSERT(!each.is_automatic());
      each.check();
    }
  }));
}

// The system hands one write of a file at a time to a program in user space.
TEST(PolicyChoiceTest, OneRankWritesASmallFileInUserSpace) {
  for (const int ranks : {2, 4}) {
    const std::vector<int> node(static_cast<std::size_t>(ranks), 0);
    const Policy made = chosen(shared_file(ranks, 96, 1000, true), "auto", FileSystemKind::user_space, node);
    EXPECT_TRUE(made.writers != Writers::all && made.writers != Writers::number) << made.text();
  }
}

// A request of a server takes as long as a megabyte: few writers with long requests.
TEST(PolicyChoiceTest, TheFileSystemCounts) {
  std::vector<int> nodes;
  for (int rank = 0; rank < 64; ++rank) nodes.push_back(rank / 8);
  const std::vector<AccessSummary> rows = shared_file(64, 96, 20'000, true);
  EXPECT_EQ(chosen(rows, "auto", FileSystemKind::network, nodes).stage_bytes, stage_bytes);
}

TEST(PolicyChoiceTest, EstimatesAscendAndSayWhatBindsThem) {
  const std::vector<int> nodes(4, 0);
  const std::vector<AccessSummary> rows = shared_file(4, 96, 10'000, true);
  const std::vector<PolicyEstimate> found =
      estimates(Policy::automatic(), {.summaries = rows, .node_of_ranks = nodes, .max_stage_bytes = stage_bytes},
                built_in_costs(FileSystemKind::local));
  ASSERT_GE(found.size(), 5U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_STRNE(found[i].cost.bound, "");
    if (i > 0) {
      EXPECT_GE(found[i].cost.seconds_s, found[i - 1].cost.seconds_s);
    }
  }
}

TEST(CostCorrectionTest, IsTheMedianOfAPolicyBeyondTheErrorOfEstimates) {
  const Policy direct;
  const Policy elected = Policy::parse("elected");
  CostCorrection correction;
  EXPECT_EQ(correction.factor(direct), 1);
  for (const double measured_s : {90.0, 80.0}) correction.add(direct, 1, measured_s);
  EXPECT_EQ(correction.factor(direct), 1) << "of too few";
  for (const double measured_s : {1.4, 0.1, 1.0}) correction.add(direct, 1, measured_s);
  EXPECT_EQ(correction.factor(direct), 1);
  correction.add(direct, 1, 30);
  EXPECT_EQ(correction.factor(direct), 1) << "one of several may be bad luck";
  for (const double measured_s : {10, 11, 12}) correction.add(direct, 1, measured_s);
  EXPECT_EQ(correction.factor(direct), 11);
  EXPECT_EQ(correction.factor(elected), 11) << "as the others";
  for (const double measured_s : {3, 1, 9}) correction.add(elected, 1, measured_s);
  EXPECT_EQ(correction.factor(elected), 3);
  EXPECT_EQ(correction.factor(Policy::parse("gathered")), 3) << "as the least of the others";
  for (int i = 0; i < 5; ++i) correction.add(elected, 1e-3, 0.9e-3);
  EXPECT_EQ(correction.factor(elected), 3) << "too short to correct anything";
  for (int i = 0; i < 3; ++i) correction.add(Policy::parse("staged"), 1e-320, 1);
  EXPECT_EQ(correction.factor(Policy::parse("staged")), 1e6);
  for (int i = 0; i < 5; ++i) correction.add(direct, 1, 0.01);
  EXPECT_EQ(correction.factor(direct), 1) << "never less";
}

// What requests of writes take, of so many pieces of 32 KiB by each of two ranks, beside what they should.
using Slowness = std::function<double(const AccessCost& cost)>;

std::vector<Policy> chosen_on(const Slowness& slowness, int writes, bool same_shape) {
  const std::vector<int> nodes(2, 0);
  ChooseByCost chooser(nullptr);
  std::vector<Policy> made;
  for (int i = 0; i < writes; ++i) {
    const std::vector<AccessSummary> summaries = shared_file(2, 32 << 10, 100 + (same_shape ? 0 : i), true);
    const Access access{.summaries = summaries, .node_of_ranks = nodes, .max_stage_bytes = stage_bytes};
    made.push_back(chooser.choose(Policy::automatic(), access));
    const AccessCost cost = cost_of(made.back(), access, built_in_costs(access.file_system));
    (void)chooser.begin_write(WriteTime{1, slowness(cost) * cost.requests_s}, false);
  }
  return made;
}

TEST(ChooseByCostTest, WritesOnAStoreWithLongRequestsAreChosenForByThese) {
  const auto latency = [](const AccessCost& cost) { return 1 + cost.counts.requests * 200e-6 / cost.requests_s; };
  for (const bool same_shape : {false, true}) {
    const std::vector<Policy> made = chosen_on(latency, 30, same_shape);
    EXPECT_EQ(made.front().writers, Writers::all);
    for (std::size_t i = 12; i < made.size(); ++i) {
      EXPECT_NE(made[i].writers, Writers::all) << i;
      EXPECT_EQ(made[i], made.back()) << "settled";
    }
  }
}

TEST(ChooseByCostTest, OnAStoreThatIsAsFastAsEstimatedNothingChanges) {
  for (const double times : {0.1, 1.0, 1.4}) {
    for (const Policy& each : chosen_on([&](const AccessCost&) { return times; }, 10, false)) {
      EXPECT_EQ(each.writers, Writers::all) << times;
    }
  }
}

TEST(AccessCostTest, RequestsAreThoseOfTheRankWithMost) {
  const std::vector<int> nodes(2, 0);
  const std::vector<AccessSummary> rows = shared_file(2, 1 << 20, 10, false);
  const Access access{.summaries = rows, .node_of_ranks = nodes, .max_stage_bytes = stage_bytes};
  const FileSystemCosts costs{.open_s = 1, .request_s = 0.1, .byte_s = 1e-6, .piece_s = 0, .copy_byte_s = 0};
  EXPECT_NEAR(cost_of(Policy{}, access, costs).requests_s, 0.1 + 10.48576, 1e-9);
  EXPECT_NEAR(cost_of(Policy{}, access, costs).seconds_s, 1.1 + 10.48576, 1e-9);
}

// Counts are those that movers report (tests/move/mover_counts_mpi_test.cpp): 4 files of 4 ranks, 4 bytes in turns.
TEST(AccessCostTest, CountsAreThoseOfTheMover) {
  const std::vector<int> nodes(4, 0);
  std::vector<AccessSummary> summaries;
  for (int file = 0; file < 8; ++file) {
    for (AccessSummary each : shared_file(4, 4, 1 << 18, true)) {
      each.file = file;
      summaries.push_back(each);
    }
  }
  const Access access{.summaries = summaries, .node_of_ranks = nodes, .max_stage_bytes = 16 << 20};
  const auto counts = [&](const char* policy) {
    return cost_of(Policy::parse(policy), access, built_in_costs(FileSystemKind::local)).counts;
  };
  EXPECT_EQ(counts("direct").requests, 8'388'608);
  EXPECT_EQ(counts("direct").opens, 32);
  EXPECT_EQ(counts("direct").messages, 0);
  EXPECT_EQ(counts("staged").requests, 128);
  EXPECT_EQ(counts("staged").opens, 8);
  EXPECT_NEAR(counts("staged").messages, 384, 1);
  EXPECT_NEAR(counts("staged").message_bytes, 25'165'824, 1000);
  EXPECT_NEAR(counts("staged").copied_bytes, 33'554'432 + 25'165'824, 1000);
  EXPECT_EQ(counts("elected").requests, 8);
  EXPECT_NEAR(counts("elected").messages, 24, 1);
  EXPECT_EQ(counts("writers=2,stage=1M,align=none").opens, 16);
}

}  // namespace
}  // namespace sill
