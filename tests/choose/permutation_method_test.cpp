// Which way to permute, what each costs, and why.
#include "sill/choose/permutation_method.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr std::int64_t gigabyte = 1'000'000'000;

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// A file of 1 GB in traces of 6 kB, cached, on two threads; the new order scatters it.
PermutationFacts cached_file() {
  PermutationFacts facts;
  facts.items = 160'000;
  facts.item_bytes = 6'240;
  facts.threads = 2;
  facts.memory_bytes = 6 * gigabyte;
  facts.cacheable_bytes = 20 * gigabyte;
  facts.looked = true;
  facts.items_looked_at = 3'200;
  facts.joined_in_window = {1};
  facts.joined_in_cache = 1;
  facts.request_s = 1.5e-6;
  facts.read_s_per_byte = 0.12e-9;
  return facts;
}

// The same, four times as large as what can stay cached, read from a disk.
PermutationFacts beyond_the_cache() {
  PermutationFacts facts = cached_file();
  facts.memory_bytes = 62'000'000;
  facts.cacheable_bytes = gigabyte / 4;
  facts.joined_in_window = {0.06};
  facts.joined_in_cache = 0.16;
  facts.request_s = 150e-6;
  facts.read_s_per_byte = 0.6e-9;
  return facts;
}

const PermutationEstimate& of(const PermutationChoice& choice, PermutationMethod method) {
  for (const PermutationEstimate& estimate : choice.estimates) {
    if (estimate.method == method) return estimate;
  }
  throw Error({.problem = "no estimate"});
}

TEST(ChoosePermutation, GathersWhatIsCached) {
  for (const double joined : {0.0, 0.5, 1.0}) {
    PermutationFacts facts = cached_file();
    facts.joined_in_chunk = joined;
    const PermutationChoice choice = choose_permutation(facts);
    EXPECT_EQ(choice.method, PermutationMethod::gather) << joined << choice.why;
    EXPECT_EQ(choice.read_bytes, facts.items * facts.item_bytes);
    EXPECT_EQ(choice.write_bytes, facts.items * facts.item_bytes);
  }
}

// Buckets took 2 to 3 times as long as the better of the others where everything was cached.
TEST(ChoosePermutation, BucketsAreFarBehindWhatIsCached) {
  PermutationFacts facts = cached_file();
  for (const double request_s : {1e-6, 2e-6, 4e-6}) {
    facts.request_s = request_s;
    const PermutationChoice choice = choose_permutation(facts);
    EXPECT_NE(choice.method, PermutationMethod::buckets) << choice.why;
    EXPECT_GT(of(choice, PermutationMethod::buckets).seconds_s, 1.5 * of(choice, PermutationMethod::gather).seconds_s);
  }
}

// A scatter holds the output: where its time is about that of a gather, memory decides. A shuffled file of 1 GB took
// half as long by gather, with 29 MB instead of 987 MB.
TEST(ChoosePermutation, MemoryCountsAsACost) {
  PermutationFacts facts = cached_file();
  facts.items = 250'000;
  facts.item_bytes = 4'240;
  for (const double request_s : {1e-6, 60e-6}) {
    facts.request_s = request_s;
    const PermutationChoice choice = choose_permutation(facts);
    EXPECT_EQ(choice.method, PermutationMethod::gather) << choice.why;
    EXPECT_GT(of(choice, PermutationMethod::scatter).seconds_s, 1.1 * of(choice, PermutationMethod::gather).seconds_s);
  }
}

TEST(ChoosePermutation, DoesNotGatherTinyItemsOneByOne) {
  PermutationFacts facts = cached_file();
  facts.items = 10'000'000;
  facts.item_bytes = 280;
  facts.request_s = 0.8e-6;
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::scatter) << "memory holds the output";
  facts.joined_in_chunk = 1;
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::gather) << "they lie together";
  facts.joined_in_chunk = 0;
  facts.memory_bytes = 64 << 20;
  facts.joined_in_window = {0.02};
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::gather)
      << "a scatter would read it 50 times, and buckets sort each item into a run and out of it";
}

