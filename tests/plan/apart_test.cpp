// Extents that take turns are distinguished from those that meet, against a map of bytes.
#include "sill/plan/apart.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "plan/any_extent.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::any_number;

bool share_bytes(const Extent& a, const Extent& b) {
  const std::vector<std::int64_t> of_a = test::places_in(0, {a});
  const std::vector<std::int64_t> of_b = test::places_in(0, {b});
  std::vector<std::int64_t> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(both));
  return !both.empty();
}

TEST(AreApart, NeverWhereBytesAreShared) {
  EXPECT_TRUE(rc::check([] {
    const Extent a = test::nested_extent();
    const Extent b = test::nested_extent();
    if (share_bytes(a, b)) {
      RC_ASSERT(!are_apart(a, b));
      RC_ASSERT(!are_apart(b, a));
    }
    // With the same strides, where it can distinguish most.
    Extent c = a;
    c.offset_bytes = any_number(0, 60);
    c.run_bytes = any_number(1, a.run_bytes);
    for (Step& step : c.steps) step.count = any_number(2, step.count);
    RC_CLASSIFY(are_apart(a, c));
    if (share_bytes(a, c)) RC_ASSERT(!are_apart(a, c));
  }));
}

TEST(AreApart, ContiguousOnesInGapsAre) {
  EXPECT_TRUE(rc::check([] {
    const Extent a = test::nested_extent();
    const Extent b{.offset_bytes = any_number(0, 100), .run_bytes = any_number(1, 10)};
    RC_ASSERT(are_apart(a, b) == !share_bytes(a, b));
    RC_ASSERT(are_apart(b, a) == !share_bytes(a, b));
  }));
}

// Components of a field, blocks of a grid with ghosts left out: known at once, however many runs there are.
TEST(AreApart, PartsOfAGridAre) {
  const auto component = [](std::int64_t number, std::int64_t cells) {
    return Extent{.offset_bytes = 4 * number, .run_bytes = 4, .steps = {{cells, 12, 0}}};
  };
  EXPECT_TRUE(are_apart(component(0, std::int64_t{1} << 33), component(2, std::int64_t{1} << 33)));
  EXPECT_FALSE(are_apart(component(0, std::int64_t{1} << 33), component(3, std::int64_t{1} << 33)));
  const auto block = [](std::int64_t plane, std::int64_t row, std::int64_t column, std::int64_t rows) {
    return Extent{.offset_bytes = plane * 1'000'000 + row * 1000 + column,
                  .run_bytes = 300,
                  .steps = {{400, 1'000'000, 0}, {rows, 1000, 0}}};
  };
  EXPECT_TRUE(are_apart(block(0, 0, 0, 500), block(0, 500, 0, 500)));
  EXPECT_TRUE(are_apart(block(0, 0, 0, 501), block(0, 500, 300, 500)));
  EXPECT_TRUE(are_apart(block(300, 10, 0, 20), block(0, 30, 0, 7)));
  EXPECT_FALSE(are_apart(block(0, 0, 0, 501), block(0, 500, 0, 500)));
  EXPECT_FALSE(are_apart(block(0, 0, 0, 501), block(0, 500, 299, 500)));
}

TEST(AreApart, OtherFilesAre) { EXPECT_TRUE(are_apart({.file = 0, .run_bytes = 5}, {.file = 1, .run_bytes = 5})); }

}  // namespace
}  // namespace sill
