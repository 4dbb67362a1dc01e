// Permuting items by several ranks, and a fault of one that is the error of all.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "permute/permutation_case.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::for_each_fault;
using test::PermutationCase;
using test::PermutationTrial;
using test::RankFault;
using test::same_everywhere;
using test::SharedFolder;
using test::thrown;
using test::world;

TEST(PermutationMpi, PutsEveryItemInItsPlace) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  for (const bool by_runs : {false, true}) {
    EXPECT_TRUE(rc::check([&] {
      PermutationCase trial;
      trial.item_bytes = *rc::gen::element<std::int64_t>(1, 8, 244);
      trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                         rc::gen::inRange<std::int64_t>(0, 60));
      const std::int64_t cost = trial.item_bytes + 40;
      trial.memory_bytes =
          *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(cost, 10 * cost), rc::gen::just<std::int64_t>(1 << 20));
      trial.chunk_bytes = *rc::gen::element<std::int64_t>(1, 500, 1 << 20);
      trial.threads = *rc::gen::inRange(1, 4);
      trial.positions_evenly = *rc::gen::arbitrary<bool>();
      trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
      const int parts = *rc::gen::inRange(1, comm.size() + 1);
      if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
      comm.barrier();
      PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), open_posix);
      const auto error = thrown([&] {
        if (by_runs) {
          job.by_runs(comm, parts);
        } else {
          run_and_agree(comm, [&] { job.by_gather(); });
        }
      });
      comm.barrier();
      RC_ASSERT(everywhere(comm, [&] {
        return !error && test::bytes_of_file(folder / "output") == job.expected_output() && job.inspected_right() &&
               job.seen.largest_request <= trial.memory_bytes;
      }));
      const auto sum = [&](std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); };
      const std::int64_t bytes = trial.items() * trial.item_bytes;
      RC_ASSERT(sum(job.seen.inputs.read_bytes) == bytes);
      RC_ASSERT(sum(job.seen.runs.read_bytes) == (by_runs ? bytes : 0));
      RC_ASSERT(sum(job.seen.runs.written_bytes) == (by_runs ? bytes : 0));
      RC_ASSERT(sum(job.seen.output.read_bytes) == 0);
      RC_ASSERT(sum(job.seen.output.written_bytes) == bytes);
    }));
  }
}

TEST(PermutationMpi, MemoryOfOneRankTooSmallIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationCase trial;
  trial.item_bytes = 1000;
  if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
  comm.barrier();
  const int poor = comm.size() - 1;
  PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), open_posix);
  if (comm.rank() == poor) job.job.memory_bytes = 500;
  const auto error = thrown([&] { job.by_runs(comm, comm.size()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().problem, "500 bytes of memory are not enough for one item of 1000 bytes");
  EXPECT_EQ(error->parts().rank, poor);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

TEST(PermutationMpi, AFaultOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationCase trial;
  trial.input_items = {40, 40};
  trial.memory_bytes = 600;
  trial.threads = 2;
  if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
  comm.barrier();
  for_each_fault(comm, {.calls = {Fault::Call::read, Fault::Call::write}, .numbers = {1, 4, 9}, .late = false},
                 [&](RankFault& fault) {
                   PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), fault.in(open_posix));
                   return fault.is_stated_by(thrown([&] { job.by_runs(comm, comm.size()); }));
                 });
}

}  // namespace
}  // namespace sill