// Ten million traces of 10 samples took 7.1 s and 2.9 GB in one pass, 2.9 s and 0.7 GB in several.
TEST(ChoosePermutation, AScatterHoldsLessWhereNeighboursStillStayTogether) {
  PermutationFacts facts = cached_file();
  facts.items = 10'000'000;
  facts.item_bytes = 280;
  facts.request_s = 1.5e-6;
  const std::int64_t all = facts.items * facts.item_bytes;
  const PermutationChoice apart = choose_permutation(facts);
  EXPECT_EQ(apart.method, PermutationMethod::scatter) << apart.why;
  EXPECT_GE(apart.memory_bytes, all / 4) << "another pass would read all once more, or nearly every item by itself";
  facts.joined_in_window.fill(0.9);
  const PermutationChoice near = choose_permutation(facts);
  EXPECT_EQ(near.method, PermutationMethod::scatter) << near.why;
  EXPECT_LT(near.memory_bytes, apart.memory_bytes) << of(near, PermutationMethod::scatter).how;
  EXPECT_GE(near.memory_bytes, std::int64_t{64} << 20);
  EXPECT_LT(near.estimates[1].seconds_s, apart.estimates[1].seconds_s);
  EXPECT_EQ(chosen_by_user(facts, PermutationMethod::gather).memory_bytes, facts.memory_bytes);
}

TEST(ChoosePermutation, UsesBucketsBeyondTheCache) {
  const PermutationChoice choice = choose_permutation(beyond_the_cache());
  EXPECT_EQ(choice.method, PermutationMethod::buckets) << choice.why;
  EXPECT_EQ(choice.read_bytes, 2 * 160'000 * 6'240);
  EXPECT_EQ(choice.write_bytes, 2 * 160'000 * 6'240);
}

TEST(ChoosePermutation, GathersWhatIsNearlySorted) {
  PermutationFacts facts = beyond_the_cache();
  facts.items *= 1000;
  facts.joined_in_chunk = 0.99;
  facts.joined_in_window = {1};
  facts.joined_in_cache = 1;
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::gather);
  facts.joined_in_chunk = 0;
  EXPECT_NE(choose_permutation(facts).method, PermutationMethod::gather);
}

TEST(ChoosePermutation, ScattersWhatManyRanksHoldInMemory) {
  PermutationFacts facts = beyond_the_cache();
  facts.items *= 100;
  facts.ranks = 64;
  facts.memory_bytes = 4 * gigabyte;
  facts.cacheable_bytes = 64 * gigabyte;
  const PermutationChoice choice = choose_permutation(facts);
  EXPECT_EQ(choice.method, PermutationMethod::scatter) << choice.why;
  EXPECT_TRUE(says(of(choice, PermutationMethod::scatter).how, "once"));
}

TEST(ChoosePermutation, KnowsThatReadingHeadersFillsTheCache) {
  PermutationFacts facts = cached_file();
  facts.request_s = 120e-6;
  facts.read_s_per_byte = 0.6e-9;
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::gather);
  facts.items = 10'000;
  facts.item_bytes = 100'000;  // here it does not
  facts.request_s = 1e-3;
  EXPECT_NE(choose_permutation(facts).method, PermutationMethod::gather);
}

TEST(ChoosePermutation, SaysWhatIsImpossible) {
  PermutationFacts facts = beyond_the_cache();
  facts.ranks = 100;
  facts.memory_bytes = 100'000;
  const PermutationChoice choice = choose_permutation(facts);
  EXPECT_FALSE(of(choice, PermutationMethod::scatter).possible);
  EXPECT_TRUE(says(of(choice, PermutationMethod::scatter).how, "impossible: needs 1.3 MB"))
      << of(choice, PermutationMethod::scatter).how;
  EXPECT_TRUE(says(choice.why, "scatter impossible")) << choice.why;
  EXPECT_NE(choice.method, PermutationMethod::scatter);

  facts.memory_bytes = 6'000;  // not one item: the gather will say so
  const PermutationChoice none = choose_permutation(facts);
  for (const PermutationEstimate& estimate : none.estimates) EXPECT_FALSE(estimate.possible);
  EXPECT_EQ(none.method, PermutationMethod::gather);
}

