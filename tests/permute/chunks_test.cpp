// Chunks of a permutation, and a gather of items of different sizes.
#include "sill/permute/chunks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "permute/unequal_case.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

// What must hold of any chunks: in order, without gaps, within bounds, and none that the next item would have fitted.
void require_sound(const Permutation& job, std::int64_t memory_bytes, std::int64_t chunk_bytes) {
  const Chunks chunks(job, memory_bytes, chunk_bytes);
  const auto items = static_cast<std::int64_t>(job.sources.size());
  const auto fits = [&](ItemRange own) {
    const std::int64_t bytes = job.bytes_of(own).length;
    return bytes + own.count * overhead_bytes_per_item <= memory_bytes && (chunk_bytes == 0 || bytes <= chunk_bytes);
  };
  std::int64_t next = 0;
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < chunks.count(); ++i) {
    const ItemRange own = chunks[i];
    RC_ASSERT(own.first == next);
    RC_ASSERT(own.count > 0);
    // In parentheses, or both sides are looked at.
    RC_ASSERT((own.count == 1 || fits(own)));
    RC_ASSERT((own.end() == items || !fits({own.first, own.count + 1})));
    longest = std::max(longest, job.bytes_of(own).length);
    next = own.end();
  }
  RC_ASSERT(next == items);
  RC_ASSERT(chunks.longest_bytes() >= longest);
  RC_ASSERT(chunks[chunks.count()].empty());
  RC_ASSERT(chunks[chunks.count() + 3].empty());
}

TEST(ChunksTest, AreAsLongAsMemoryAndBoundAllow) {
  EXPECT_TRUE(rc::check([] {
    const auto sizes = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 300));
    std::vector<std::int64_t> starts{*rc::gen::inRange<std::int64_t>(0, 5000)};
    for (const std::int64_t size : sizes) starts.push_back(starts.back() + size);
    const std::vector<std::int64_t> sources(sizes.size());
    const std::int64_t memory = *rc::gen::inRange<std::int64_t>(1, 3000);
    const std::int64_t chunk = *rc::gen::element<std::int64_t>(0, 1, 250, 1000);
    Permutation job;
    job.sources = sources;
    job.starts = starts;
    require_sound(job, memory, chunk);
    job.starts = {};
    job.output_items = {11, *rc::gen::inRange<std::int64_t>(1, 300), std::ssize(sizes)};
    require_sound(job, memory, chunk);
  }));
}

TEST(UnequalTest, AGatherPutsEveryItemInItsPlace) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    test::UnequalCase trial;
    trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                       rc::gen::inRange<std::int64_t>(0, 60));
    trial.longest_bytes = *rc::gen::element<std::int64_t>(1, 30, 700);
    trial.memory_bytes = *rc::gen::inRange<std::int64_t>(740, 9000);
    trial.chunk_bytes = *rc::gen::element<std::int64_t>(0, 1, 500, 1 << 20);
    trial.threads = *rc::gen::inRange(1, 4);
    trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    test::UnequalTrial job(trial, 0, 1, folder.path());
    job.make_files();
    job.open();
    permute_by_pull(job.job);
    RC_ASSERT(test::bytes_of_file(job.output_path()) == job.expected_output());
    RC_ASSERT(job.inspected_right());
  }));
}

TEST(UnequalTest, MemoryThatDoesNotHoldTheLongestItemIsAUsageError) {
  const test::TemporaryFolder folder;
  test::UnequalTrial job({.input_items = {50}, .longest_bytes = 1000}, 0, 1, folder.path());
  job.make_files();
  job.open();
  const std::int64_t longest = longest_item_bytes(job.job);
  job.job.memory_bytes = longest + overhead_bytes_per_item - 1;
  const auto error = test::thrown([&] { permute_by_pull(job.job); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  ++job.job.memory_bytes;
  permute_by_pull(job.job);
  EXPECT_TRUE(test::bytes_of_file(job.output_path()) == job.expected_output());
}

}  // namespace
}  // namespace sill
