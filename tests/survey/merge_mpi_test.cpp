// What the ranks of a merge may hold.
#include <gtest/gtest.h>

#include "io/survey_files.hpp"
#include "sill/survey/merge/merge.hpp"
#include "store/shared_folder.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

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
    (void)merge(resources, SurveyReader(resources, inputs.paths, nullptr, {.may_differ = true}), inputs, options);
  };
  // Between ranks a trace takes 72 bytes, on one rank 48; 32 of them are not charged.
  const std::int64_t min = (comm.size() > 1 ? 40 : 16) * ((101 + 57 + comm.size() - 1) / comm.size());
  try {
    run(min - 1);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.parts().action.find("duplicates=keep"), std::string::npos);
  }
  run(min);
  EXPECT_FALSE(test::bytes_of_file(folder / "out.sgy").empty());
}

}  // namespace
}  // namespace sill
