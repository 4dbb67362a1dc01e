#include "sill/base/whole_number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sill {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(WholeNumber, IsWithinItsBounds) {
  EXPECT_EQ(integer_within(3.9, 0, 10), 3);
  EXPECT_EQ(integer_within(-0.5, 0, 10), 0);
  EXPECT_EQ(integer_within(nan, -5, 10), -5);
  for (const double large : {10.0, 1e19, 1e300, infinite}) EXPECT_EQ(integer_within(large, -5, 10), 10);
  for (const double small : {-5.0, -1e19, -1e300, -infinite}) EXPECT_EQ(integer_within(small, -5, 10), -5);
}

TEST(WholeNumber, IsTheNearestOrNone) {
  EXPECT_EQ(nearest_integer(2.5), 2);
  EXPECT_EQ(nearest_integer(3.5), 4);
  EXPECT_EQ(nearest_integer(-0x1p62), -(std::int64_t{1} << 62));
  for (const double beyond : {nan, infinite, -infinite, 0x1p63, -0x1p63, 1e300})
    EXPECT_EQ(nearest_integer(beyond), std::nullopt);
}

}  // namespace
}  // namespace sill
