// What the ranks of a merge do: which write, by the policy, and what they may hold.
#include <gtest/gtest.h>

#include "comm/world.hpp"
#include "io/survey_files.hpp"
#include "sill/flow/merge.hpp"
#include "sill/store/meter_store.hpp"
#include "store/shared_folder.hpp"

namespace sill {
namespace {

TEST(MergeMpi, RenumberingLeavesWritingToTheWriters) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("a.sgy", test::survey_bytes(test::small_survey(101)));
  folder.put("b.sgy", test::survey_bytes(test::small_survey(57)));
  test::Bytes first;
  for (const auto writers : {Policy::Writers::all, Policy::Writers::root, Policy::Writers::first}) {
    Meter meter;
    Resources resources{.comm = comm, .open = metered(open_posix, meter)};
    resources.policy.writers = writers;
    MergeOptions options{.output = folder / "out.sgy"};
    options.rules.add("duplicates=keep");
    options.marks.renumber = true;
    const MergeInputs inputs = merge_inputs(resources, {folder / "a.sgy", folder / "b.sgy"}, options.rules);
    (void)merge(resources, Reader(resources, inputs.paths, nullptr, {.may_differ = true}), inputs, options);
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

TEST(MergeMpi, RecordsOfRepeatsMustFitIntoMemory) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("a.sgy", test::survey_bytes(test::small_survey(101)));
  folder.put("b.sgy", test::survey_bytes(test::small_survey(57, 2)));
  Resources resources{.comm = comm, .open = open_posix};
  MergeOptions options{.output = folder / "out.sgy"};
  options.rules.add("duplicates=drop");
  const auto run = [&](std::int64_t memory_bytes) {
    resources.memory_bytes = memory_bytes;
    const MergeInputs inputs = merge_inputs(resources, {folder / "a.sgy", folder / "b.sgy"}, options.rules);
    (void)merge(resources, Reader(resources, inputs.paths, nullptr, {.may_differ = true}), inputs, options);
  };
  // Between ranks a trace takes 48 bytes, of which 32 are not charged; on one rank 24.
  const std::int64_t least = 16 * ((101 + 57 + comm.size() - 1) / comm.size());
  if (comm.size() > 1) {
    try {
      run(least - 1);
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(error.parts().action.find("duplicates=keep"), std::string::npos);
    }
  }
  run(comm.size() > 1 ? least : 1);
  EXPECT_FALSE(test::bytes_of_file(folder / "out.sgy").empty());
}

}  // namespace
}  // namespace sill
