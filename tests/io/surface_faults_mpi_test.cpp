// What goes wrong in surface output is the same error on all ranks, and costs no phase but its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/surface_case.hpp"
#include "store/rank_faults.hpp"
#include "support/fault_store.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"

namespace sill {
namespace {

using test::thrown;

class SurfaceFaultsMpi : public test::SurfaceCase {};

TEST_F(SurfaceFaultsMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesEarlierPhases) {
  for (const char* policy : {"direct", "elected,stage=1000,sync=phase", "writers=2,stage=700,async=2,sync=close"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(
        comm,
        {.calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close}, .numbers = {1, 3}},
        [&](test::RankFault& fault) {
          const DistributedGrid grid = distributed({comm.size(), 1, 1});
          {
            const Resources sound{.comm = comm, .memory_bytes = 1 << 20};
            SurfaceWriter writer(sound, grid, three_planes());
            write(writer, grid, 1, false);
            writer.close();
          }
          bool struck = false;
          {
            const Resources resources{
                .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
            SurfaceWriter writer(resources, grid, three_planes());
            const auto error = thrown([&] {
              write(writer, grid, 2, false);
              writer.close();
            });
            struck = fault.is_stated_by(error);
          }
          expect_files(struck ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2}, false);
          return struck;
        });
  }
}

// With phases in flight the error of one comes with a later call. Those before it and after it have their files, that
// of the later call among them.
TEST_F(SurfaceFaultsMpi, AnErrorBehindComesWithALaterCallAndCostsItsPhaseAlone) {
  test::RankFault fault(comm, 0, Fault::Call::write, Fault::Kind::fails, 1);
  Meter meter;
  const Opener failing = fault.in(open_posix);
  const Resources resources{.comm = comm,
                            .open =
                                [&](const std::string& path, OpenMode mode) {
                                  const bool is_second = path.find("000200.vtk") != std::string::npos;
                                  return is_second ? failing(path, mode) : open_posix(path, mode);
                                },
                            .policy = Policy::parse("gathered,async=2"),
                            .memory_bytes = 1 << 20,
                            .meter = &meter};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, three_planes());
  write(writer, grid, 1, false);
  write(writer, grid, 2, false);
  std::optional<Error> error;  // of whichever call finds it
  for (const std::int64_t step : {3, 4}) {
    const auto found = thrown([&] { write(writer, grid, step, false); });
    if (found) error = found;
  }
  EXPECT_TRUE(fault.is_stated_by(error));
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().where.file.find("000200.vtk"), std::string::npos) << error->what();
  write(writer, grid, 5, false);
  writer.close();
  EXPECT_EQ(meter.phases, 5) << "also that which was begun while an error was told";
  expect_files({1, 3, 4, 5}, false);
}

