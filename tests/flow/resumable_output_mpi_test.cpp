// What an interrupted run has finished is known to the next one, on other ranks, and nothing else is.
#include "sill/flow/run/resumable_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/flow/run/pass_tally.hpp"
#include "sill/layout/decomposition.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill::flow {
namespace {

using test::thrown;
using test::world;

const std::vector<std::string> run_lines{"program 1", "operation agc window=3ms"};

// Collective. The unfinished file has bytes now.
void fill(ResumableOutput& output) {
  if (output.part() != nullptr) std::filesystem::resize_file(output.part()->path(), 1000);
}

// Whether each of `items` is finished.
std::vector<bool> finished_of(const ResumableOutput& output, std::int64_t items) {
  std::vector<bool> finished(static_cast<std::size_t>(items), true);
  for (const ItemRange& range : output.unfinished({0, items}))
    for (std::int64_t i = range.first; i < range.end(); ++i) finished[static_cast<std::size_t>(i)] = false;
  return finished;
}

TEST(ResumableOutput, KnowsWhatEachRankHasFinished) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  const Resources resources{.comm = comm};
  const std::string target = folder / "out.sgy";
  constexpr std::int64_t items = 200;
  std::vector<bool> expected(items, false);
  std::mt19937 random(7);  // the same on all ranks
  for (int run = 0; run < 5; ++run) {
    ResumableOutput output(resources, target, run_lines);
    fill(output);
    EXPECT_EQ(output.finished_before(), std::ranges::count(expected, true));
    EXPECT_EQ(finished_of(output, items), expected);
    const std::vector<double> counted{static_cast<double>(run), 0.1};
    if (run > 0) {
      EXPECT_EQ(output.counts_before()[0], run - 1);
      EXPECT_EQ(output.counts_before()[1], 0.1);
    }
    for (int part = 0; part < 4; ++part) {
      ItemRange own;
      for (int rank = 0; rank < comm.size(); ++rank) {
        const ItemRange block = block_of(items, comm.size(), rank);
        const auto share = static_cast<std::int64_t>(random() % 9);
        const ItemRange of_rank{block.first + static_cast<std::int64_t>(random()) % (block.count - share), share};
        for (std::int64_t i = of_rank.first; i < of_rank.end(); ++i) expected[static_cast<std::size_t>(i)] = true;
        if (rank == comm.rank()) own = of_rank;
      }
      output.add(own, counted);
    }
    const ItemRange some{37, 90};
    for (const ItemRange& range : output.unfinished(some)) {
      EXPECT_GE(range.first, some.first);
      EXPECT_LE(range.end(), some.end());
      EXPECT_FALSE(range.empty());
    }
  }
  ResumableOutput output(resources, target, run_lines);
  output.commit();
  EXPECT_EQ(test::names_in(folder.path()), (std::vector<std::string>{"out.sgy"}));
}

TEST(ResumableOutput, RefusesAnotherRun) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  const Resources resources{.comm = comm};
  const std::string target = folder / "out.sgy";
  {
    ResumableOutput output(resources, target, run_lines);
    fill(output);
    output.add({comm.rank(), 1}, {});
  }
  for (const std::vector<std::string>& other : {std::vector<std::string>{"program 1", "operation agc window=4ms"},
                                                {"program 1"},
                                                {"program 1", run_lines[1], ""}}) {
    const std::optional<Error> error = thrown([&] { const ResumableOutput output(resources, target, other); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
  const std::optional<Error> error = thrown([&] {
    const ResumableOutput output(resources, target, {"program 1", "operation agc window=4ms"});
  });
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().problem.find("window=3ms"), std::string::npos) << error->parts().problem;
  EXPECT_NE(error->parts().problem.find("window=4ms"), std::string::npos) << error->parts().problem;
}

TEST(ResumableOutput, LeavesNothingBeforeAnythingIsFinished) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  const Resources resources{.comm = comm};
  { const ResumableOutput output(resources, folder / "out.sgy", run_lines); }
  comm.barrier();
  EXPECT_TRUE(test::names_in(folder.path()).empty());
}

TEST(PassTally, IsTheSameAsNumbersAndOfAllRanks) {
  Communicator& comm = world();
  const auto tally_of = [](int rank) {
    PassTally tally;
    tally.encoded = {.samples = 10 + rank, .lost = 1, .largest_relative_error = 0.1 * rank};
    tally.decoded.zeroed = 3;
    tally.wrote_signal = rank == 1;
    if (rank != 0) tally.other_intervals = {1, 100 - rank, 2000 + rank};
    tally.taken = {rank, 2};
    tally.auxiliary.resize(2);
    tally.auxiliary[1].count(5.0, rank + 1);
    tally.auxiliary[1].count(6.5);
    if (rank > 0) tally.counted = {1, 2, 3};
    return tally;
  };
  PassTally expected;
  for (int rank = 0; rank < comm.size(); ++rank) expected.add(tally_of(rank));
  const PassTally all = tally_of(comm.rank()).of_all(comm);
  EXPECT_EQ(all.numbers(), expected.numbers());
  EXPECT_EQ(PassTally::from(all.numbers()).numbers(), all.numbers());
  EXPECT_EQ(all.encoded.samples, expected.encoded.samples);
  EXPECT_EQ(all.auxiliary[1].traces(), comm.size() * (comm.size() + 1) / 2 + comm.size());
  EXPECT_EQ(all.wrote_signal, comm.size() > 1);
  EXPECT_EQ(all.other_intervals.traces, comm.size() - 1);
  EXPECT_EQ(all.other_intervals.first_trace, comm.size() > 1 ? 101 - comm.size() : 0);
  EXPECT_EQ(all.other_intervals.first_us, comm.size() > 1 ? 1999 + comm.size() : 0);
}

}  // namespace
}  // namespace sill::flow
