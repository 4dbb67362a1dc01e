// An estimate of the order of all items from that of a few.
#include "sill/choose/order_sample.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace sill {
namespace {

using Positions = std::vector<std::int64_t>;  // where each item goes

Positions in_place(std::int64_t items) {
  Positions positions(static_cast<std::size_t>(items));
  std::iota(positions.begin(), positions.end(), std::int64_t{0});
  return positions;
}

// A matrix of `rows` rows, turned over: neighbours end `rows` apart.
Positions transposed(std::int64_t rows, std::int64_t columns) {
  Positions positions;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) positions.push_back(column * rows + row);
  }
  return positions;
}

Positions shuffled(std::int64_t items, std::int64_t within) {
  Positions positions = in_place(items);
  std::mt19937_64 random(7);
  for (std::int64_t first = 0; first < items; first += within) {
    std::shuffle(positions.begin() + first, positions.begin() + std::min(items, first + within), random);
  }
  return positions;
}

OrderSample sample_of(const Positions& positions) {
  const std::vector<Look> looks = looks_at(static_cast<std::int64_t>(positions.size()), 1000);
  std::vector<std::int64_t> order;
  for (const Look& look : looks) {
    for (std::int64_t i = 0; i < look.items.count; ++i) order.push_back(look.items.first + i);
  }
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return positions[static_cast<std::size_t>(a)] < positions[static_cast<std::size_t>(b)];
  });
  return {looks, order};
}

// The truth: the part of neighbours that `piece_items` long pieces of the output hold together.
double truly_joined(const Positions& positions, std::int64_t piece_items) {
  std::int64_t together = 0;
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] / piece_items == positions[i - 1] / piece_items) ++together;
  }
  return static_cast<double>(together) / static_cast<double>(positions.size() - 1);
}

TEST(LooksAt, AreFewAndStandForAllItems) {
  EXPECT_TRUE(rc::check([] {
    const auto items = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 2000),
                                       rc::gen::inRange<std::int64_t>(2000, std::int64_t{1} << 40));
    const auto max_looks = *rc::gen::element<std::int64_t>(0, 64, 100, 500, 1024, 100000);
    const std::vector<Look> looks = looks_at(items, max_looks);
    std::int64_t end = 0;
    std::int64_t total = 0;
    std::int64_t stand_for = 0;
    for (const Look& look : looks) {
      RC_ASSERT(look.items.first >= end && look.items.count > 0 && look.stands_for >= look.items.count);
      end = look.items.end();
      total += look.items.count;
      stand_for += look.stands_for;
    }
    RC_ASSERT(end <= items);
    RC_ASSERT(stand_for == items);
    RC_ASSERT(total <= std::max<std::int64_t>(512, items / 100));
    RC_ASSERT(total <= 17408);
    RC_ASSERT(items > 512 || total == items);
    RC_ASSERT(static_cast<std::int64_t>(looks.size()) <= std::clamp<std::int64_t>(max_looks, 64, 1024) + 16);
  }));
}

TEST(OrderSample, KnowsHowManyNeighboursStayTogether) {
  struct Case {
    const char* name;
    Positions positions;
  };
  const std::vector<Case> cases{
      {"in place", in_place(200000)},
      {"transposed", transposed(400, 500)},
      {"transposed flat", transposed(4, 50000)},
      {"shuffled", shuffled(200000, 200000)},
      {"shuffled near by", shuffled(200000, 50)},
      {"shuffled in parts", shuffled(200000, 5000)},
  };
  for (const Case& one : cases) {
    const OrderSample sample = sample_of(one.positions);
    for (const std::int64_t piece_items : {300, 3000, 40000}) {
      EXPECT_NEAR(sample.joined(piece_items), truly_joined(one.positions, piece_items), 0.3)
          << one.name << " in pieces of " << piece_items;
    }
    EXPECT_EQ(sample.joined(200000), 1) << one.name;
    EXPECT_EQ(sample.joined(1), 0) << one.name;
  }
}

TEST(OrderSample, IsSureOfWhatIsInPlaceOrAnywhere) {
  EXPECT_GT(sample_of(in_place(200000)).joined(300), 0.99);
  EXPECT_GT(sample_of(shuffled(200000, 50)).joined(3000), 0.99);
  EXPECT_LT(sample_of(shuffled(200000, 200000)).joined(300), 0.01);
}

TEST(OrderSample, OfHardlyAnythingIsHarmless) {
  EXPECT_EQ(OrderSample().joined(1), 1);
  EXPECT_EQ(sample_of(in_place(1)).joined(1), 1);
  EXPECT_EQ(sample_of(in_place(2)).joined(1), 0);
  EXPECT_EQ(sample_of({}).joined(1), 1);
  EXPECT_EQ(sample_of(in_place(2)).joined(2), 1);
}

}  // namespace
}  // namespace sill
