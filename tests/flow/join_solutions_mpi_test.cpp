// Solutions joined and split by several ranks: what goes wrong on one is told by all, and leaves nothing that seems
// whole.
#include "sill/flow/join_solutions.hpp"
#include "sill/flow/split_solutions.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/solution_case.hpp"
#include "sill/store/fault_store.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"

namespace sill {
namespace {

using solution::Files;
using test::Deal;
using test::thrown;

class JoinSolutionsMpi : public test::SolutionCase {
 protected:
  // Collective. A phase of step 4, with elements, in the folder `out`; what its files are.
  solution::Form make_phase(Files files, std::int64_t sub_elements = 2) {
    const Resources resources{.comm = comm, .memory_bytes = 1 << 20};
    SolutionOutput wanted = output(Deal::first_none, files);
    wanted.sub_elements = sub_elements;
    SolutionWriter writer(resources, wanted);
    std::vector<solution::Element> elements;
    for (std::int64_t p = writer.problems().first; p < writer.problems().end(); ++p) {
      const auto x = static_cast<double>(p);
      elements.push_back({{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}});
    }
    writer.write_problem_files(elements, "");
    write(writer, 4);
    writer.close();
    comm.barrier();
    return writer.form();
  }
  [[nodiscard]] JoinSolutionsOptions to_case() const { return {.folder = folder / "out", .target = folder / "x.case"}; }
  // Collective. The names beside the folder `out`.
  [[nodiscard]] std::vector<std::string> left() {
    comm.barrier();
    std::vector<std::string> names = test::names_in(folder.path());
    std::erase(names, "out");
    comm.barrier();
    return names;
  }
};

TEST_F(JoinSolutionsMpi, WhatIsSplitIsWhatWasJoined) {
  for (const char* policy : {"direct", "staged,threads=2", "gathered", "writers=2,stage=600,threads=3"}) {
    for (const Files files : {Files::each, Files::shared}) {
      for (const std::int64_t sub_elements : {2, 90}) {  // 90: enough for several threads
        SCOPED_TRACE(policy);
        const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 8 << 20};
        solution::Form form = make_phase(files, sub_elements);
        const SolutionFiles joined = join_solutions(resources, to_case());
        EXPECT_EQ(joined.files, 4);
        EXPECT_EQ(left(), (std::vector<std::string>{"x.case", "x.geo", "x.solution_1", "x.solution_2"}));
        const SolutionFiles split = split_solutions(resources, folder / "x.case", folder / "back");
        form.files = Files::each;
        EXPECT_EQ(split.files, all_problems);
        EXPECT_EQ(split.bytes, phase_bytes(form));
        comm.barrier();
        if (comm.rank() == 0) {
          expect_equal(files_in(folder / "back"), files_of(form, {4}));
          std::int64_t bytes = 0;
          for (const std::string& name : test::names_in(folder.path())) {
            if (name.starts_with("x.")) bytes += static_cast<std::int64_t>(std::filesystem::file_size(folder / name));
          }
          EXPECT_EQ(joined.bytes, bytes);
          for (const std::string& name : test::names_in(folder.path())) std::filesystem::remove_all(folder / name);
        }
        comm.barrier();
      }
    }
  }
}

TEST_F(JoinSolutionsMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesNoCase) {
  for (const Files files : {Files::each, Files::shared}) {
    (void)make_phase(files);
    test::for_each_fault(
        comm,
        {.calls = {Fault::Call::open, Fault::Call::read, Fault::Call::write, Fault::Call::close}, .numbers = {1, 2, 6}},
        [&](test::RankFault& fault) {
          const Resources resources{.comm = comm,
                                    .open = fault.in(open_posix),
                                    .policy = Policy::parse("elected,threads=2"),
                                    .memory_bytes = 1 << 20};
          const bool struck = fault.is_told_by(thrown([&] { (void)join_solutions(resources, to_case()); }));
          EXPECT_EQ(left().size(), struck ? 0U : 4U);
          comm.barrier();
          if (comm.rank() == 0) {
            for (const std::string& name : test::names_in(folder.path())) {
              if (name.starts_with("x.")) std::filesystem::remove(folder / name);
            }
          }
          comm.barrier();
          return struck;
        });
    comm.barrier();
    if (comm.rank() == 0) std::filesystem::remove_all(folder / "out");
    comm.barrier();
  }
}

TEST_F(JoinSolutionsMpi, AFaultInSplittingLeavesNoIndex) {
  (void)make_phase(Files::each);
  const Resources sound{.comm = comm, .memory_bytes = 1 << 20};
  (void)join_solutions(sound, to_case());
  test::for_each_fault(
      comm, {.calls = {Fault::Call::open, Fault::Call::read, Fault::Call::write}, .numbers = {1, 2, 5}},
      [&](test::RankFault& fault) {
        const Resources resources{.comm = comm,
                                  .open = fault.in(open_posix),
                                  .policy = Policy::parse("elected,threads=2"),
                                  .memory_bytes = 1 << 20};
        const bool struck =
            fault.is_told_by(thrown([&] { (void)split_solutions(resources, folder / "x.case", folder / "back"); }));
        comm.barrier();
        EXPECT_EQ(std::filesystem::exists(folder / "back/solution000004.index"), !struck);
        comm.barrier();
        if (comm.rank() == 0) std::filesystem::remove_all(folder / "back");
        comm.barrier();
        return struck;
      });
}

TEST_F(JoinSolutionsMpi, MemoryDoesNotGrowWithTheSolutions) {
  (void)make_phase(Files::shared, 150);
  Meter meter;
  const Resources resources{.comm = comm,
                            .open = metered(open_posix, meter),
                            .policy = Policy::parse("gathered,stage=64K"),
                            .memory_bytes = 1 << 20};
  (void)join_solutions(resources, to_case());
  // Each byte is read once, in pieces that fit a stage.
  const std::int64_t text_bytes = all_problems * 151 * 152 / 2 * 2 * 13;
  EXPECT_GE(all_reduce(comm, meter.read_bytes, Reduction::sum), text_bytes);
  EXPECT_LE(all_reduce(comm, meter.read_bytes, Reduction::sum), text_bytes + all_problems * 225 + 4096);
  EXPECT_GE(all_reduce(comm, meter.read_requests, Reduction::sum), text_bytes / (64 << 10));
}

}  // namespace
}  // namespace sill
