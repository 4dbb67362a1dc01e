// Surface output by several ranks: files whose every point is known, whoever holds it and whoever writes it.
#include "sill/io/simulation/surface_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "io/surface_case.hpp"
#include "sill/store/meter_store.hpp"
#include "store/gated_store.hpp"
#include "support/memory.hpp"
#include "support/threads_of_process.hpp"

namespace sill {
namespace {

class SurfaceWriterMpi : public test::SurfaceCase {};

TEST_F(SurfaceWriterMpi, EveryPointIsThereForEveryDecompositionAndPolicy) {
  const std::vector<std::string> all_policies{"direct",
                                              "staged",
                                              "gathered",
                                              "elected",
                                              "aggregated",
                                              "writers=first,stage=512",
                                              "writers=elected,stage=700,async=1,threads=3",
                                              "writers=3,stage=1000,align=256,threads=2",
                                              "writers=all,stage=600,async=2,sync=phase",
                                              "writers=node,async=3,sync=close"};
  for (const Index& parts : process_grids()) {
    for (const std::string& policy : all_policies) {
      SCOPED_TRACE(policy + " on " + std::to_string(parts[0]) + " x " + std::to_string(parts[1]) + " x " +
                   std::to_string(parts[2]));
      const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      const bool displacement = policy.size() % 2 == 0;
      const DistributedGrid grid = distributed(parts, policy.size() % 3 == 0 ? 2 : 0);
      SurfaceWriter writer(resources, grid, three_planes(displacement));
      std::int64_t bytes = 0;
      for (const auto& [name, content] : files_of(3, displacement)) bytes += static_cast<std::int64_t>(content.size());
      EXPECT_EQ(writer.phase_bytes(), bytes);
      for (const std::int64_t step : {3, 6, 9, 12}) write(writer, grid, step, displacement);
      writer.close();
      writer.close();
      expect_files({3, 6, 9, 12}, displacement);
    }
  }
}

TEST_F(SurfaceWriterMpi, EveryPointIsThereByMpiIo) {
  for (const char* policy : {"independent", "collective", "collective,sync=phase"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm,
                              .open = opener_for(Policy::parse(policy).call),
                              .policy = Policy::parse(policy),
                              .memory_bytes = 1 << 20};
    const DistributedGrid grid = distributed({1, comm.size(), 1}, 1);
    SurfaceWriter writer(resources, grid, three_planes(true));
    for (const std::int64_t step : {1, 2}) write(writer, grid, step, true);
    writer.close();
    expect_files({1, 2}, true);
  }
}

TEST_F(SurfaceWriterMpi, OnePlaneWithAllItsRows) {
  const Resources resources{.comm = comm, .policy = Policy::parse("staged")};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, {.prefix = folder / "a_", .yz_at_x = 0, .spacing = {2, 2, 2}});
  write(writer, grid, 100, false);
  // Without asynchronous phases the files are there when the call returns.
  comm.barrier();
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{"a_surfaceyzvel010000.vtk"});
  EXPECT_TRUE(test::bytes_of_file(folder / "a_surfaceyzvel010000.vtk") ==
              test::plane_bytes({0, 0, 0}, {1, 10, 7}, {0, 0, 0}, 2, false, 100));
  writer.close();
}

TEST_F(SurfaceWriterMpi, RanksThatHaveNothingJoin) {
  const Resources resources{.comm = comm, .policy = Policy::parse("writers=first,stage=4K")};
  const bool has_all = comm.rank() == comm.size() - 1;
  const DistributedGrid grid{.shape = test::grid_shape, .mine = has_all ? whole(test::grid_shape) : Box{}};
  SurfaceWriter writer(resources, grid, three_planes());
  if (has_all) {
    write(writer, grid, 1, false);
  } else {
    writer.write_phase(1, {});
  }
  writer.close();
  expect_files({1}, false);
}

TEST_F(SurfaceWriterMpi, FilesOfStepsAfterTheOneThatARunGoesOnFromAreRemoved) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({1, comm.size(), 1}, 1);
  SurfaceOptions options = three_planes();
  for (const std::int64_t after : {0, 2}) {
    options.continues_after = after;
    SurfaceWriter writer(resources, grid, options);
    for (const std::int64_t step : {1, 2, 7, 12345}) {
      if (after == 0) write(writer, grid, step, false);
    }
    writer.close();
  }
  expect_files({1, 2}, false);
}

