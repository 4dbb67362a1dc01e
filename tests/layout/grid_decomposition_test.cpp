// Boxes, and grids distributed to parts: every element to one of them, in closed form.
#include "sill/layout/grid_decomposition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/layout/decomposition.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

void for_each_element(const Box& box, const std::function<void(const Index&)>& visit) {
  Index at = box.first;
  for (std::int64_t item = 0; item < box.items(); ++item) {
    visit(at);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < box.first[d] + box.count[d]) break;
      at[d] = box.first[d];
    }
  }
}

Index any_index(std::size_t dimensions, std::int64_t min, std::int64_t max) {
  Index index;
  for (std::size_t d = 0; d < dimensions; ++d) index.push_back(test::any_number(min, max));
  return index;
}

GridDecomposition any_grid(const Index& shape) {
  if (*rc::gen::arbitrary<bool>()) return GridDecomposition::blocks(shape, any_index(shape.size(), 1, 4));
  std::vector<std::vector<std::int64_t>> cuts;
  for (const std::int64_t length : shape) {
    auto of_dimension = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, length + 1));
    of_dimension.push_back(0);
    of_dimension.push_back(length);
    std::sort(of_dimension.begin(), of_dimension.end());
    cuts.push_back(of_dimension);
  }
  return GridDecomposition::irregular(cuts);
}

bool is_inside(const Index& index, const Box& box) {
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < box.first[d] || index[d] >= box.first[d] + box.count[d]) return false;
  }
  return true;
}

TEST(Box, IntersectionHoldsWhatBothHold) {
  EXPECT_TRUE(rc::check([] {
    const auto dimensions = test::any_number<std::size_t>(1, 3);
    const Box a{any_index(dimensions, 0, 5), any_index(dimensions, 0, 5)};
    const Box b{any_index(dimensions, 0, 5), any_index(dimensions, 0, 5)};
    const Box both = intersection(a, b);
    std::int64_t expected = 0;
    for_each_element(a, [&](const Index& index) {
      if (!is_inside(index, b)) return;
      ++expected;
      RC_ASSERT(is_inside(index, both));
    });
    RC_ASSERT(both.items() == expected);
    RC_ASSERT(both.empty() == (expected == 0));
  }));
}

TEST(Box, AMarginIsCutAtTheEdges) {
  EXPECT_EQ(with_margin({{2, 0}, {3, 4}}, {1, 1}, {1, 1}, {10, 5}), (Box{{1, 0}, {5, 5}}));
  EXPECT_EQ(with_margin({{2, 0}, {3, 4}}, {9, 0}, {9, 0}, {10, 5}), (Box{{0, 0}, {10, 4}}));
  EXPECT_EQ(with_margin(whole({7}), {3}, {3}, {7}), whole({7}));
}

TEST(Box, StridesOfARowMajorArray) {
  EXPECT_EQ(row_major_strides({4, 5, 6}, 8), (Index{240, 48, 8}));
  EXPECT_EQ(offset_of({1, 2, 3}, {240, 48, 8}), 240 + 96 + 24);
  EXPECT_EQ(whole({4, 5, 6}).items(), 120);
  EXPECT_EQ(whole({}).items(), 1);
}

TEST(GridDecomposition, EveryElementIsInOnePart) {
  EXPECT_TRUE(rc::check([] {
    const Index shape = any_index(test::any_number<std::size_t>(1, 3), 0, 6);
    const GridDecomposition grid = any_grid(shape);
    RC_ASSERT(grid.shape() == shape);
    std::int64_t elements = 0;
    for (std::int64_t part = 0; part < grid.parts(); ++part) {
      const Box box = grid.box_of(part);
      RC_ASSERT(intersection(box, whole(shape)) == box);
      elements += box.items();
      for_each_element(box, [&](const Index& index) { RC_ASSERT(grid.part_holding(index) == part); });
    }
    RC_ASSERT(elements == whole(shape).items());
    RC_ASSERT(grid.box_of(grid.parts()).empty());
    RC_ASSERT(grid.box_of(grid.parts() + 7).empty());
  }));
}

TEST(GridDecomposition, BlocksAreThoseOfEveryDimension) {
  const GridDecomposition grid = GridDecomposition::blocks({7, 5}, {3, 2});
  EXPECT_EQ(grid.parts(), 6);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const ItemRange rows = block_of(7, 3, i);
      const ItemRange columns = block_of(5, 2, j);
      EXPECT_EQ(grid.box_of(i * 2 + j), (Box{{rows.first, columns.first}, {rows.count, columns.count}}));
    }
  }
}

TEST(GridDecomposition, RefusesWhatIsNone) {
  const auto is_usage = [](const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::blocks({4, 4}, {2}); }));
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::blocks({-1}, {2}); }));
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::blocks({4}, {0}); }));
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::irregular({{0, 4}, {1, 4}}); }));
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::irregular({{0}}); }));
  EXPECT_TRUE(is_usage([] { (void)GridDecomposition::irregular({{0, 3, 2, 4}}); }));
}

TEST(Box, CountsThatAreTooLargeAreNotTakenForNone) {
  const std::int64_t many = std::int64_t{1} << 40U;
  const Box too_large{{0, 0, 0}, {many, many, many}};  // 2^120 elements: 0 in 64 bits
  EXPECT_FALSE(too_large.empty());
  EXPECT_FALSE(is_countable(too_large, 1));
  EXPECT_FALSE(is_countable({{0, 0}, {many, many}}, 1));
  EXPECT_FALSE(is_countable({{0, 0, 0}, {many, 0, many}}, 1)) << "its strides are too large";
  EXPECT_TRUE(is_countable({{0}, {many}}, 1 << 22));
  EXPECT_FALSE(is_countable({{0}, {many}}, 1 << 23));
  EXPECT_FALSE(is_countable({{2 * farthest_index}, {1}}, 1));
  EXPECT_FALSE(is_countable({{-2 * farthest_index}, {1}}, 1));
  EXPECT_TRUE(is_countable({{-3, -3}, {many, 0}}, 4));
  EXPECT_TRUE((Box{{0, 0}, {many, 0}}.empty()));
}

TEST(Range, LiesInAListAlsoWhereItsEndIsNoNumber) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(lies_in({0, 10}, 10));
  EXPECT_TRUE(lies_in({10, 0}, 10));
  EXPECT_FALSE(lies_in({11, 0}, 10));
  EXPECT_FALSE(lies_in({1, 10}, 10));
  EXPECT_FALSE(lies_in({max, max}, 10));
  EXPECT_FALSE(lies_in({5, max}, max));
  EXPECT_FALSE(lies_in({-1, 1}, 10));
  EXPECT_FALSE(lies_in({3, -1}, 10));
}

}  // namespace
}  // namespace sill
