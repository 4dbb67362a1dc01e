// A scatter by several ranks: its bytes, what it reads and sends, and what happens when something fails.
#include "sill/permute/push.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "permute/permutation_case.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/positions.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::CountingCommunicator;
using test::everywhere;
using test::for_each_fault;
using test::PermutationCase;
using test::PermutationTrial;
using test::RankFault;
using test::same_everywhere;
using test::SharedFolder;
using test::thrown;
using test::world;

std::int64_t min_memory(std::int64_t item_bytes, int ranks) {
  return 2 * (item_bytes + 60) * (ranks == 1 ? 1 : ranks + 3);
}

PermutationTrial make(Communicator& comm, const SharedFolder& folder, const PermutationCase& trial,
                      const Opener& open = open_posix) {
  comm.barrier();  // nobody looks at the files of the trial before
  if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
  comm.barrier();
  return {trial, comm.rank(), comm.size(), folder.path(), open};
}

TEST(ScatterMpi, PutsEveryItemInItsPlace) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  EXPECT_TRUE(rc::check([&] {
    PermutationCase trial;
    trial.item_bytes = *rc::gen::element<std::int64_t>(1, 8, 244, 5000);
    trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                       rc::gen::inRange<std::int64_t>(0, 60));
    const std::int64_t min = min_memory(trial.item_bytes, comm.size());
    trial.memory_bytes =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(min, 10 * min), rc::gen::just<std::int64_t>(1 << 20));
    trial.chunk_bytes = *rc::gen::element<std::int64_t>(0, 1, 500, 1 << 20);
    trial.bridge_bytes = *rc::gen::element<std::int64_t>(0, 1, 20, 10000);
    trial.threads = *rc::gen::inRange(1, 4);
    trial.scattered = *rc::gen::weightedElement<bool>({{4, true}, {1, false}});
    trial.positions_evenly = *rc::gen::arbitrary<bool>();
    trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
    PermutationTrial job = make(comm, folder, trial);
    CountingCommunicator counted(comm);
    const auto error = thrown([&] { job.by_scatter(counted); });
    comm.barrier();
    RC_ASSERT(everywhere(comm, [&] {
      return !error && test::bytes_of_file(folder / "output") == job.expected_output() && job.inspected_right() &&
             job.seen.largest_request <= trial.memory_bytes && counted.max_received_bytes <= trial.memory_bytes &&
             job.seen.output.read_bytes == 0;
    }));
    const auto sum = [&](std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); };
    const std::int64_t bytes = trial.items() * trial.item_bytes;
    const std::int64_t read = sum(job.seen.inputs.read_bytes);
    RC_ASSERT(read >= bytes);
    RC_ASSERT(trial.bridge_bytes >= trial.item_bytes || read == bytes);
    RC_ASSERT(sum(job.seen.output.written_bytes) == bytes);
    RC_ASSERT(sum(job.seen.progress.done_bytes) == 2 * bytes);
  }));
}

// 1000 items of 100 bytes in random order; the memory holds all of a rank's, or less.
PermutationCase thousand(std::int64_t memory_bytes) {
  PermutationCase trial;
  trial.item_bytes = 100;
  trial.input_items = {300, 700};
  trial.memory_bytes = memory_bytes;
  trial.chunk_bytes = 0;
  return trial;
}

TEST(ScatterMpi, ReadsInOrderAndWritesOnce) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationTrial job = make(comm, folder, thousand(4 << 20));
  CountingCommunicator counted(comm);
  job.by_scatter(counted);
  const ItemRange block = block_of(1000, comm.size(), comm.rank());
  const bool in_both_files = block.first < 300 && block.end() > 300;
  EXPECT_EQ(job.seen.inputs.read_requests, in_both_files ? 2 : 1) << "one piece holds the block";
  EXPECT_EQ(job.seen.inputs.read_bytes, block.count * 100);
  EXPECT_EQ(job.seen.output.write_requests, 1);
  EXPECT_EQ(job.seen.output.written_bytes, job.own_bytes());
}

TEST(ScatterMpi, SendsOneMessageAPeerAndPiece) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationTrial whole = make(comm, folder, thousand(4 << 20));
  CountingCommunicator counted(comm);
  (void)positions_of_block(counted, whole.job.sources, 1000, (4 << 20) / 8);
  const std::int64_t for_positions = counted.messages;
  const std::int64_t bytes_for_positions = counted.sent_bytes;
  counted.messages = counted.sent_bytes = 0;
  whole.by_scatter(counted);
  EXPECT_TRUE(counted.one_a_peer);
  EXPECT_EQ(counted.messages - for_positions, comm.size() - 1) << "one piece holds the block";
  // every item but those that stay, with its position
  const ItemRange block = block_of(1000, comm.size(), comm.rank());
  const auto stay = std::count_if(whole.job.sources.begin(), whole.job.sources.end(),
                                  [&](std::int64_t item) { return item >= block.first && item < block.end(); });
  EXPECT_EQ(counted.sent_bytes - bytes_for_positions, (block.count - stay) * 108);

  // With little memory: no more than one a peer, piece and pass.
  const std::int64_t memory_bytes = 2 * min_memory(100, comm.size());
  PermutationTrial small = make(comm, folder, thousand(memory_bytes));
  CountingCommunicator of_small(comm);
  small.by_scatter(of_small);
  EXPECT_TRUE(of_small.one_a_peer);
  EXPECT_LE(of_small.max_received_bytes, memory_bytes);
  comm.barrier();
  EXPECT_EQ(test::bytes_of_file(folder / "output"), small.expected_output());
}

