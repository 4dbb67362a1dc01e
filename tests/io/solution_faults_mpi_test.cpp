// What goes wrong in solutions of local problems is the same error on all ranks, and leaves no phase that seems whole.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/solution_case.hpp"
#include "store/rank_faults.hpp"
#include "support/fault_store.hpp"

namespace sill {
namespace {

using solution::Files;
using test::Deal;
using test::thrown;

class SolutionFaultsMpi : public test::SolutionCase {
 protected:
  // Collective. The earlier phase is as it was, and the later one is whole or has no index; the folder is emptied.
  void expect_whole(const solution::Form& form, std::int64_t earlier, std::int64_t later, bool is_there) {
    comm.barrier();
    if (comm.rank() == 0) {
      std::map<std::string, std::string> found = files_in(folder / "out");
      for (const auto& [path, text] : files_of(form, {earlier})) EXPECT_TRUE(found[path] == text) << path;
      EXPECT_EQ(found.count(solution::index_name(later)), is_there ? 1U : 0U);
      if (is_there) {
        for (const auto& [path, text] : files_of(form, {later})) EXPECT_TRUE(found[path] == text) << path;
      } else if (form.files == Files::shared && found.size() > 2) {
        // Whole all the same, if it was the index that could not be made.
        EXPECT_EQ(found.size(), 3U);
        EXPECT_TRUE(found[solution::solution_name(later)] == files_of(form, {later})[solution::solution_name(later)]);
      }
      std::filesystem::remove_all(folder / "out");
    }
    comm.barrier();
  }
};

// Opens files; those of output step `step` have the fault, or, without the index, those of solutions alone.
Opener in_step(std::int64_t step, test::RankFault& fault, bool with_index = true) {
  const std::string name = solution::solution_name(step);
  return [part = with_index ? name.substr(0, name.find('.')) + "." : name, faulty = fault.in(open_posix)](
             const std::string& path, OpenMode mode) {
    return path.find(part) != path.npos ? faulty(path, mode) : open_posix(path, mode);
  };
}

TEST_F(SolutionFaultsMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesEarlierPhases) {
  for (const char* policy : {"direct", "elected,stage=600,sync=phase", "writers=2,stage=700,async=2,sync=close"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      test::for_each_fault(
          comm,
          {.calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close}, .numbers = {1, 3}},
          [&](test::RankFault& fault) {
            solution::Form form;
            bool struck = false;
            {
              const Resources resources{
                  .comm = comm, .open = in_step(2, fault), .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
              SolutionWriter writer(resources, output(Deal::evenly, files));
              form = writer.form();
              write(writer, 1);
              const auto error = thrown([&] { write(writer, 2); });
              const auto later = thrown([&] { writer.close(); });
              EXPECT_FALSE(error && later) << "told twice";
              struck = fault.is_stated_by(error ? error : later);
            }
            expect_whole(form, 1, 2, !struck);
            return struck;
          });
    }
  }
}

// A program that goes on after an error of an earlier phase has lost that one and no other.
TEST_F(SolutionFaultsMpi, APhaseHandedOverWhileAnEarlierOneFailsIsWritten) {
  for (const char* policy : {"direct,async=1", "elected,stage=600,async=2", "writers=2,stage=700,async=2,sync=close"}) {
    int reported_by_a_later_phase = 0;
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      test::for_each_fault(comm,
                           {.calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close}},
                           [&](test::RankFault& fault) {
                             const Resources resources{.comm = comm,
                                                       .open = in_step(1, fault, false),
                                                       .policy = Policy::parse(policy),
                                                       .memory_bytes = 1 << 20};
                             SolutionWriter writer(resources, output(Deal::evenly, files));
                             std::optional<Error> stated;
                             const auto note = [&](const std::optional<Error>& error) {
                               EXPECT_FALSE(stated && error) << "told twice";
                               if (error) stated = error;
                             };
                             for (const std::int64_t step : {1, 2, 3, 4}) {
                               const auto error = thrown([&] { write(writer, step); });
                               if (error && step > 1) ++reported_by_a_later_phase;
                               note(error);
                             }
                             note(thrown([&] { writer.close(); }));
                             const bool struck = fault.is_stated_by(stated);
                             comm.barrier();
                             if (comm.rank() == 0) {
                               std::map<std::string, std::string> found = files_in(folder / "out");
                               EXPECT_EQ(found.count(solution::index_name(1)), struck ? 0U : 1U);
                               for (const auto& [path, text] : files_of(writer.form(), {2, 3, 4})) {
                                 EXPECT_TRUE(found[path] == text) << path;
                               }
                               std::filesystem::remove_all(folder / "out");
                             }
                             comm.barrier();
                             return struck;
                           });
    }
    EXPECT_GT(reported_by_a_later_phase, 0) << policy;
  }
}

