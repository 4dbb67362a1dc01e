#include "sill/survey/timelapse/nearest_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "sill/survey/timelapse/position_measures.hpp"

namespace sill {
namespace {

using Point = SourceReceiverDistance::Point;

// Three nearest of what is left, while items are taken out until the tree was built anew several times.
void expect_as_by_looking_at_all(int values_of_coordinate, bool reciprocal) {
  std::mt19937 random(1);
  const auto any_point = [&] {
    std::uniform_int_distribution<int> coordinate(0, values_of_coordinate - 1);
    Point point{};
    std::generate(point.begin() + 1, point.end(), [&] { return 6.4e6 + 0.1 * coordinate(random); });
    return point;
  };
  constexpr std::int64_t count = 20'000;
  std::vector<Point> points(count);
  std::ranges::generate(points, any_point);
  const SourceReceiverDistance measure{reciprocal};
  NearestTree<SourceReceiverDistance> tree(points, measure, 2);
  std::vector<std::int64_t> left(count);
  for (std::int64_t i = 0; i < count; ++i) left[static_cast<std::size_t>(i)] = i;
  while (!left.empty()) {
    if (left.size() % 250 == 0 || left.size() < 5) {
      const Point from = any_point();
      std::vector<Nearest> all;
      for (const std::int64_t item : left)
        all.push_back({measure.distance(from, points[static_cast<std::size_t>(item)]), item});
      std::ranges::sort(all, [](const Nearest& a, const Nearest& b) { return a.is_before(b); });
      all.resize(3);
      if (left.size() < 3) std::fill(all.begin() + static_cast<std::ptrdiff_t>(left.size()), all.end(), Nearest{1e9});
      std::array<Nearest, 3> found;
      tree.nearest(from, 1e9, found);
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].item, all[i].item) << left.size();
        ASSERT_EQ(found[i].distance, all[i].distance);
      }
    }
    std::uniform_int_distribution<std::size_t> any(0, left.size() - 1);
    const std::size_t at = any(random);
    ASSERT_TRUE(tree.is_left(left[at]));
    tree.remove(left[at], 2);
    ASSERT_FALSE(tree.is_left(left[at]));
    left[at] = left.back();
    left.pop_back();
  }
}

TEST(NearestTreeTest, FindsTheNearestOfWhatIsLeft) { expect_as_by_looking_at_all(1000, false); }

TEST(NearestTreeTest, FindsReciprocalOnes) { expect_as_by_looking_at_all(1000, true); }

TEST(NearestTreeTest, TakesTheLowestOfEqualOnes) { expect_as_by_looking_at_all(2, true); }

TEST(NearestTreeTest, FindsNoneAmongNoneOrTooFar) {
  NearestTree<SourceReceiverDistance> none({}, {}, 1);
  std::array<Nearest, 1> found;
  none.nearest({}, 1.0, found);
  EXPECT_EQ(found[0].item, Nearest::none);
  const std::array<Point, 1> one{Point{0, 0, 0, 3, 4}};
  NearestTree<SourceReceiverDistance> tree(one, {}, 1);
  tree.nearest({}, 4.9, found);
  EXPECT_EQ(found[0].item, Nearest::none);
  tree.nearest({}, 5.0, found);
  EXPECT_EQ(found[0].item, 0);
  tree.nearest({1.0, 0, 0, 3, 4}, 5.0, found);
  EXPECT_EQ(found[0].item, Nearest::none) << "another group";
}

}  // namespace
}  // namespace sill
