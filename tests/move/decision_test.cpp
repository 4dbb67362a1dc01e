// The decision on an access: small, fast, fitting together on all ranks.
#include "sill/move/policy/decision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/memory.hpp"

namespace sill {
namespace {

// `ranks` that hold `pieces` pieces each of a file, in turns or one after another.
std::vector<AccessSummary> shared_file(int ranks, std::int64_t piece_bytes, std::int64_t pieces, bool in_turns) {
  std::vector<AccessSummary> summaries;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t bytes = piece_bytes * pieces;
    const ByteRange range = in_turns ? ByteRange{rank * piece_bytes, (pieces - 1) * ranks * piece_bytes + piece_bytes}
                                     : ByteRange{rank * bytes, bytes};
    summaries.push_back({0, rank, range, bytes, pieces});
  }
  return summaries;
}

TEST(DecisionTest, WhoCallsMpiIoTogetherIsLeftAlone) {
  const std::vector<int> nodes(4, 0);
  Election election;
  const Policy policy = Policy::parse("collective");
  const Decision made =
      decide(policy, 1, shared_file(4, 96, 100, true), {.stage_bytes = 4096, .topology = {nodes, 0}}, election);
  EXPECT_FALSE(made.exchanges);
  EXPECT_EQ(made.together.size(), 4U);
  EXPECT_TRUE(made.writers.empty());
}

TEST(DecisionTest, ARankAloneSendsNothing) {
  for (const char* text : {"staged", "elected", "aggregated", "writers=2,stage=1K"}) {
    for (const std::size_t ranks : {1U, 2U}) {
      const std::vector<int> nodes(ranks, 0);
      Election election;
      const Decision made = decide(Policy::parse(text), 0, shared_file(1, 96, 100, false),
                                   {.stage_bytes = 4096, .topology = {nodes, 0}}, election);
      EXPECT_EQ(made.exchanges, ranks > 1) << text;
    }
  }
}

// Who sends bytes to a writer has the same windows of that writer as the writer itself.
TEST(DecisionTest, DecisionsOfAllRanksFitTogether) {
  constexpr int ranks = 12;
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / 3);
  std::vector<AccessSummary> summaries;
  for (int file = 0; file < 5; ++file) {
    for (int rank = file; rank < ranks; rank += 1 + file) {
      summaries.push_back({file, rank, {1000 * rank, 5000}, 2000, 3});
    }
  }
  for (const char* text : {"staged", "gathered", "elected", "aggregated,align=512", "writers=5,stage=1K,align=none"}) {
    SCOPED_TRACE(text);
    std::map<int, std::vector<Segment>> of_writer;
    for (int rank = 0; rank < ranks; ++rank) {
      Election election;
      const Decision made = decide(Policy::parse(text), rank, summaries,
                                   {.stage_bytes = 1024, .align_bytes = 512, .topology = {nodes, 0}}, election);
      ASSERT_TRUE(made.exchanges);
      for (const WriterWindows& windows : made.writers) {
        std::vector<Segment> segments;
        for (std::int64_t number = 0; number < 100; ++number) {
          for (const Segment& segment : windows.window(number)) segments.push_back(segment);
        }
        const auto [known, is_new] = of_writer.emplace(windows.writer(), segments);
        if (is_new) continue;
        ASSERT_EQ(known->second.size(), segments.size());
        for (std::size_t i = 0; i < segments.size(); ++i) {
          EXPECT_EQ(known->second[i].file, segments[i].file);
          EXPECT_EQ(known->second[i].bytes, segments[i].bytes);
          EXPECT_EQ(known->second[i].stage_offset_bytes, segments[i].stage_offset_bytes);
        }
      }
    }
  }
}

// Any rank of a large job can be asked what it would do, without files or messages, and takes less than 0.1 s. The
// limit is far above what it takes (docs/adr/0040-one-decision-and-a-default.md), with sanitizers too.
TEST(DecisionTest, TenThousandRanksDecideInLittleTimeAndMemory) {
  static_assert(sizeof(AccessSummary) <= 64);
  constexpr int ranks = 10'000;
  std::vector<int> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / 50);
  const std::vector<AccessSummary> summaries = shared_file(ranks, 96, 1000, true);
  for (const char* text : {"direct", "staged", "elected", "aggregated", "writers=1000,stage=1M,align=none"}) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    const test::HeldMemory held;
    std::int64_t peers = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int rank = 0; rank < ranks; rank += 100) {
      Election election;
      const Decision made = decide(policy, rank, summaries, {.stage_bytes = 4 << 20, .topology = {nodes, 0}}, election);
      peers = std::max(peers, static_cast<std::int64_t>(made.writers.size()));
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(elapsed.count(), 0.1 * ranks / 100);
    EXPECT_LT(held.max_bytes(), 100'000'000);
    EXPECT_LE(peers, 1000);
  }
}

}  // namespace
}  // namespace sill
