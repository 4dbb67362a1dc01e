// Which rank performs the requests of which part of a file, for jobs of any shape.
#include "sill/move/policy/domains.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "plan/any_extent.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::any_number;
using Writers = Policy::Writers;

// Ranks on nodes: nodes are numbered by their lowest rank.
std::vector<int> any_nodes(int ranks) {
  std::vector<int> node_of_ranks;
  int nodes = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    node_of_ranks.push_back(any_number<int>(0, nodes));
    nodes = std::max(nodes, node_of_ranks.back() + 1);
  }
  return node_of_ranks;
}

// What ranks hold of some files, ascending by (file, rank); some hold nothing.
std::vector<AccessSummary> any_shares(int ranks) {
  std::vector<AccessSummary> shares;
  for (int file = 0; file < 4; ++file) {
    for (int rank = 0; rank < ranks; ++rank) {
      if (any_number(0, 2) == 0) continue;
      const std::int64_t length = any_number(1, 2000);
      shares.push_back({file * 3, rank, {any_number(0, 5000), length}, any_number(1, length)});
    }
  }
  return shares;
}

std::map<int, std::vector<AccessSummary>> by_file(const std::vector<AccessSummary>& shares) {
  std::map<int, std::vector<AccessSummary>> files;
  for (const AccessSummary& share : shares) files[share.file].push_back(share);
  return files;
}

ByteRange bounding_range_of(const std::vector<AccessSummary>& shares) {
  std::int64_t first = shares.front().bounding_range.offset;
  std::int64_t end = 0;
  for (const AccessSummary& share : shares) {
    first = std::min(first, share.bounding_range.offset);
    end = std::max(end, share.bounding_range.end());
  }
  return {first, end - first};
}

