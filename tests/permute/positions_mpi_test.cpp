// The inverse of an order that is spread over ranks.
#include "sill/permute/positions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "sill/layout/decomposition.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::same_everywhere;
using test::thrown;
using test::world;

// The part of rank `rank` of `order`, when ranks hold unequal parts, some nothing.
std::span<const std::int64_t> part_of(const std::vector<std::int64_t>& order, int rank, int ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> begin{0};
  for (int r = 1; r < ranks; ++r) begin.push_back(random() % (order.size() + 1));
  std::sort(begin.begin(), begin.end());
  begin.push_back(order.size());
  const auto mine = static_cast<std::size_t>(rank);
  return std::span(order).subspan(begin[mine], begin[mine + 1] - begin[mine]);
}

TEST(PositionsMpi, AreTheInverseOfTheOrder) {
  Communicator& comm = world();
  EXPECT_TRUE(rc::check([&] {
    const auto items = *rc::gen::inRange<std::int64_t>(0, 200);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
    const auto memory_bytes = *rc::gen::element<std::int64_t>(0, 100, 1000, 1 << 20);
    std::vector<std::int64_t> order(static_cast<std::size_t>(items));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    RC_ASSERT(everywhere(comm, [&] {
      const auto positions =
          positions_of_block(comm, part_of(order, comm.rank(), comm.size(), seed), items, memory_bytes);
      const ItemRange block = block_of(items, comm.size(), comm.rank());
      if (static_cast<std::int64_t>(positions.size()) != block.count) return false;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        if (order.at(static_cast<std::size_t>(positions[i])) != block.first + static_cast<std::int64_t>(i))
          return false;
      }
      return true;
    }));
  }));
}

TEST(PositionsMpi, ItemsThatAreNotNamedComeLast) {
  Communicator& comm = world();
  const std::vector<std::int64_t> order{5, 0, 3};
  const auto mine = part_of(order, comm.rank(), comm.size(), 7);
  const auto positions = positions_of_block(comm, mine, 7, 1, Unnamed::last);
  const std::vector<std::int64_t> all{1, 7, 7, 2, 7, 0, 7};
  const ItemRange block = block_of(7, comm.size(), comm.rank());
  EXPECT_EQ(positions, std::vector<std::int64_t>(all.begin() + block.first, all.begin() + block.end()));
}

TEST(PositionsMpi, AnOrderThatIsNoneIsRefusedByAll) {
  Communicator& comm = world();
  for (const std::vector<std::int64_t>& order :
       {std::vector<std::int64_t>{0, 1, 2, 2}, std::vector<std::int64_t>{0, 1, 2}, std::vector<std::int64_t>{},
        std::vector<std::int64_t>{0, 1, 2, 3, 3}, std::vector<std::int64_t>{0, 1, 2, 4},
        std::vector<std::int64_t>{0, -1, 2, 3}}) {
    for (const std::int64_t memory_bytes : {1, 1 << 20}) {
      const auto mine = part_of(order, comm.rank(), comm.size(), 7);
      const auto error = thrown([&] { (void)positions_of_block(comm, mine, 4, memory_bytes); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_EQ(error->parts().problem, "the new order does not contain every item exactly once");
      EXPECT_TRUE(same_everywhere(comm, error->what()));
    }
  }
}

}  // namespace
}  // namespace sill
