// What is kept of chunks that are used again.
#include "sill/io/arrays/chunk_source.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace sill::arrays_test {
namespace {

TEST(RecentlyUsed, KeepsTheMostRecentlyUsed) {
  RecentlyUsed<std::int64_t> kept(3);
  int made = 0;
  const auto of = [&](std::int64_t number) {
    return *kept.of(number, [&](std::int64_t& value) {
      value = 10 * number;
      ++made;
    });
  };
  for (const std::int64_t number : {1, 2, 3, 1, 2, 3}) EXPECT_EQ(of(number), 10 * number);
  EXPECT_EQ(made, 3);
  of(1);
  of(4);  // instead of 2
  of(1);
  of(3);
  EXPECT_EQ(made, 4);
  EXPECT_EQ(of(2), 20);  // instead of 4
  EXPECT_EQ(made, 5);
  of(1);
  of(3);
  EXPECT_EQ(made, 5);
  EXPECT_EQ(of(4), 40);
  EXPECT_EQ(made, 6);
}

// A search of a list would visit 10^10 values.
TEST(RecentlyUsed, FindsEachOfManyInConstantTime) {
  constexpr std::int64_t count = 100000;
  RecentlyUsed<std::int64_t> kept(count);
  std::int64_t made = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t number = 0; number < count; ++number) {
      const auto found = kept.of(number, [&](std::int64_t& value) {
        value = number;
        ++made;
      });
      ASSERT_EQ(*found, number);
    }
  }
  EXPECT_EQ(made, count);
}

}  // namespace
}  // namespace sill::arrays_test
