// Which ranks write the output of commands that renumber, by the policy.
#include <gtest/gtest.h>

#include <functional>

#include "io/survey_files.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/edit/edit.hpp"
#include "sill/survey/merge/merge.hpp"
#include "sill/survey/repair/repair.hpp"
#include "store/shared_folder.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

// `make` makes out.sgy of in.sgy, renumbered: only the policy's writers write it, and it is the same for each policy.
void expect_only_writers_write(
    const std::function<void(const Resources&, const test::SharedFolder&, const std::string& output)>& make) {
  Communicator& comm = test::world();
  const test::SharedFolder folder(comm);
  folder.put("in.sgy", test::survey_bytes(test::small_survey(101)));
  folder.put("more.sgy", test::survey_bytes(test::small_survey(57)));
  test::Bytes first;
  for (const auto writers : {Policy::Writers::all, Policy::Writers::root, Policy::Writers::first}) {
    Meter meter;
    Resources resources{.comm = comm, .open = metered(open_posix, meter)};
    resources.policy.writers = writers;
    make(resources, folder, folder / "out.sgy");
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

TEST(RenumberWritersMpi, Edit) {
  expect_only_writers_write(
      [](const Resources& resources, const test::SharedFolder& folder, const std::string& output) {
        EditOptions options;
        options.output = output;
        options.headers.renumber = true;
        (void)edit(resources, SurveyReader(resources, {folder / "in.sgy"}), options);
      });
}

TEST(RenumberWritersMpi, Repair) {
  expect_only_writers_write(
      [](const Resources& resources, const test::SharedFolder& folder, const std::string& output) {
        const RepairOptions options{.input = folder / "in.sgy", .output = output, .renumber = true};
        (void)repair(resources, nullptr, {}, options);
      });
}

TEST(RenumberWritersMpi, Merge) {
  expect_only_writers_write(
      [](const Resources& resources, const test::SharedFolder& folder, const std::string& output) {
        MergeOptions options{.output = output};
        options.rules.add("duplicates=keep");
        options.marks.renumber = true;
        const MergeInputs inputs = merge_inputs(resources, {folder / "in.sgy", folder / "more.sgy"}, options.rules);
        (void)merge(resources, SurveyReader(resources, inputs.paths, nullptr, {.may_differ = true}), inputs, options);
      });
}

TEST(RenumberWritersMpi, Convert) {
  expect_only_writers_write(
      [](const Resources& resources, const test::SharedFolder& folder, const std::string& output) {
        ConvertOptions options;
        options.output = output;
        options.renumber = true;
        (void)convert(resources, SurveyReader(resources, {folder / "in.sgy"}), options);
      });
}

}  // namespace
}  // namespace sill
