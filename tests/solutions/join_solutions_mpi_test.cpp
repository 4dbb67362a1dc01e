// Solutions joined and split by several ranks: what goes wrong on one is reported by all, and leaves nothing that seems
// whole.
#include "sill/solutions/join_solutions.hpp"
#include "sill/solutions/split_solutions.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/solution_case.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"
#include "support/fault_store.hpp"

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

// What happens while problem 0 is read, which rank 0 does.
class JoinDisturbedMpi : public JoinSolutionsMpi {
 protected:
  template <class Disturb>
  [[nodiscard]] std::optional<Error> join_while(Files files, Disturb disturb) {
    const std::string read =
        folder / (files == Files::each ? "out/local000000/solution000004.txt" : "out/solution000004.txt");
    std::atomic<bool> is_done = false;
    const Opener open = [&](const std::string& path, OpenMode mode) {
      std::unique_ptr<Store> store = open_posix(path, mode);
      if (comm.rank() == 0 && path == read && !is_done.exchange(true)) {
        disturb();
      }
      return store;
    };
    const Resources resources{.comm = comm, .open = open, .policy = Policy::parse("direct"), .memory_bytes = 1 << 20};
    auto error = thrown([&] { (void)join_solutions(resources, to_case()); });
    if (comm.rank() == 0) {
      EXPECT_TRUE(is_done);
    }
    return error;
  }
};

TEST_F(JoinDisturbedMpi, NoRunBeginsInTheFolderMeanwhile) {
  for (const Files files : {Files::each, Files::shared}) {
    (void)make_phase(files);
    const auto error = join_while(files, [&] {
      const std::unique_ptr<Communicator> alone = make_alone();
      const Resources resources{.comm = *alone, .memory_bytes = 1 << 20};
      SolutionOutput wanted = output(Deal::evenly, files);
      wanted.my_problems = all_problems;
      const auto refused = thrown([&] { const SolutionWriter run(resources, wanted); });
      EXPECT_TRUE(refused && std::string(refused->what()).find("joining") != std::string::npos);
    });
    EXPECT_FALSE(error);
    EXPECT_EQ(left().size(), 4U);
    EXPECT_FALSE(std::filesystem::exists(folder / "out/.sill-solutions.lock"));
    comm.barrier();
    if (comm.rank() == 0) {
      for (const std::string& name : test::names_in(folder.path())) std::filesystem::remove_all(folder / name);
    }
    comm.barrier();
  }
}

// As by one that began where the lock cannot be had: on media that others write to.
TEST_F(JoinDisturbedMpi, APhaseThatChangesMeanwhileIsAnError) {
  for (const Files files : {Files::each, Files::shared}) {
    for (const bool is_back : {false, true}) {
      (void)make_phase(files);
      const std::string index = folder / "out/solution000004.index";
      if (comm.rank() == 0) std::filesystem::create_directory(folder / "out/.sill-solutions.lock");
      comm.barrier();
      const auto error = join_while(files, [&] {
        const test::Bytes bytes = test::bytes_of_file(index);
        const auto time = std::filesystem::last_write_time(index);
        std::filesystem::remove(index);
        if (!is_back) return;
        test::make_file(index, bytes);
        std::filesystem::last_write_time(index, time + std::chrono::milliseconds(5));
      });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::io);
      EXPECT_NE(std::string(error->what()).find("changed while it was read"), std::string::npos) << error->what();
      EXPECT_EQ(left().size(), 0U);
      if (comm.rank() == 0) std::filesystem::remove_all(folder / "out");
      comm.barrier();
    }
  }
}

// Phases that are complete stay: a run that goes on beside them is no hindrance, nor is a folder without locks.
TEST_F(JoinDisturbedMpi, APhaseIsJoinedWhileItsRunGoesOn) {
  (void)make_phase(Files::each);
  std::optional<OutputLock> run(std::in_place, comm, folder / "out", OutputOf::solutions);
  EXPECT_FALSE(join_while(Files::each, [] {}));
  run.reset();
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::create_directory(folder / "out/.sill-solutions.lock");
  comm.barrier();
  EXPECT_FALSE(join_while(Files::each, [] {}));
  EXPECT_EQ(left().size(), 4U);
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
          const bool struck = fault.is_stated_by(thrown([&] { (void)join_solutions(resources, to_case()); }));
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
            fault.is_stated_by(thrown([&] { (void)split_solutions(resources, folder / "x.case", folder / "back"); }));
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