TEST_F(SurfaceFaultsMpi, AVanishedFolderIsToldByAll) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({1, comm.size(), 1});
  SurfaceOptions options = three_planes();
  options.prefix = folder / "gone/";
  if (comm.rank() == 0) std::filesystem::create_directory(folder / "gone");
  SurfaceWriter writer(resources, grid, options);
  write(writer, grid, 1, false);
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::remove_all(folder / "gone");
  comm.barrier();
  const auto error = thrown_by_all([&] { write(writer, grid, 2, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_NE(error->parts().where.file.find("surfaceyzvel000200.vtk"), std::string::npos) << error->what();
  writer.close();
}

TEST_F(SurfaceFaultsMpi, AFolderThatIsNotThereIsToldWhenTheWriterIsOpened) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({1, comm.size(), 1});
  folder.put("file", test::Bytes(3));
  for (const char* name : {"gone/", "gone/run_", "file/"}) {
    SCOPED_TRACE(name);
    SurfaceOptions options = three_planes();
    options.prefix = folder / name;
    const auto error = thrown_by_all([&] { const SurfaceWriter writer(resources, grid, options); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file, std::filesystem::path(options.prefix).parent_path().string());
  }
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::remove(folder / "file");
  comm.barrier();
}

TEST_F(SurfaceFaultsMpi, SizesBeyondNumbersAreRefusedByAll) {
  const Resources resources{.comm = comm};
  const std::int64_t many = std::int64_t{1} << 40U;
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const auto refused = [&](auto&& change, const std::string& words, int rank) {
    DistributedGrid grid = distributed({comm.size(), 1, 1});
    SurfaceOptions options = three_planes();
    change(grid, options);
    expect_refused([&] { const SurfaceWriter writer(resources, grid, options); }, words, rank);
  };
  refused(
      [&](DistributedGrid& grid, SurfaceOptions&) {
        if (is_last) grid.stored = {{0, 0, 0}, {many, many, many}};
      },
      "exceed the memory", last);
  refused(
      [&](DistributedGrid& grid, SurfaceOptions&) {
        if (is_last) grid.stored = {{-max, 0, 0}, {max, 10, 7}};
      },
      "exceed the memory", last);
  refused(
      [&](DistributedGrid& grid, SurfaceOptions&) {
        if (is_last) grid.mine = {{0, 0, 0}, {many, many, many}};
      },
      "exceed the memory", last);
  refused([&](DistributedGrid& grid, SurfaceOptions&) { grid.shape[0] = max; }, "a grid of shape", 0);
  refused([&](DistributedGrid& grid, SurfaceOptions&) { grid.shape = {many, many, 7}; }, "too large", 0);
  refused([&](DistributedGrid&, SurfaceOptions& options) { options.first_plane_row = -max; }, "rows of a plane", 0);
  refused([&](DistributedGrid&, SurfaceOptions& options) { options.plane_rows = max; }, "rows of a plane", 0);
}

TEST_F(SurfaceFaultsMpi, WhatARankHasWrongIsRefusedByAll) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const DistributedGrid sound = distributed({comm.size(), 1, 1});
  const auto make = [&](const DistributedGrid& grid, const SurfaceOptions& options) {
    return [&resources, grid, options] { const SurfaceWriter writer(resources, grid, options); };
  };
  const auto changed = [&](auto&& change) {
    DistributedGrid grid = sound;
    SurfaceOptions options = three_planes();
    change(grid, options);
    return make(grid, options);
  };
  using Grid = DistributedGrid;
  using Options = SurfaceOptions;
  // The same wrong thing on all ranks.
  expect_refused(make(sound, {.prefix = folder / ""}), "no plane is chosen", 0);
  expect_refused(changed([](Grid&, Options& options) { options.xy_at_z = 7; }), "z = 7", 0);
  expect_refused(changed([](Grid&, Options& options) { options.yz_at_x = -2; }), "x = -2", 0);
  expect_refused(changed([](Grid&, Options& options) { options.plane_rows = 7; }), "7 rows of a plane starting at 1",
                 0);
  expect_refused(changed([](Grid&, Options& options) { options.first_plane_row = -1; }), "starting at -1", 0);
  expect_refused(changed([](Grid&, Options& options) { options.spacing[2] = 0; }), "spacing", 0);
  expect_refused(changed([](Grid& grid, Options&) { grid.shape = {13, 10}; }), "shape 13 x 10", 0);
  // On one rank.
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[1] += 1;
                 }),
                 "are outside the grid", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (!is_last) return;
                   grid.stored = grid.mine;
                   grid.stored.first[2] += 1;
                 }),
                 "do not contain all", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count = {1, 1};
                 }),
                 "not a box of three dimensions", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[0] -= 1;
                 }),
                 "the ranks together have", 0);
  if (comm.size() > 1) {
    expect_refused(changed([&](Grid&, Options& options) {
                     if (is_last) options.origin[0] = 1;
                   }),
                   "different grids or options", 0);
  }

  SurfaceWriter writer(resources, sound, three_planes());
  Field field = field_of(sound, false, 1);
  const VectorField whole_field = field.view();
  if (is_last) field.values[1].pop_back();
  expect_refused([&] { writer.write_phase(1, field.view()); }, "component y of the velocity has", last);
  expect_refused([&] { writer.write_phase(1, whole_field, whole_field); }, "displacement is passed", 0);
  expect_refused([&] { writer.write_phase(-1, whole_field); }, "step is -1", 0);
  if (comm.size() > 1) {
    expect_refused([&] { writer.write_phase(is_last ? 2 : 1, whole_field); }, "some ranks are at step 1, others at 2",
                   0);
  }
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
  comm.barrier();                  // before rank 0 begins the next
  write(writer, sound, 1, false);  // all of that costs nothing but the call
  writer.close();
  expect_refused([&] { writer.write_phase(2, whole_field); }, "after the writer was closed", 0);
  expect_files({1}, false);

  SurfaceWriter with_displacement(resources, sound, three_planes(true));
  expect_refused([&] { with_displacement.write_phase(1, field_of(sound, false, 1).view()); },
                 "component x of the displacement has 0 values", 0);
  expect_files({}, true);
}

SILL_TEST_MIN_RANKS(SurfaceFaultsMpi, APointOfTwoRanksIsRefusedByAll, 2);
TEST_F(SurfaceFaultsMpi, APointOfTwoRanksIsRefusedByAll) {
  DistributedGrid grid = distributed({2, 1, 1});
  // As many points as there should be, but a row of them twice and another not at all.
  if (comm.rank() == 1) grid.mine.first[0] -= 1;
  const Resources resources{.comm = comm};
  SurfaceOptions options{.prefix = folder / "", .xy_at_z = 0};
  SurfaceWriter writer(resources, grid, options);
  const auto error = thrown_by_all([&] { write(writer, grid, 1, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  writer.close();
  expect_files({}, false);
}

TEST_F(SurfaceFaultsMpi, NoMemoryForAPhaseOnARankIsToldByAll) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, three_planes());
  const int last = comm.size() - 1;
  Field field = field_of(grid, false, 1);
  const auto error = thrown_by_all([&] {
    std::optional<test::LimitedMemory> limit;
    if (comm.rank() == last) limit.emplace(500);
    writer.write_phase(1, field.view());
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().rank, last);
  write(writer, grid, 2, false);
  writer.close();
  expect_files({2}, false);
}

TEST_F(SurfaceFaultsMpi, WithoutClosingNothingIsLeftBehind) {
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  {
    const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=4"), .memory_bytes = 1 << 20};
    SurfaceWriter writer(resources, grid, three_planes());
    write(writer, grid, 1, false);
    comm.barrier();
    EXPECT_EQ(test::names_in(folder.path()).size(), 3U);  // part files
    comm.barrier();
  }
  expect_files({}, false);
}

}  // namespace
}  // namespace sill
