// Numbers within ensembles, over any split of the traces among ranks.
#include "sill/flow/renumbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "comm/world.hpp"

namespace sill {
namespace {

TEST(RenumberingMpi, EnsemblesReachOverRanks) {
  Communicator& comm = test::world();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    // The same on all ranks: traces, where the ranks' parts begin, where files begin.
    const int traces = static_cast<int>(random() % 30);
    std::vector<std::int32_t> ensembles(static_cast<std::size_t>(traces));
    for (std::int32_t& ensemble : ensembles) ensemble = static_cast<std::int32_t>(random() % 2);
    const int second_file = static_cast<int>(random() % 40);
    std::vector<int> cuts(static_cast<std::size_t>(comm.size()) - 1);
    for (int& cut : cuts) cut = static_cast<int>(random() % static_cast<unsigned>(traces + 1));
    std::ranges::sort(cuts);
    const auto rank = static_cast<std::size_t>(comm.rank());
    const int begin = rank == 0 ? 0 : cuts[rank - 1];
    const int end = rank == cuts.size() ? traces : cuts[rank];

    std::vector<std::int64_t> wanted;
    for (int i = 0; i < traces; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool begins = i == 0 || i == second_file || ensembles[at] != ensembles[at - 1];
      wanted.push_back(begins ? 1 : wanted.back() + 1);
    }
    const auto numbers = numbers_in_ensembles(
        comm, std::span(ensembles).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        [&](std::int64_t i) { return begin + i == 0 || begin + i == second_file; });
    EXPECT_EQ(numbers, std::vector<std::int64_t>(wanted.begin() + begin, wanted.begin() + end)) << round;
  }
}

}  // namespace
}  // namespace sill