TEST_F(SurfaceWriterMpi, AtMostSoManyPhasesAreInFlight) {
  const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=2"), .memory_bytes = 1 << 20};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, three_planes());
  const auto has = [&](std::int64_t step) {
    comm.barrier();
    return std::filesystem::exists(folder / files_of(step, false).begin()->first);
  };
  for (const std::int64_t step : {1, 2, 3}) write(writer, grid, step, false);
  EXPECT_TRUE(has(1));
  writer.close();
  expect_files({1, 2, 3}, false);
}

TEST_F(SurfaceWriterMpi, RequestsGoByStagesNotByPoints) {
  // The paper's planes, a tenth as long: xy of 52 x 37 points, 11 rows in the others.
  const Index shape{52, 37, 14};
  for (const auto& [name, policy, stage] :
       {std::tuple("staged", "writers=first,stage=4K", 4096L), std::tuple("elected", "writers=elected,stage=4K", 4096L),
        std::tuple("gathered", "writers=root,stage=512", 512L), std::tuple("large", "elected", 4096L * 1024)}) {
    SCOPED_TRACE(name);
    Meter meter;
    const Resources resources{
        .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy), .memory_bytes = 64 << 20};
    DistributedGrid grid{.shape = shape, .mine = {}};
    grid.mine = GridDecomposition::blocks(shape, {1, comm.size(), 1}).box_of(comm.rank());
    SurfaceOptions options = three_planes(true);
    options.first_plane_row = 3;
    options.plane_rows = 11;
    SurfaceWriter writer(resources, grid, options);
    const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
    constexpr std::int64_t phases = 3;
    for (std::int64_t phase = 0; phase < phases; ++phase) {
      writer.write_phase(phase, {values, values, values}, {values, values, values});
    }
    writer.close();
    const auto sum = [&](std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); };
    EXPECT_EQ(sum(meter.written_bytes), phases * writer.phase_bytes()) << "every byte once";
    EXPECT_EQ(sum(meter.opens), phases * 6) << "one writer per file";
    // Windows go through the files of a writer end to end, so a file is cut once more at most.
    const std::int64_t writers = std::min<std::int64_t>(comm.size(), 6);
    const std::int64_t max = writer.phase_bytes() / stage + 6 + writers;
    const std::int64_t requests = sum(meter.write_requests);
    EXPECT_LE(requests, phases * max);
    EXPECT_GE(requests, phases * std::max<std::int64_t>(6, writer.phase_bytes() / stage));
    remove_files();
  }
}

