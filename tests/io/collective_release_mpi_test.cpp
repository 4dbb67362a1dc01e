// Policy `collective`: a phase that failed keeps neither descriptors nor space, although MPI-IO had its files open.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/surface_case.hpp"
#include "sill/io/simulation/station_writer.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "store/rank_faults.hpp"
#include "support/fault_store.hpp"
#include "support/test_ranks.hpp"

namespace sill {
namespace {

using test::thrown;

// What this process has open of files of the folder, with or without a name.
struct OpenFiles {
  int descriptors = 0;
  std::int64_t blocks_without_name = 0;
};

OpenFiles open_files_in(const std::string& folder) {
  OpenFiles found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the descriptor of this loop
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!target.starts_with(folder + "/")) continue;
    ++found.descriptors;
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) == 0 && status.st_nlink == 0)
      found.blocks_without_name += status.st_blocks;
  }
  return found;
}

class CollectiveReleaseMpi : public test::SurfaceCase {
 protected:
  [[nodiscard]] Resources resources(CollectiveOpener open_together = {}, const std::string& policy = "collective") {
    Resources made{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    if (open_together) made.open_together = std::move(open_together);
    return made;
  }
  void expect_nothing_open() { EXPECT_EQ(open_files_in(folder.path()).descriptors, 0); }
};

TEST_F(CollectiveReleaseMpi, AfterAFaultOfAnyRankNothingIsOpen) {
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  for (const char* policy : {"collective", "collective,sync=close", "collective,sync=phase"}) {
    SCOPED_TRACE(policy);
    int seen = 0;
    test::for_each_fault(comm,
                         {.calls = {Fault::Call::write, Fault::Call::sync, Fault::Call::close}, .numbers = {1, 2}},
                         [&](test::RankFault& fault) {
                           const CollectiveOpener faulty_together = [&](Communicator& of, std::span<const int> ranks,
                                                                        const std::string& path, OpenMode mode) {
                             auto store = open_mpiio_together(of, ranks, path, mode);
                             return fault.is_here() ? faulty(std::move(store), fault.fault()) : std::move(store);
                           };
                           const Resources failing = resources(faulty_together, policy);
                           SurfaceWriter writer(failing, grid, three_planes());
                           const auto error = thrown([&] {
                             write(writer, grid, 1, false);
                             writer.wait();
                           });
                           const bool struck = fault.is_stated_by(error);
                           seen += struck ? 1 : 0;
                           expect_nothing_open();  // while the program goes on
                           write(writer, grid, 2, false);
                           writer.close();
                           expect_files(struck ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{1, 2}, false);
                           return struck;
                         });
    EXPECT_GT(seen, comm.size() > 1 ? 3 : -1);
  }
}

SILL_TEST_MIN_RANKS(CollectiveReleaseMpi, FilesOpenedBeforeOneThatCannotBeAreClosed, 2);
TEST_F(CollectiveReleaseMpi, FilesOpenedBeforeOneThatCannotBeAreClosed) {
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const bool is_last = comm.rank() + 1 == comm.size();
  const CollectiveOpener missing_on_last = [&](Communicator& of, std::span<const int> ranks, const std::string& path,
                                               OpenMode mode) {
    const bool cannot = is_last && path.find("surfacexz") != std::string::npos;
    return open_mpiio_together(of, ranks, cannot ? path + "/missing" : path, mode);
  };
  const Resources failing = resources(missing_on_last);
  SurfaceWriter writer(failing, grid, three_planes());
  const auto error = thrown_by_all([&] { write(writer, grid, 1, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  expect_nothing_open();
  expect_files({}, false);
}

// Files that stay open between phases.
TEST_F(CollectiveReleaseMpi, StationsThatFailedHaveNothingOpen) {
  test::RankFault fault(comm, std::min(comm.size(), 4) - 1, Fault::Call::write, Fault::Kind::fails, 3);
  const Resources failing =
      resources([&](Communicator& of, std::span<const int> ranks, const std::string& path, OpenMode mode) {
        auto store = open_mpiio_together(of, ranks, path, mode);
        return fault.is_here() ? faulty(std::move(store), fault.fault()) : std::move(store);
      });
  StationOutput output{.folder = folder / "out", .components = 4, .interval_s = 1, .final_steps = 100};
  for (int s = 1; s <= 3; ++s) {
    output.stations.push_back({.number = s, .position_m = {0, 0, 0}});
    for (int c = 0; c < 4; ++c) output.owners.push_back(c % comm.size());
  }
  {
    StationWriter writer(failing, output);
    const std::vector<double> values(writer.owned().size(), 1.0);
    const auto error = thrown([&] {
      for (int step = 0; step < 10; ++step) writer.write_step(values);
      writer.close();
    });
    EXPECT_EQ(fault.is_stated_by(error), comm.size() > 1);
  }
  expect_nothing_open();
  comm.barrier();
}

// A destructor is Local and cannot close what several ranks have open by MPI-IO; but space need not stay with it.
TEST_F(CollectiveReleaseMpi, AFileGivenUpKeepsNoSpace) {
  const Resources sound = resources();
  {
    SurveyWriter writer(sound, folder / "a.sgy", ItemList{0, 10'000, 400});
    std::vector<std::byte> bytes(40 * 10'000, std::byte{7});
    for (std::int64_t part = 0; part < 10; ++part) {  // blocks of ranks in turn: they interleave
      const std::int64_t each = 40 / comm.size();
      writer.write({40 * part + comm.rank() * each, each},
                   std::span(bytes).first(static_cast<std::size_t>(each) * 10'000));
    }
    EXPECT_GT(open_files_in(folder.path()).descriptors, 0);
    comm.barrier();
  }
  comm.barrier();
  EXPECT_EQ(open_files_in(folder.path()).blocks_without_name, 0);
  EXPECT_TRUE(test::names_in(folder.path()).empty());
  comm.barrier();
}

}  // namespace
}  // namespace sill
