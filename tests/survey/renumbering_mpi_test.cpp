// Numbers within ensembles, over any split of the traces among ranks.
#include "sill/survey/edit/renumbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/world.hpp"

namespace sill {
namespace {

TEST(RenumberingMpi, EnsemblesReachOverRanks) {
  Communicator& comm = test::world();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    // The same on all ranks: traces, where the ranks' parts begin.
    const int traces = static_cast<int>(random() % 30);
    std::vector<std::int32_t> ensembles(static_cast<std::size_t>(traces));
    for (std::int32_t& ensemble : ensembles) ensemble = static_cast<std::int32_t>(random() % 2);
    std::vector<int> cuts(static_cast<std::size_t>(comm.size()) - 1);
    for (int& cut : cuts) cut = static_cast<int>(random() % static_cast<unsigned>(traces + 1));
    std::ranges::sort(cuts);
    const auto rank = static_cast<std::size_t>(comm.rank());
    const int begin = rank == 0 ? 0 : cuts[rank - 1];
    const int end = rank == cuts.size() ? traces : cuts[rank];

    std::vector<std::int64_t> wanted;
    for (int i = 0; i < traces; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool begins = i == 0 || ensembles[at] != ensembles[at - 1];
      wanted.push_back(begins ? 1 : wanted.back() + 1);
    }
    EnsembleEnds ends;
    for (int i = begin; i < end; ++i) ends.add(ensembles[static_cast<std::size_t>(i)]);
    EnsembleRun run = run_before(comm, ends);
    for (int i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(run.add(ensembles[at]), wanted[at]) << round;
    }
  }
}

}  // namespace
}  // namespace sill
