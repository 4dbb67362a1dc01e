// Gathers of items of different sizes by several ranks: each its own part, and together through a mover.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "permute/unequal_case.hpp"
#include "sill/comm/agree.hpp"
#include "sill/permute/permutation.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::everywhere;
using test::world;

TEST(UnequalMpi, EveryItemIsPutInItsPlace) {
  Communicator& comm = world();
  const test::SharedFolder folder(comm);
  for (const char* policy : {"direct", "staged", "aggregated", "writers=2,stage=1K,async=2"}) {
    EXPECT_TRUE(rc::check([&] {
      test::UnequalCase trial;
      trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                         rc::gen::inRange<std::int64_t>(0, 60));
      trial.longest_bytes = *rc::gen::element<std::int64_t>(1, 30, 700);
      trial.memory_bytes = *rc::gen::inRange<std::int64_t>(740, 9000);
      trial.chunk_bytes = *rc::gen::element<std::int64_t>(0, 1, 500, 1 << 20);
      trial.threads = *rc::gen::inRange(1, 3);
      trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
      test::UnequalTrial job(trial, comm.rank(), comm.size(), folder.path());
      run_on_rank(comm, 0, [&] { job.make_files(); });
      run_and_agree(comm, [&] { job.open(); });
      Mover mover(comm, {.paths = {job.output_path()}, .open = open_posix}, Policy::parse(policy),
                  {.memory_bytes = 1 << 20, .threads = 1});
      job.job.sink = sink_of(mover);
      if (!mover.writes_own()) job.job.memory_bytes *= 2;  // half is the mover's
      permute_by_pull(comm, job.job);
      mover.close();
      comm.barrier();
      RC_ASSERT(everywhere(comm, [&] {
        return test::bytes_of_file(job.output_path()) == job.expected_output() && job.inspected_right();
      }));
    })) << policy;
  }
}

}  // namespace
}  // namespace sill
