// Permuting items alone: every way, within their memory, without a byte moved twice too often.
#include "sill/permute/permutation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "permute/permutation_case.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"

namespace sill {
namespace {

using test::PermutationCase;
using test::PermutationTrial;
using test::thrown;

constexpr std::int64_t overhead_bytes = 40;  // of memory, an item

struct Way {
  std::string name;
  std::int64_t steps;  ///< how often progress counts each byte
  std::int64_t runs;   ///< how often each byte goes to a file of runs
  std::function<std::int64_t(std::int64_t item_bytes)> min_memory;
  std::function<void(Communicator&, PermutationTrial&)> permute;
};
const std::vector<Way> ways{
    {"gather", 1, 0, [](std::int64_t item_bytes) { return item_bytes + overhead_bytes; },
     [](Communicator&, PermutationTrial& trial) { trial.by_gather(); }},
    {"runs", 2, 1, [](std::int64_t item_bytes) { return item_bytes + overhead_bytes; },
     [](Communicator& comm, PermutationTrial& trial) { trial.by_runs(comm, 1); }},
    {"scatter", 2, 0, [](std::int64_t item_bytes) { return 2 * (item_bytes + 60); },
     [](Communicator& comm, PermutationTrial& trial) { trial.by_scatter(comm); }},
};

class PermutationTest : public testing::TestWithParam<Way> {
 protected:
  void perform(const PermutationCase& trial, const std::function<void(const PermutationTrial&)>& look) {
    PermutationTrial::make_files(trial, folder.path());
    PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
    GetParam().permute(*alone, job);
    look(job);
  }
  [[nodiscard]] test::Bytes output() const { return test::bytes_of_file(folder / "output"); }

