// Counting numbers over ranks, against a count of all of them in one place.
#include "sill/survey/select/distinct_keys.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sill/survey/geometry/grid_point_count.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using Counted = std::map<std::uint64_t, std::int64_t>;

// Numbers of one kind for each rank, the same whoever asks.
std::vector<std::uint64_t> numbers_of(int kind, int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(100 * kind + rank));
  std::vector<std::uint64_t> numbers;
  const int count = kind == 0 ? 0 : kind == 1 && rank != 1 ? 0 : 2000 + 10 * rank;
  for (int i = 0; i < count; ++i) {
    switch (kind) {
      case 2: numbers.push_back(42); break;                                             // all the same
      case 3: numbers.push_back(random() % 50); break;                                  // few
      case 4: numbers.push_back(random() >> 1U); break;                                 // hardly two the same
      case 5: numbers.push_back(static_cast<std::uint64_t>(10'000 * rank + i)); break;  // in order
      case 6: numbers.push_back(random() % 2 == 0 ? 7 : random() % 1'000'000); break;   // half the same
      default: numbers.push_back((std::uint64_t{1} << 63U) - 1 - random() % 3);         // the largest
    }
  }
  return numbers;
}

TEST(DistinctKeysMpi, CountsAllNumbersOnce) {
  Communicator& comm = test::world();
  for (int kind = 0; kind < 8; ++kind) {
    Counted expected;
    for (int rank = 0; rank < comm.size(); ++rank) {
      for (const std::uint64_t number : numbers_of(kind, rank)) ++expected[number];
    }
    const DistinctKeys keys(comm, numbers_of(kind, comm.rank()));
    std::vector<std::pair<std::uint64_t, std::int64_t>> mine;
    keys.for_each([&](std::uint64_t key, std::int64_t count) { mine.emplace_back(key, count); });
    std::vector<std::uint64_t> flat;
    for (const auto& [key, count] : mine) flat.insert(flat.end(), {key, static_cast<std::uint64_t>(count)});
    const std::vector<std::uint64_t> all = all_gather_all(comm, std::span<const std::uint64_t>(flat));
    // Ascending over ranks, and each number once.
    std::vector<std::uint64_t> wanted;
    for (const auto& [key, count] : expected) wanted.insert(wanted.end(), {key, static_cast<std::uint64_t>(count)});
    EXPECT_EQ(all, wanted) << kind;
  }
}

TEST(DistinctKeysMpi, LinesOfAllRanks) {
  Communicator& comm = test::world();
  // Lines -2^31, 0, 4, 10 and 2^31 - 1, each on some rank.
  const std::vector<std::int32_t> all{INT32_MIN, 0, 4, 4, 10, INT32_MAX};
  std::vector<std::int32_t> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (static_cast<int>(i) % comm.size() == comm.rank()) mine.insert(mine.begin(), all[i]);
  }
  const LineAxis axis = count_lines(comm, std::move(mine));
  EXPECT_EQ(axis.first, INT32_MIN);
  EXPECT_EQ(axis.last, INT32_MAX);
  EXPECT_EQ(axis.lines, 5);
  EXPECT_EQ(axis.step, 1);
  EXPECT_EQ(axis.usual_step, 4);
  EXPECT_EQ(axis.missing(), (std::int64_t{1} << 32) - 5);
}

}  // namespace
}  // namespace sill