TEST_F(SurfaceWriterMpi, LentArraysMakeTheSameFiles) {
  for (const char* policy : {"direct,async=1", "staged,async=2", "elected,async=2", "aggregated,async=1",
                             "writers=all,stage=600,async=2,threads=3", "gathered,async=1", "elected"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    const DistributedGrid grid = distributed({comm.size(), 1, 1}, 1);
    SurfaceWriter writer(resources, grid, three_planes(true));
    for (const std::int64_t step : {1, 3}) {
      const Field velocity = field_of(grid, false, step);
      const Field displacement = field_of(grid, true, step);
      const Field next = field_of(grid, false, step + 1);
      const Field displaced_next = field_of(grid, true, step + 1);
      writer.write_phase(step, velocity.view(), displacement.view(), Memory::lent);
      writer.write_phase(step + 1, next.view(), displaced_next.view(), Memory::lent);
      writer.wait();
      writer.wait();
    }
    comm.barrier();
    expect_files({1, 2, 3, 4}, true);
    writer.close();
  }
}

TEST_F(SurfaceWriterMpi, AllPhasesInFlightShareThreads) {
  test::Gate gate;
  const Resources resources{.comm = comm,
                            .open = test::gated(open_posix, gate),
                            .policy = Policy::parse("writers=all,stage=4K,async=4,threads=2"),
                            .memory_bytes = 8 << 20};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const std::int64_t before = test::threads_of_process();
  SurfaceWriter writer(resources, grid, three_planes());
  const Field field = field_of(grid, false, 1);
  for (std::int64_t step = 1; step <= 4; ++step) {
    writer.write_phase(step, field.view());
    EXPECT_LE(test::threads_of_process() - before, 2);
  }
  EXPECT_GE(test::threads_of_process() - before, 1);
  gate.open();
  writer.close();
  EXPECT_EQ(test::bytes_of_file(folder / "surfacexyvel000100.vtk"), files_of(1, false).at("surfacexyvel000100.vtk"));
  remove_files();
}

// The threads that write are kept from beginning until the arrays have changed.
TEST_F(SurfaceWriterMpi, LentArraysAreNotCopied) {
  for (const Memory memory : {Memory::lent, Memory::copied}) {
    test::Gate gate;
    const Resources resources{.comm = comm,
                              .open = test::gated(open_posix, gate),
                              .policy = Policy::parse("writers=all,stage=512,async=1,threads=1"),
                              .memory_bytes = 1 << 20};
    const DistributedGrid grid = distributed({comm.size(), 1, 1});
    SurfaceOptions options = three_planes();
    options.xz_at_y = {};
    options.yz_at_x = {};
    SurfaceWriter writer(resources, grid, options);
    Field field = field_of(grid, false, 1);
    writer.write_phase(1, field.view(), {}, memory);
    const Field changed = field_of(grid, false, 2);
    for (std::size_t c = 0; c < 3; ++c)
      std::copy(changed.values[c].begin(), changed.values[c].end(), field.values[c].begin());
    gate.open();
    writer.wait();
    comm.barrier();
    const test::Bytes found = test::bytes_of_file(folder / "surfacexyvel000100.vtk");
    const test::Bytes of_first = files_of(1, false).at("surfacexyvel000100.vtk");
    const test::Bytes of_changed = files_of(2, false).at("surfacexyvel000200.vtk");
    ASSERT_EQ(found.size(), of_first.size());
    // The job that waits at the gate may have filled its stage before; the last one has not.
    const auto has_end_of = [&](const test::Bytes& bytes) {
      return std::equal(found.end() - 12, found.end(), bytes.end() - 12);
    };
    EXPECT_NE(memory == Memory::lent, has_end_of(of_first));
    EXPECT_EQ(memory == Memory::lent, has_end_of(of_changed));
    EXPECT_EQ(memory == Memory::copied, found == of_first);
    remove_files();
  }
}

// Large planes go through few buffers, also with phases in flight. What is known of a stageful comes on top.
TEST_F(SurfaceWriterMpi, BuffersTakeNoMoreThanTheyMay) {
  constexpr std::int64_t memory_bytes = 2 << 20;
  struct Case {
    const char* policy;
    std::int64_t stage_bytes;
    std::int64_t in_flight;
  };
  const Index shape{1000, 600, 1};
  for (const auto& [policy, stage_bytes, in_flight] :
       {Case{"staged", 256 << 10, 1}, Case{"elected", memory_bytes / 4, 1}, Case{"stage=16K", 16 << 10, 1},
        Case{"writers=2,stage=64K,async=3", 64 << 10, 3}}) {
    SCOPED_TRACE(policy);
    const Resources resources{
        .comm = comm, .policy = Policy::parse(std::string(policy) + ",threads=2"), .memory_bytes = memory_bytes};
    DistributedGrid grid{.shape = shape, .mine = {}};
    grid.mine = GridDecomposition::blocks(shape, {comm.size(), 1, 1}).box_of(comm.rank());
    const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
    const test::HeldMemory memory;
    {
      SurfaceWriter writer(resources, grid, {.prefix = folder / "", .xy_at_z = 0, .displacement = true});
      EXPECT_GT(writer.phase_bytes(), 6 * memory_bytes);
      for (std::int64_t step = 0; step < 5; ++step) {
        writer.write_phase(step, {values, values, values}, {values, values, values});
      }
      writer.close();
      const std::int64_t stages = writer.phase_bytes() / stage_bytes * in_flight;
      EXPECT_LE(memory.max_bytes(), memory_bytes + (64 << 10) + stages * 1024);
    }
    EXPECT_LE(memory.bytes(), 8192) << "paths that a signal may come to remove";
    remove_files();
  }
}

}  // namespace
}  // namespace sill