// An index of an earlier run would say that what is there is complete.
TEST_F(SolutionFaultsMpi, APhaseThatIsWrittenAgainAndFailsHasNoIndex) {
  const Resources sound{.comm = comm, .memory_bytes = 1 << 20};
  {
    SolutionWriter writer(sound, output());
    write(writer, 1);
    write(writer, 2);
    writer.close();
  }
  test::RankFault fault(comm, 0, Fault::Call::write, Fault::Kind::is_short, 1);
  const Resources resources{.comm = comm, .open = fault.in(open_posix), .policy = Policy::parse("gathered")};
  SolutionWriter writer(resources, output());
  EXPECT_TRUE(fault.is_stated_by(thrown([&] { write(writer, 2); })));
  comm.barrier();
  if (comm.rank() == 0) {
    const std::map<std::string, std::string> found = files_in(folder / "out");
    for (const std::int64_t step : {1, 2}) EXPECT_FALSE(found.contains(solution::index_name(step))) << step;
  }
  comm.barrier();
}

// Else a phase would be read that has the solutions of that run and the elements of this one.
TEST_F(SolutionFaultsMpi, AnIndexThatCannotBeRemovedIsToldByAllBeforeAFileIsTouched) {
  solution::Form form;
  {
    const Resources sound{.comm = comm, .memory_bytes = 1 << 20};
    SolutionWriter writer(sound, output());
    write(writer, 1);
    writer.close();
    form = writer.form();
  }
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::create_directory(folder / "out/solution000002.index");
  comm.barrier();
  for (const char* policy : {"elected", "direct,sync=close"}) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    const auto error = thrown_by_all([&] { const SolutionWriter writer(resources, output(Deal::last_all)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_NE(error->parts().where.file.find("solution000002.index"), std::string::npos) << error->what();
  }
  comm.barrier();
  if (comm.rank() == 0) {
    std::map<std::string, std::string> wanted = files_of(form, {1});
    wanted.erase(solution::index_name(1));
    expect_equal(files_in(folder / "out"), wanted);
  }
  comm.barrier();
}

TEST_F(SolutionFaultsMpi, NumbersThatAreTooLongAreToldWithTheirPlace) {
  const Resources resources{.comm = comm, .policy = Policy::parse("elected,threads=2")};
  SolutionWriter writer(resources, output());
  write(writer, 1);
  std::vector<double> values = values_of(writer, 2);
  // In problems 3 and 5, of whatever ranks.
  const auto put = [&](std::int64_t problem, std::size_t at, double value) {
    const std::int64_t mine = problem - writer.problems().first;
    if (mine < 0 || mine >= writer.problems().count) return -1;
    values[static_cast<std::size_t>(mine) * 12 + at] = value;
    return comm.rank();
  };
  (void)put(5, 1, -1e100);
  const std::int64_t owner = all_reduce(comm, put(3, 9, -1.25e-100), Reduction::max);
  expect_refused([&] { writer.write_phase(2, values); },
                 "-1.250000e-100 is too long for a record of 13 bytes: dimension 1 of point 4 of local problem 3",
                 static_cast<int>(owner));
  comm.barrier();
  if (comm.rank() == 0) {
    expect_equal(files_in(folder / "out"), files_of(writer.form(), {1}));
  }
  comm.barrier();
  write(writer, 2);
  writer.close();
  expect_files(writer.form(), {1, 2});

  SolutionOutput wide = output();
  wide.record_bytes = 14;
  SolutionWriter roomy(resources, wide);
  EXPECT_FALSE(thrown_by_all([&] {
    roomy.write_phase(2, values);
    roomy.close();
  }));
}

TEST_F(SolutionFaultsMpi, AVanishedFolderIsToldByAll) {
  for (const Files files : {Files::each, Files::shared}) {
    const Resources resources{.comm = comm, .policy = Policy::parse("elected")};
    SolutionWriter writer(resources, output(Deal::evenly, files));
    write(writer, 1);
    comm.barrier();
    if (comm.rank() == 0) std::filesystem::remove_all(folder / "out");
    comm.barrier();
    const auto error = thrown_by_all([&] { write(writer, 2); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_NE(error->parts().where.file.find("solution000002."), std::string::npos) << error->what();
    writer.close();
  }
}

TEST_F(SolutionFaultsMpi, WhatARankHasWrongIsRefusedByAll) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const auto refused = [&](const std::string& words, int rank, auto&& change) {
    SolutionOutput wanted = output();
    change(wanted);
    expect_refused([&] { const SolutionWriter writer(resources, wanted); }, words, rank);
  };
  refused("no folder", 0, [](SolutionOutput& wanted) { wanted.folder = ""; });
  refused("no local problem", 0, [](SolutionOutput& wanted) { wanted.my_problems = 0; });
  refused("0 sub-elements", 0, [](SolutionOutput& wanted) { wanted.sub_elements = 0; });
  refused("0 values per point", 0, [](SolutionOutput& wanted) { wanted.dimensions = 0; });
  refused("records of 12 bytes", 0, [](SolutionOutput& wanted) { wanted.record_bytes = 12; });
  refused("no chunks to align", 0, [](SolutionOutput& wanted) { wanted.chunk_align_bytes = 4096; });
  refused("aligned to -1 bytes", 0, [](SolutionOutput& wanted) {
    wanted.files = Files::shared;
    wanted.chunk_align_bytes = -1;
  });
  refused("to a size and to stripes", 0, [](SolutionOutput& wanted) {
    wanted.files = Files::shared;
    wanted.chunk_align_bytes = 1;
    wanted.align_to_stripes = true;
  });
  refused("-1 local problems of a rank", last,
          [&](SolutionOutput& wanted) { wanted.my_problems = is_last ? -1 : wanted.my_problems; });
  if (comm.size() > 1) {
    refused("different folders, sizes or options", 0,
            [&](SolutionOutput& wanted) { wanted.dimensions = is_last ? 3 : 2; });
  }
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});

  SolutionWriter writer(resources, output());
  std::vector<double> values = values_of(writer, 5);
  if (is_last) values.push_back(1);
  expect_refused([&] { writer.write_phase(5, values); }, " local problems of 6 points with 2 dimensions", last);
  if (is_last) values.pop_back();
  expect_refused([&] { writer.write_phase(-1, values); }, "the step is -1", 0);
  if (comm.size() > 1) {
    expect_refused([&] { writer.write_phase(is_last ? 6 : 5, values); }, "some ranks are at step 5, others at 6", 0);
  }
  std::vector<solution::Element> elements(static_cast<std::size_t>(writer.problems().count));
  if (is_last) elements.emplace_back();
  expect_refused([&] { writer.write_problem_files(elements, ""); }, "elements for the", last);
  write(writer, 5);  // all of that costs nothing but the call
  expect_refused([&] { writer.write_phase(5, values); }, "step 5 after step 5", 0);
  writer.close();
  expect_refused([&] { writer.write_phase(6, values); }, "after the writer was closed", 0);
  expect_files(writer.form(), {5});
}

TEST_F(SolutionFaultsMpi, WithoutClosingAPhaseHasNoIndex) {
  solution::Form form;
  {
    const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=4"), .memory_bytes = 1 << 20};
    SolutionWriter writer(resources, output(Deal::evenly, Files::shared));
    write(writer, 1);
    form = writer.form();
  }
  expect_files(form, {});
}

}  // namespace
}  // namespace sill