TEST(ChoosePermutation, TellsWhatItFoundAndReckoned) {
  const PermutationChoice choice = choose_permutation(beyond_the_cache());
  ASSERT_EQ(choice.estimates.size(), 3U);
  EXPECT_TRUE(says(choice.why, "estimated at ")) << choice.why;
  EXPECT_TRUE(says(choice.why, "gather ")) << choice.why;
  std::string findings;
  for (const std::string& finding : choice.findings) findings += finding + "\n";
  EXPECT_TRUE(says(findings, "of 3,200 sampled items (of 160,000)")) << findings;
  EXPECT_TRUE(says(findings, "150 us to read an item at a random position, 1.7 GB/s to read it in sequence"))
      << findings;
  EXPECT_TRUE(says(findings, "998.4 MB exceed two thirds (166.7 MB)")) << findings;
  EXPECT_TRUE(says(of(choice, PermutationMethod::gather).how, "160,000 requests"));
  EXPECT_TRUE(says(of(choice, PermutationMethod::buckets).how, "twice"));
}

TEST(ChoosePermutation, WhatIsSmallIsGatheredUnseen) {
  PermutationFacts facts;
  facts.items = 1000;
  facts.item_bytes = 280;
  facts.memory_bytes = gigabyte;
  facts.cacheable_bytes = gigabyte;
  const PermutationChoice choice = choose_permutation(facts);
  EXPECT_EQ(choice.method, PermutationMethod::gather);
  EXPECT_TRUE(says(choice.why, "280.0 kB can stay cached")) << choice.why;
  facts.memory_bytes = 100'000;
  facts.cacheable_bytes = 200'000;
  EXPECT_NE(choose_permutation(facts).method, PermutationMethod::gather) << "small, but not to be cached";
}

TEST(ChoosePermutation, NothingAndHugeThingsAreHarmless) {
  PermutationFacts facts;
  facts.item_bytes = 6000;
  EXPECT_EQ(choose_permutation(facts).method, PermutationMethod::gather);
  facts = beyond_the_cache();
  facts.items = std::int64_t{1} << 50;
  facts.cacheable_bytes = std::numeric_limits<std::int64_t>::max();
  facts.memory_bytes = 20'000;
  const PermutationChoice choice = choose_permutation(facts);
  for (const PermutationEstimate& estimate : choice.estimates) {
    EXPECT_GE(estimate.read_bytes, 0);
    EXPECT_GE(estimate.seconds_s, 0);
  }
}

TEST(ChosenByUser, IsTakenWithWhatItMoves) {
  const PermutationFacts facts = cached_file();
  const std::int64_t bytes = facts.items * facts.item_bytes;
  for (const PermutationMethod method : all_permutation_methods) {
    const PermutationChoice choice = chosen_by_user(facts, method);
    EXPECT_EQ(choice.method, method);
    EXPECT_EQ(choice.why, "requested");
    EXPECT_TRUE(choice.estimates.empty());
    EXPECT_EQ(choice.write_bytes, method == PermutationMethod::buckets ? 2 * bytes : bytes);
    EXPECT_EQ(choice.read_bytes, choice.write_bytes);
  }
}

TEST(PermutationMethodName, IsWhatUsersWrite) {
  EXPECT_STREQ(name_of(PermutationMethod::gather), "gather");
  EXPECT_STREQ(name_of(PermutationMethod::scatter), "scatter");
  EXPECT_STREQ(name_of(PermutationMethod::buckets), "buckets");
}

}  // namespace
}  // namespace sill