  test::TemporaryFolder folder;
  std::unique_ptr<Communicator> alone = make_alone();
};

INSTANTIATE_TEST_SUITE_P(Ways, PermutationTest, testing::ValuesIn(ways),
                         [](const auto& way) { return way.param.name; });

TEST_P(PermutationTest, PutsEveryItemInItsPlace) {
  const Way& way = GetParam();
  EXPECT_TRUE(rc::check([&] {
    PermutationCase trial;
    trial.item_bytes = *rc::gen::element<std::int64_t>(1, 8, 244, 1000);
    trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(
        *rc::gen::inRange<std::size_t>(1, 4),
        rc::gen::oneOf(rc::gen::just<std::int64_t>(0), rc::gen::inRange<std::int64_t>(0, 60)));
    const std::int64_t cost = way.min_memory(trial.item_bytes);
    trial.memory_bytes =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(cost, 10 * cost), rc::gen::just<std::int64_t>(1 << 20));
    trial.chunk_bytes = *rc::gen::element<std::int64_t>(0, 1, 500, 1 << 20);
    trial.threads = *rc::gen::inRange(1, 4);
    trial.scattered = *rc::gen::weightedElement<bool>({{4, true}, {1, false}});
    trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    perform(trial, [&](const PermutationTrial& job) {
      RC_ASSERT(output() == job.expected_output());
      RC_ASSERT(job.inspected_right());
      RC_ASSERT(job.seen.inputs.read_bytes == job.own_bytes());
      RC_ASSERT(job.seen.inputs.written_bytes == 0);
      RC_ASSERT(job.seen.output.written_bytes == job.own_bytes());
      RC_ASSERT(job.seen.output.read_bytes == 0);
      RC_ASSERT(job.seen.runs.written_bytes == way.runs * job.own_bytes());
      RC_ASSERT(job.seen.runs.read_bytes == way.runs * job.own_bytes());
      RC_ASSERT(job.seen.largest_request <= trial.memory_bytes);
      RC_ASSERT(job.seen.progress.done_bytes == way.steps * job.own_bytes());
    });
  }));
}

TEST_P(PermutationTest, LargeItemsWork) {
  PermutationCase trial;
  trial.item_bytes = 4 << 20;
  trial.input_items = {4, 7};
  trial.memory_bytes = 9 << 20;
  trial.threads = 2;
  perform(trial, [&](const PermutationTrial& job) {
    EXPECT_TRUE(output() == job.expected_output());
    EXPECT_TRUE(job.inspected_right());
    EXPECT_LE(job.seen.largest_request, 9 << 20);
  });
}

TEST_P(PermutationTest, ManyTinyItemsWork) {
  PermutationCase trial;
  trial.item_bytes = 8;
  trial.input_items = {30000};
  trial.memory_bytes = 100000;
  trial.threads = 3;
  perform(trial, [&](const PermutationTrial& job) {
    EXPECT_TRUE(output() == job.expected_output());
    EXPECT_TRUE(job.inspected_right());
  });
}

TEST_P(PermutationTest, MemoryForNotOneItemIsRefusedWithWhatItTakes) {
  PermutationCase trial;
  trial.item_bytes = 1000;
  const std::int64_t cost = GetParam().min_memory(1000);
  trial.memory_bytes = cost - 1;
  trial.threads = 3;
  const auto error = thrown([&] { perform(trial, [](const PermutationTrial&) {}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(error->parts().problem.find("1000 bytes"), std::string::npos) << error->what();
  EXPECT_EQ(error->parts().action, "give at least 1 bytes more");
  EXPECT_EQ(output(), test::Bytes(PermutationTrial::output_header + 10 * 1000)) << "nothing was written";

  trial.memory_bytes = cost;
  perform(trial, [&](const PermutationTrial& job) { EXPECT_TRUE(output() == job.expected_output()); });
}

TEST_P(PermutationTest, AnInspectionMayStopIt) {
  PermutationCase trial;
  trial.input_items = {1000};
  trial.chunk_bytes = 80;
  trial.memory_bytes = 2000;
  for (const int threads : {1, 3}) {
    trial.threads = threads;
    PermutationTrial::make_files(trial, folder.path());
    PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
    std::atomic<int> calls{0};
    job.job.inspect = [&](std::int64_t, std::span<const std::int64_t>, std::span<const std::byte* const>) {
      if (++calls == 3) throw Error({.code = ErrorCode::input, .problem = "not that one"});
    };
    const auto error = thrown([&] { GetParam().permute(*alone, job); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::input);
    EXPECT_EQ(error->parts().problem, "not that one");
  }
}

TEST_P(PermutationTest, WithoutAnInspectionOrProgressItWorksToo) {
  PermutationCase trial;
  PermutationTrial::make_files(trial, folder.path());
  PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
  job.job.inspect = nullptr;
  job.job.progress = nullptr;
  GetParam().permute(*alone, job);
  EXPECT_EQ(output(), job.expected_output());
}

TEST_P(PermutationTest, EveryFaultIsTold) {
  PermutationCase trial;
  trial.input_items = {30, 30};
  trial.memory_bytes = 1000;
  trial.threads = 2;
  for (const Fault::Call call : {Fault::Call::read, Fault::Call::write}) {
    for (const Fault::Kind kind : {Fault::Kind::fails, Fault::Kind::is_short}) {
      for (const std::int64_t nth : {1, 2, 5}) {
        PermutationTrial::make_files(trial, folder.path());
        Fault fault{.call = call, .nth = nth, .kind = kind};
        PermutationTrial job(trial, 0, 1, folder.path(), faulty(open_posix, fault));
        const auto error = thrown([&] { GetParam().permute(*alone, job); });
        if (fault.seen < nth) {
          EXPECT_FALSE(error);  // fewer calls than that
          continue;
        }
        ASSERT_TRUE(error) << static_cast<int>(call) << ' ' << nth;
        EXPECT_EQ(error->code(), ErrorCode::io);
        EXPECT_FALSE(error->parts().where.file.empty());
      }
    }
  }
}

TEST(PermuteByGather, ItemsCanBeTakenInMemory) {
  PermutationCase trial;
  trial.item_bytes = 100;
  trial.input_items = {300, 200};
  trial.chunk_bytes = 1000;
  trial.threads = 2;
  const test::TemporaryFolder folder;
  PermutationTrial::make_files(trial, folder.path());
  PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
  test::Bytes taken(job.expected_output().size());
  job.job.sink = {.take = [&](std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, taken.begin() + offset_bytes);
  }};
  permute_by_pull(job.job);
  EXPECT_TRUE(taken == job.expected_output());
  EXPECT_EQ(job.seen.output.write_requests, 0);
}

TEST(PermuteByGather, ReadsRunsByOneRequest) {
  PermutationCase trial;
  trial.item_bytes = 100;
  trial.input_items = {1000, 1000};
  trial.scattered = false;
  trial.chunk_bytes = 10000;
  const test::TemporaryFolder folder;
  PermutationTrial::make_files(trial, folder.path());
  PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
  permute_by_pull(job.job);
  EXPECT_EQ(job.seen.output.write_requests, 20);
  EXPECT_EQ(job.seen.inputs.read_requests, 20);
  EXPECT_EQ(job.seen.largest_request, 10000);
}

TEST(PermuteByRuns, ReadsAndWritesLongPieces) {
  PermutationCase trial;
  trial.item_bytes = 100;
  trial.input_items = {2000};
  trial.memory_bytes = (100 + overhead_bytes) * 500;  // four runs
  trial.chunk_bytes = 0;
  const test::TemporaryFolder folder;
  PermutationTrial::make_files(trial, folder.path());
  PermutationTrial job(trial, 0, 1, folder.path(), open_posix);
  job.by_runs(*make_alone(), 1);
  EXPECT_EQ(job.seen.inputs.read_requests, 4);
  EXPECT_EQ(job.seen.runs.write_requests, 4);
  EXPECT_EQ(job.seen.runs.read_requests, 4 * 4) << "each of four stretches of the output takes one of every run";
  EXPECT_EQ(job.seen.output.write_requests, 4);
}

TEST(ItemsAThread, SharesMemoryAndLowersThreads) {
  int threads = 4;
  EXPECT_EQ(items_per_thread(4 * 10 * (100 + overhead_bytes), 100, threads), 10);
  EXPECT_EQ(threads, 4);
  EXPECT_EQ(items_per_thread(3 * (100 + overhead_bytes), 100, threads), 1);
  EXPECT_EQ(threads, 3);
  EXPECT_EQ(items_per_thread(100 + overhead_bytes, 100, threads), 1);
  EXPECT_EQ(threads, 1);
  for (const std::int64_t memory : {std::int64_t{-1000}, std::int64_t{0}, 100 + overhead_bytes - 1}) {
    const auto error = thrown([&] { (void)items_per_thread(memory, 100, threads); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().action, "give at least " + std::to_string(100 + overhead_bytes - memory) + " bytes more");
  }
}

}  // namespace
}  // namespace sill