TEST(Domains, CoverWhatRanksHoldOnceAndAscend) {
  EXPECT_TRUE(rc::check([] {
    const int ranks = any_number<int>(1, 12);
    const std::vector<int> nodes = any_nodes(ranks);
    const std::vector<AccessSummary> shares = any_shares(ranks);
    Policy policy;
    policy.writers = *rc::gen::element(Writers::root, Writers::first, Writers::elected, Writers::node, Writers::number);
    if (policy.writers == Writers::number) policy.domains = any_number<int>(1, 20);
    const std::int64_t align = *rc::gen::element<std::int64_t>(1, 64, 1000, 4096, 100'000);
    Election election;
    const std::vector<FileDomain> domains = domains_of(shares, policy, align, {nodes, 0}, election);
    auto domain = domains.begin();
    for (const auto& [file, of_file] : by_file(shares)) {
      const ByteRange bounding_range = bounding_range_of(of_file);
      std::int64_t at = bounding_range.offset;
      std::int64_t longest = 0;
      std::vector<FileDomain> found;
      for (; domain != domains.end() && domain->file == file; ++domain) {
        RC_ASSERT(domain->bytes.offset == at);
        RC_ASSERT(domain->bytes.length > 0);
        RC_ASSERT(domain->writer >= 0 && domain->writer < ranks);
        at = domain->bytes.end();
        RC_ASSERT(at == bounding_range.end() || at % align == 0);
        longest = std::max(longest, domain->bytes.length);
        found.push_back(*domain);
      }
      RC_ASSERT(at == bounding_range.end());
      const bool divided = policy.writers == Writers::node || policy.writers == Writers::number;
      if (!divided) {
        RC_ASSERT(found.size() == 1U);
        if (policy.writers == Writers::root) RC_ASSERT(found.front().writer == 0);
        if (policy.writers == Writers::first) RC_ASSERT(found.front().writer == of_file.front().rank);
        const auto holds = [&](const AccessSummary& share) { return share.rank == found.front().writer; };
        if (policy.writers == Writers::elected) RC_ASSERT(std::any_of(of_file.begin(), of_file.end(), holds));
        continue;
      }
      const int wanted =
          policy.writers == Writers::number ? policy.domains : 1 + *std::max_element(nodes.begin(), nodes.end());
      RC_ASSERT(std::cmp_less_equal(found.size(), wanted));
      // Of nearly equal length: none longer than its share and one unit of alignment, rounded up.
      RC_ASSERT(longest <= bounding_range.length / wanted + 2 * align);
    }
    RC_ASSERT(domain == domains.end());
  }));
}

TEST(Domains, NobodyForAll) {
  Election election;
  const std::vector<int> nodes{0};
  EXPECT_TRUE(domains_of(std::vector<AccessSummary>{{0, 0, {0, 10}, 10}}, Policy{}, 1, {nodes, 0}, election).empty());
}

TEST(Domains, AFileTakesAsManyWritersAsItHasPartsFor) {
  const std::vector<int> nodes{0, 0, 1, 1, 2, 2};
  const auto writers_of = [&](Policy policy, std::int64_t align, int stripes, int file = 0) {
    Election election;
    std::vector<int> writers;
    const std::vector<AccessSummary> shares{{file, 3, {100, 900}, 900}};
    for (const FileDomain& domain : domains_of(shares, policy, align, {nodes, stripes}, election)) {
      writers.push_back(domain.writer);
    }
    return writers;
  };
  const auto number = [](int domains) { return Policy{.writers = Writers::number, .domains = domains}; };
  // The first of every node, then the second of every node; who has had a turn has another.
  EXPECT_EQ(writers_of(number(1), 1, 0), (std::vector<int>{0}));
  EXPECT_EQ(writers_of(number(3), 1, 0), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(writers_of(number(5), 1, 0), (std::vector<int>{0, 2, 4, 1, 3}));
  EXPECT_EQ(writers_of(number(9), 1, 0), (std::vector<int>{0, 2, 4, 1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(writers_of({.writers = Writers::node}, 1, 0), (std::vector<int>{0, 2, 4}));
  // Files that have one part only take turns.
  for (int file = 0; file < 7; ++file) {
    EXPECT_EQ(writers_of(number(3), 4096, 0, file), (std::vector<int>{2 * (file % 3)}));
  }
  // As many as there are stripes where the boundaries are to lie on them, and no more than ranks.
  const Policy by_stripes{.writers = Writers::node, .align = Policy::Align::stripe};
  EXPECT_EQ(writers_of(by_stripes, 1, 4).size(), 4U);
  EXPECT_EQ(writers_of(by_stripes, 1, 2).size(), 3U);
  EXPECT_EQ(writers_of(by_stripes, 1, 100).size(), 6U);
}

TEST(Domains, DoNotDependOnWhoHoldsWhatWithinThem) {
  const std::vector<int> nodes{0, 1};
  const Policy policy{.writers = Writers::number, .domains = 2};
  Election election;
  const auto domains_for = [&](std::vector<AccessSummary> shares) {
    return domains_of(shares, policy, 100, {nodes, 0}, election);
  };
  EXPECT_EQ(domains_for({{0, 0, {50, 950}, 10}}), domains_for({{0, 0, {400, 600}, 600}, {0, 1, {50, 10}, 10}}));
}

// As many station files as ranks allow, all alike: nobody is elected for more than its part of them.
TEST(Election, SpreadsFilesEvenly) {
  Election election;
  std::map<int, int> files_of;
  for (int file = 0; file < 650; ++file) {
    std::vector<AccessSummary> shares;
    for (int rank = 0; rank < 16; ++rank) {
      if (rank % 4 == file % 4) shares.push_back({file, rank, {0, 1000}, 250});
    }
    ++files_of[election.writer_of(file, shares)];
  }
  ASSERT_EQ(files_of.size(), 16U);
  for (const auto& [rank, files] : files_of) EXPECT_NEAR(files, 650 / 16.0, 1.0) << rank;
}

TEST(Election, CountsBytesAndNotFiles) {
  Election election;
  const auto elect = [&](int file, std::int64_t bytes) {
    return election.writer_of(file,
                              std::vector<AccessSummary>{{file, 1, {0, bytes}, bytes}, {file, 2, {0, bytes}, bytes}});
  };
  EXPECT_EQ(elect(0, 1000), 1);  // the lowest of equals
  EXPECT_EQ(elect(1, 10), 2);
  EXPECT_EQ(elect(2, 10), 2);  // still less than 1000
  EXPECT_EQ(elect(3, 980), 2);
  EXPECT_EQ(elect(4, 1), 1);  // both have 2000 now
}

TEST(Election, HoldsForTheLifeOfAFile) {
  Election election;
  EXPECT_EQ(election.writer_of(7, std::vector<AccessSummary>{{7, 3, {0, 10}, 10}}), 3);
  // Also when others hold more of it later, or it no longer holds any.
  EXPECT_EQ(election.writer_of(7, std::vector<AccessSummary>{{7, 0, {0, 99}, 99}, {7, 3, {0, 1}, 1}}), 3);
  EXPECT_EQ(election.writer_of(7, std::vector<AccessSummary>{{7, 0, {0, 99}, 99}}), 3);
}

TEST(SharesOf, AreHullsAndBytesOfEachFile) {
  const AccessPlan plan =
      AccessPlan::for_writing({contiguous(1, {10, 5}, test::address(0)),
                               {.file = 1, .offset_bytes = 20, .run_bytes = 2, .steps = {{3, 10, 2}}},
                               contiguous(4, {0, 1}, test::address(0))});
  EXPECT_EQ(access_summaries(plan, 6),
            (std::vector<AccessSummary>{{1, 6, {10, 32}, 11, 4, 27}, {4, 6, {0, 1}, 1, 1, 1}}));
  EXPECT_TRUE(access_summaries(AccessPlan(), 6).empty());
}

}  // namespace
}  // namespace sill