TEST(ScatterMpi, WhatIsInOrderIsNotSent) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationCase trial = thousand(4 << 20);
  trial.scattered = false;
  PermutationTrial job = make(comm, folder, trial);
  CountingCommunicator counted(comm);
  (void)positions_of_block(counted, job.job.sources, 1000, (4 << 20) / 8);
  const std::int64_t for_positions = counted.messages;
  counted.messages = 0;
  job.by_scatter(counted);
  EXPECT_EQ(counted.messages, for_positions);
}

TEST(ScatterMpi, ReadsWhatAPassNeedsAndShortGaps) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  // Windows of about a quarter of what a rank writes.
  PermutationCase trial = thousand(40000);
  const std::int64_t items = 1000 * comm.size();
  trial.input_items = {300, items - 300};
  const auto read_bytes = [&] {
    PermutationTrial job = make(comm, folder, trial);
    job.by_scatter(comm);
    const std::int64_t read = all_reduce(comm, job.seen.inputs.read_bytes, Reduction::sum);
    EXPECT_GT(job.seen.output.write_requests, 1);
    EXPECT_EQ(job.seen.output.written_bytes, job.own_bytes());
    comm.barrier();
    EXPECT_EQ(test::bytes_of_file(folder / "output"), job.expected_output());
    return read;
  };
  EXPECT_EQ(read_bytes(), items * 100);
  trial.bridge_bytes = 100;
  const std::int64_t bridged = read_bytes();
  EXPECT_GT(bridged, items * 100);
  EXPECT_LT(bridged, 2 * items * 100) << "no gap is longer than an item";
}

TEST(ScatterMpi, WhatIsReceivedAtOnceFitsIntoTheMemory) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  // All that the others read first belongs to the first rank.
  PermutationCase trial = thousand(60000);
  trial.positions_evenly = true;
  PermutationTrial job = make(comm, folder, trial);
  std::vector<std::int64_t> order;
  const std::int64_t ranks = comm.size();
  std::vector<std::int64_t> taken(static_cast<std::size_t>(ranks), 0);
  while (order.size() < 1000) {
    for (std::int64_t r = 0; r < ranks; ++r) {
      const ItemRange block = block_of(1000, ranks, r);
      auto& next = taken[static_cast<std::size_t>(r)];
      if (next < block.count) order.push_back(block.first + next++);
    }
  }
  job.job.sources = std::span(order).subspan(static_cast<std::size_t>(job.job.first_position), job.job.sources.size());
  job.job.inspect = nullptr;
  CountingCommunicator counted(comm);
  job.by_scatter(counted);
  EXPECT_LE(counted.max_received_bytes, 60000 / 8 + 108 * ranks);
}

TEST(ScatterMpi, MemoryOfOneRankTooSmallIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationTrial job = make(comm, folder, thousand(1 << 20));
  const int poor = comm.size() - 1;
  const std::int64_t min = 2 * 160 * (comm.size() == 1 ? 1 : comm.size() + 3);
  if (comm.rank() == poor) job.job.memory_bytes = min - 1;
  const auto error = thrown([&] { job.by_scatter(comm); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().action, "give at least 1 bytes more");
  EXPECT_EQ(error->parts().rank, poor);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

TEST(ScatterMpi, AnOrderThatIsNoneIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationTrial job = make(comm, folder, thousand(1 << 20));
  std::vector<std::int64_t> twice(job.job.sources.begin(), job.job.sources.end());
  if (comm.rank() == 0) twice[0] = twice[1];
  job.job.sources = twice;
  const auto error = thrown([&] { job.by_scatter(comm); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

TEST(ScatterMpi, AnInspectionOfOneRankStopsAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationTrial job = make(comm, folder, thousand(1 << 20));
  const int strict = comm.size() / 2;
  if (comm.rank() == strict) {
    job.job.inspect = [](std::int64_t, std::span<const std::int64_t>, std::span<const std::byte* const>) {
      throw Error({.code = ErrorCode::input, .problem = "not that one"});
    };
  }
  const auto error = thrown([&] { job.by_scatter(comm); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "not that one");
  EXPECT_EQ(error->parts().rank, strict);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

// With one pass and with several.
TEST(ScatterMpi, AFaultOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  std::vector<std::int64_t> numbers{1, 2, 3, 4};
  while (numbers.back() < 1000) numbers.push_back(numbers.back() + 7);  // there are fewer calls
  for (const std::int64_t memory_bytes : {std::int64_t{1} << 20, 3 * min_memory(100, comm.size())}) {
    PermutationCase trial = thousand(memory_bytes);
    trial.input_items = {60, 90};
    trial.threads = 2;
    for_each_fault(comm, {.calls = {Fault::Call::read, Fault::Call::write}, .numbers = numbers, .late = false},
                   [&](RankFault& fault) {
                     PermutationTrial job = make(comm, folder, trial, fault.in(open_posix));
                     return fault.is_stated_by(thrown([&] { job.by_scatter(comm); }));
                   });
  }
}

}  // namespace
}  // namespace sill
