// The files of every kernel are the same for every policy, number of ranks and of threads, and those of the original.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "store/shared_folder.hpp"
#include "support/world.hpp"

namespace sill::kernels {
namespace {

namespace fs = std::filesystem;
using test::Bytes;

// Besides the presets: stages that end within records and rows, file domains that do, phases in flight.
const std::vector<std::string> policies{"direct",
                                        "staged",
                                        "gathered",
                                        "elected",
                                        "aggregated",
                                        "independent",
                                        "collective",
                                        "elected,stage=1000",
                                        "writers=2,stage=700",
                                        "direct,async=2",
                                        "burst=/tmp",
                                        "elected,async=2,burst=/tmp",
                                        "elected,stage=1000,async=2",
                                        "aggregated,async=1"};

// A kernel and its sizes.
struct Case {
  std::string name;
  std::function<std::unique_ptr<Kernel>(KernelSetting, int ranks)> make;
  bool has_file_per_rank = false;  // so that fewer ranks leave fewer files
  bool is_as_original = true;      // byte by byte, but for what `paths_beside` names
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

template <class Run>
auto of(std::unique_ptr<Kernel> (*make)(KernelSetting setting, Run run), Run run) {
  return [make, run](KernelSetting setting, int /*ranks*/) { return make(std::move(setting), run); };
}

// A shared file is as long on any ranks, each of which has its share of it.
auto ior(bool is_shared) {
  return [is_shared](KernelSetting setting, int ranks) {
    const IorRun run{.block_bytes = 84 * 2857 / ranks, .transfer_bytes = 16'384, .is_shared = is_shared};
    return make_ior_kernel(std::move(setting), run, ranks);
  };
}

// Small, but of so many files, or of so many bytes for each of four ranks, that several threads take part in a phase
// (move/round_threads.cpp); and with something left over at the end of steps, grids and blocks.
std::vector<Case> cases() {
  StationRun stations{.stations = 75, .steps = 121, .every = 104};
  StationRun compatible = stations;
  compatible.count = station::StepCount::grows;
  SurfaceRun surfaces{.grid = {331, 283, 9}, .plane_rows = 4, .steps = 7, .every = 3};
  SurfaceRun lent = surfaces;
  lent.displacement = true;
  lent.lends = true;
  const VolumeRun batches{.grid = {33, 21, 47}, .skip = 3, .steps = 10, .every = 1, .samples_per_file = 4};
  const VolumeRun whole_rows{.grid = {17, 11, 13}, .skip = 1, .steps = 3, .every = 1, .samples_per_file = 1};
  SolutionRun each{.ccross = 3, .sub_elements = 30, .dimensions = 3, .phases = 2};
  SolutionRun packed = each;
  packed.files = solution::Files::shared;
  SolutionRun aligned = packed;
  aligned.chunk_align_bytes = 512;
  aligned.phases = 1;
  return {
      {.name = "stations", .make = of(make_station_kernel, stations), .is_as_original = false},
      {.name = "stations in compat", .make = of(make_station_kernel, compatible)},
      {.name = "surfaces", .make = of(make_surface_kernel, surfaces)},
      {.name = "surfaces lent", .make = of(make_surface_kernel, lent)},
      {.name = "volumes", .make = of(make_volume_kernel, batches)},
      {.name = "volumes of whole rows", .make = of(make_volume_kernel, whole_rows)},
      {.name = "rows of a grid", .make = of(make_grid_rows_kernel, GridRowsRun{.grid = {29, 31, 17}, .snapshots = 3})},
      {.name = "solutions", .make = of(make_solution_kernel, each)},
      {.name = "solutions in one file", .make = of(make_solution_kernel, packed)},
      {.name = "solutions in one file, aligned", .make = of(make_solution_kernel, aligned)},
      {.name = "ior", .make = ior(false), .has_file_per_rank = true},
      {.name = "ior in one file", .make = ior(true)}};
}

using Files = std::map<std::string, Bytes>;

Files files_below(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), folder).string()] = test::bytes_of_file(entry.path().string());
  }
  return files;
}

// What differs, for a failure: printing whole files would not show it.
void expect_same(const Files& found, const Files& expected) {
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    const auto at = found.find(name);
    if (at == found.end()) {
      ADD_FAILURE() << name << " is missing";
    } else {
      EXPECT_TRUE(at->second == bytes) << name;
    }
  }
}

class KernelBytesMpi : public testing::TestWithParam<Case> {
 protected:
  Communicator& world = test::world();
  test::SharedFolder folder{world, test::in_memory()};

  [[nodiscard]] std::unique_ptr<Kernel> kernel(const Communicator& comm) const {
    return GetParam().make({.folder = folder / "files"}, comm.size());
  }
  // Of rank 0: what `write` leaves in an empty folder.
  Files written(const std::function<void()>& write) {
    if (world.rank() == 0) fs::create_directory(folder / "files");
    world.barrier();
    write();
    world.barrier();
    Files files;
    if (world.rank() == 0) {
      files = files_below(folder / "files");
      fs::remove_all(folder / "files");
    }
    world.barrier();
    return files;
  }
};

TEST_P(KernelBytesMpi, AreTheSameForEveryPolicyAndNumberOfRanksAndThreadsAndForTheOriginal) {
  const std::unique_ptr<Communicator> alone = make_alone();
  Communicator& first = GetParam().has_file_per_rank ? world : *alone;
  const bool is_of_first = first.size() == world.size() || world.rank() == 0;
  const auto resources = [](Communicator& comm, const std::string& policy) {
    return Resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 64 << 20};
  };
  Files expected = written([&] {
    if (!is_of_first) return;
    const Resources plain = resources(first, "direct,threads=1");
    (void)kernel(first)->run(plain);
    kernel(first)->verify(plain);
  });
  EXPECT_EQ(expected.empty(), world.rank() != 0);

  for (const std::string& policy : policies) {
    for (const int threads : {1, 3}) {
      const std::string text = policy + ",threads=" + std::to_string(threads);
      const Resources with = resources(world, text);
      if (threads > 1 && with.threads() == 1) continue;  // of MPI-IO
      const Files found = written([&] { (void)kernel(world)->run(with); });
      SCOPED_TRACE(text);
      expect_same(found, expected);
    }
  }

  if (!GetParam().is_as_original) return;
  const std::unique_ptr<Kernel> same = kernel(world);
  for (const std::string& beside : same->paths_beside()) {
    expected.erase(fs::path(beside).lexically_relative(same->folder()).string());
  }
  for (const int threads : {1, 3}) {
    const Resources with = resources(world, "threads=" + std::to_string(threads));
    Meter meter;
    const Files found = written([&] { (void)same->run_original(with, meter); });
    SCOPED_TRACE("original, threads=" + std::to_string(threads));
    expect_same(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelBytesMpi, testing::ValuesIn(cases()), [](const auto& test_info) {
  std::string name = test_info.param.name;
  std::erase_if(name, [](char character) { return character == ','; });
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace sill::kernels
