// Which way to permute, and why.
#include "sill/choose/permutation_method.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace sill {
namespace {

bool says(const PermutationChoice& choice, const std::string& words) {
  return choice.why.find(words) != std::string::npos;
}

TEST(ChoosePermutation, GathersWhatStaysCachedBesideTheOutput) {
  const PermutationChoice choice =
      choose_permutation({.items = 1000, .item_bytes = 6000, .cacheable_bytes = 9'000'000});
  EXPECT_EQ(choice.method, PermutationMethod::gather);
  EXPECT_TRUE(says(choice, "6.0 MB fit into")) << choice.why;
  EXPECT_EQ(choice.read_bytes, 6'000'000);
  EXPECT_EQ(choice.write_bytes, 6'000'000);
}

TEST(ChoosePermutation, UsesBucketsBeyondThat) {
  const PermutationChoice choice =
      choose_permutation({.items = 1000, .item_bytes = 6000, .cacheable_bytes = 8'999'999});
  EXPECT_EQ(choice.method, PermutationMethod::buckets);
  EXPECT_TRUE(says(choice, "6.0 MB exceed")) << choice.why;
  EXPECT_EQ(choice.read_bytes, 12'000'000);
  EXPECT_EQ(choice.write_bytes, 12'000'000);
}

TEST(ChoosePermutation, NothingIsGathered) {
  EXPECT_EQ(choose_permutation({.items = 0, .item_bytes = 6000, .cacheable_bytes = 0}).method,
            PermutationMethod::gather);
}

TEST(ChoosePermutation, HugeSizesDoNotOverflow) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(choose_permutation({.items = 1, .item_bytes = 1000, .cacheable_bytes = most}).method,
            PermutationMethod::gather);
}

TEST(ChosenByUser, IsTakenWithWhatItMoves) {
  const PermutationFacts facts{.items = 10, .item_bytes = 100, .cacheable_bytes = 0};
  const PermutationChoice gather = chosen_by_user(facts, PermutationMethod::gather);
  EXPECT_EQ(gather.method, PermutationMethod::gather);
  EXPECT_EQ(gather.read_bytes, 1000);
  EXPECT_EQ(gather.why, "asked for");
  const PermutationChoice buckets = chosen_by_user(facts, PermutationMethod::buckets);
  EXPECT_EQ(buckets.method, PermutationMethod::buckets);
  EXPECT_EQ(buckets.write_bytes, 2000);
}

TEST(PermutationMethodName, IsWhatUsersWrite) {
  EXPECT_STREQ(name_of(PermutationMethod::gather), "gather");
  EXPECT_STREQ(name_of(PermutationMethod::buckets), "buckets");
}

}  // namespace
}  // namespace sill
