// Which ranks write the output of a repair that renumbers, by the policy.
#include <gtest/gtest.h>

#include "comm/world.hpp"
#include "io/survey_files.hpp"
#include "sill/flow/repair.hpp"
#include "sill/store/meter_store.hpp"
#include "store/shared_folder.hpp"

namespace sill {
namespace {

TEST(RepairWritersMpi, RenumberingLeavesWritingToTheWriters) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(101)));
  test::Bytes first;
  for (const auto writers : {Policy::Writers::all, Policy::Writers::root, Policy::Writers::first}) {
    Meter meter;
    Resources resources{.comm = comm, .open = metered(open_posix, meter)};
    resources.policy.writers = writers;
    const RepairOptions options{.input = folder / "in.sgy", .output = folder / "out.sgy", .renumber = true};
    (void)repair(resources, nullptr, {}, options);
    const bool may_write = writers == Policy::Writers::all || comm.rank() == 0;
    if (!may_write) {
      EXPECT_EQ(meter.write_requests, 0);
    }
    if (comm.rank() == 0) {
      EXPECT_GT(meter.write_requests, 0);
    }
    comm.barrier();
    const test::Bytes made = test::bytes_of_file(folder / "out.sgy");
    if (first.empty()) first = made;
    EXPECT_EQ(made, first);
    comm.barrier();
  }
}

}  // namespace
}  // namespace sill
