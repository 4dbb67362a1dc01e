// Surface output by several ranks: files whose every point is known, whoever holds it and whoever writes it.
#include "sill/io/surface_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/world.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/store/fault_store.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/sizes.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::same_everywhere;
using test::thrown;
using test::world;

const Index grid_shape{13, 10, 7};
constexpr std::int64_t z_of_xy = 5;
constexpr std::int64_t y_of_xz = 4;
constexpr std::int64_t x_of_yz = 12;

// The field: exact in a float, and another number at each point, component, quantity and step.
float value_at(std::int64_t x, std::int64_t y, std::int64_t z, std::size_t component, bool displacement,
               std::int64_t step) {
  const std::int64_t number =
      (((step * 2 + (displacement ? 1 : 0)) * 3 + static_cast<std::int64_t>(component)) * 16 + x) * 256 + y * 16 + z;
  return static_cast<float>(number) / 8.0F - 1000.0F;
}

// What a plane's file must hold: header and points put down one by one.
Bytes plane_bytes(const Index& first, const Index& count, const std::array<double, 3>& origin, double spacing,
                  bool displacement, std::int64_t step) {
  std::array<char, 512> header;
  const int length = std::snprintf(
      header.data(), header.size(),
      "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS %d %d %d\nORIGIN %f %f %f\n"
      "SPACING %f %f %f\nPOINT_DATA %d\nSCALARS V float 3\nLOOKUP_TABLE default\n",
      static_cast<int>(count[0]), static_cast<int>(count[1]), static_cast<int>(count[2]),
      origin[0] + spacing * static_cast<double>(first[0]), origin[1] + spacing * static_cast<double>(first[1]),
      origin[2] + spacing * static_cast<double>(first[2]), spacing, spacing, spacing,
      static_cast<int>(count[0] * count[1] * count[2]));
  Bytes bytes;
  for (int i = 0; i < length; ++i) bytes.push_back(static_cast<std::byte>(header[static_cast<std::size_t>(i)]));
  for (std::int64_t z = first[2]; z < first[2] + count[2]; ++z) {
    for (std::int64_t y = first[1]; y < first[1] + count[1]; ++y) {
      for (std::int64_t x = first[0]; x < first[0] + count[0]; ++x) {
        for (std::size_t component = 0; component < 3; ++component) {
          const float value = value_at(x, y, z, component, displacement, step);
          std::uint32_t bits = 0;
          std::memcpy(&bits, &value, 4);
          for (unsigned shift = 32; shift > 0; shift -= 8) bytes.push_back(static_cast<std::byte>(bits >> (shift - 8)));
        }
      }
    }
  }
  return bytes;
}

class SurfaceWriterMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};

  [[nodiscard]] SurfaceOptions three_planes(bool displacement = false) const {
    return {.prefix = folder.path() + "/",
            .xy_at_z = z_of_xy,
            .xz_at_y = y_of_xz,
            .yz_at_x = x_of_yz,
            .first_plane_row = 1,
            .plane_rows = 5,
            .origin = {100, -20, 3.5},
            .spacing = {0.5, 0.5, 0.5},
            .displacement = displacement};
  }

  // The files of a step, by their names.
  [[nodiscard]] static std::map<std::string, Bytes> files_of(std::int64_t step, bool displacement) {
    std::array<char, 16> number;
    (void)std::snprintf(number.data(), number.size(), "%04d", static_cast<int>(step));
    const std::array<double, 3> origin{100, -20, 3.5};
    std::map<std::string, Bytes> files;
    for (int quantity = 0; quantity <= (displacement ? 1 : 0); ++quantity) {
      const std::string end = std::string(quantity == 0 ? "vel" : "disp") + number.data() + "00.vtk";
      const bool is_displacement = quantity == 1;
      const auto bytes = [&](const Index& first, const Index& count) {
        return plane_bytes(first, count, origin, 0.5, is_displacement, step);
      };
      files["surfacexy" + end] = bytes({0, 0, z_of_xy}, {13, 10, 1});
      files["surfacexz" + end] = bytes({0, y_of_xz, 1}, {13, 1, 5});
      files["surfaceyz" + end] = bytes({x_of_yz, 0, 1}, {1, 10, 5});
    }
    return files;
  }

  // The box of this rank: part `rank` of the grid cut so, nothing for ranks beyond.
  [[nodiscard]] SurfaceGrid dealt(const Index& parts, std::int64_t margin = 0) const {
    SurfaceGrid grid{.shape = grid_shape, .mine = GridDecomposition::blocks(grid_shape, parts).box_of(comm.rank())};
    if (margin == 0) return grid;
    grid.stored = grid.mine;
    for (std::size_t d = 0; d < 3; ++d) {
      grid.stored.first[d] -= margin;
      grid.stored.count[d] += margin + static_cast<std::int64_t>(d);
    }
    return grid;
  }

  // The arrays of this rank at a step; margins hold what must not be written.
  struct Field {
    std::array<std::vector<float>, 3> values;
    [[nodiscard]] VectorField view() const { return {values[0], values[1], values[2]}; }
  };
  [[nodiscard]] static Field field_of(const SurfaceGrid& grid, bool displacement, std::int64_t step) {
    const Box& stored = grid.stored.dimensions() == 0 ? grid.mine : grid.stored;
    Field field;
    for (std::size_t component = 0; component < 3; ++component) {
      for (std::int64_t x = stored.first[0]; x < stored.first[0] + stored.count[0]; ++x) {
        for (std::int64_t y = stored.first[1]; y < stored.first[1] + stored.count[1]; ++y) {
          for (std::int64_t z = stored.first[2]; z < stored.first[2] + stored.count[2]; ++z) {
            const Box point{{x, y, z}, {1, 1, 1}};
            const bool is_mine = intersection(point, grid.mine) == point;
            field.values[component].push_back(is_mine ? value_at(x, y, z, component, displacement, step) : -7.0F);
          }
        }
      }
    }
    return field;
  }
  static void write(SurfaceWriter& writer, const SurfaceGrid& grid, std::int64_t step, bool displacement) {
    Field velocity = field_of(grid, false, step);
    Field second = displacement ? field_of(grid, true, step) : Field{};
    writer.write_phase(step, velocity.view(), second.view());
    // The arrays are the program's again, also where requests are still under way.
    for (Field* field : {&velocity, &second}) {
      for (std::vector<float>& values : field->values) std::fill(values.begin(), values.end(), 1e30F);
    }
  }

  // Collective. What the folder holds, hidden files included, is just the files of these steps; it is emptied.
  void expect_files(const std::vector<std::int64_t>& steps, bool displacement) {
    comm.barrier();
    if (comm.rank() == 0) {
      std::vector<std::string> names;
      for (const std::int64_t step : steps) {
        for (const auto& [name, bytes] : files_of(step, displacement)) {
          names.push_back(name);
          if (std::filesystem::exists(folder / name)) {
            EXPECT_TRUE(test::bytes_of_file(folder / name) == bytes) << name;
          }
        }
      }
      std::sort(names.begin(), names.end());
      const std::vector<std::string> found = test::names_in(folder.path());
      EXPECT_EQ(found, names);
      for (const std::string& name : found) std::filesystem::remove(folder / name);
    }
    comm.barrier();
  }

  // What all ranks throw, after making sure that it is the same.
  std::optional<Error> thrown_by_all(const std::function<void()>& work) {
    std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    EXPECT_TRUE(!error || error->agreed());
    return error;
  }
  void expect_refused(const std::function<void()>& work, const std::string& words, int rank) {
    const std::optional<Error> error = thrown_by_all(work);
    ASSERT_TRUE(error) << words;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(error->parts().problem.find(words), std::string::npos) << error->what();
    EXPECT_FALSE(error->parts().action.empty());
    EXPECT_EQ(error->parts().rank, rank);
  }

  // Process grids of up to as many parts as there are ranks; with fewer, some ranks have nothing.
  [[nodiscard]] std::vector<Index> process_grids() const {
    std::vector<Index> grids;
    for (std::int64_t x = 1; x <= 4; ++x) {
      for (std::int64_t y = 1; y <= 4; ++y) {
        for (std::int64_t z = 1; z <= 2; ++z) {
          if (x * y * z <= comm.size()) grids.push_back({x, y, z});
        }
      }
    }
    return grids;
  }
};

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
      const SurfaceGrid grid = dealt(parts, policy.size() % 3 == 0 ? 2 : 0);
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
    const SurfaceGrid grid = dealt({1, comm.size(), 1}, 1);
    SurfaceWriter writer(resources, grid, three_planes(true));
    for (const std::int64_t step : {1, 2}) write(writer, grid, step, true);
    writer.close();
    expect_files({1, 2}, true);
  }
}

TEST_F(SurfaceWriterMpi, OnePlaneWithAllItsRows) {
  const Resources resources{.comm = comm, .policy = Policy::parse("staged")};
  const SurfaceGrid grid = dealt({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, {.prefix = folder / "a_", .yz_at_x = 0, .spacing = {2, 2, 2}});
  write(writer, grid, 10000, false);
  // Without asynchronous phases the files are there when the call returns.
  comm.barrier();
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{"a_surfaceyzvel1000000.vtk"});
  EXPECT_TRUE(test::bytes_of_file(folder / "a_surfaceyzvel1000000.vtk") ==
              plane_bytes({0, 0, 0}, {1, 10, 7}, {0, 0, 0}, 2, false, 10000));
  writer.close();
}

TEST_F(SurfaceWriterMpi, AtMostSoManyPhasesAreInFlight) {
  const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=2"), .memory_bytes = 1 << 20};
  const SurfaceGrid grid = dealt({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, three_planes());
  const auto has = [&](std::int64_t step) {
    comm.barrier();
    return std::filesystem::exists(folder / files_of(step, false).begin()->first);
  };
  write(writer, grid, 1, false);
  write(writer, grid, 2, false);
  EXPECT_FALSE(has(1));
  write(writer, grid, 3, false);
  EXPECT_TRUE(has(1));
  EXPECT_FALSE(has(2));
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
    SurfaceGrid grid{.shape = shape, .mine = {}};
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
    EXPECT_EQ(sum(meter.opens), phases * 6) << "one writer a file";
    // Windows go through the files of a writer end to end, so a file is cut once more at most.
    const std::int64_t writers = std::min<std::int64_t>(comm.size(), 6);
    const std::int64_t most = writer.phase_bytes() / stage + 6 + writers;
    const std::int64_t requests = sum(meter.write_requests);
    EXPECT_LE(requests, phases * most);
    EXPECT_GE(requests, phases * std::max<std::int64_t>(6, writer.phase_bytes() / stage));
    comm.barrier();
    if (comm.rank() == 0) {
      for (const std::string& file : test::names_in(folder.path())) std::filesystem::remove(folder / file);
    }
    comm.barrier();
  }
}

TEST_F(SurfaceWriterMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesEarlierPhases) {
  for (const char* policy : {"direct", "elected,stage=1000,sync=phase", "writers=2,stage=700,async=2,sync=close"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(
        comm,
        {.calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close}, .numbers = {1, 3}},
        [&](test::RankFault& fault) {
          const SurfaceGrid grid = dealt({comm.size(), 1, 1});
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
            struck = fault.is_told_by(error);
          }
          expect_files(struck ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2}, false);
          return struck;
        });
  }
}

// With phases in flight the error of one comes with a later call; those before it and after it have their files.
TEST_F(SurfaceWriterMpi, AnErrorBehindComesWithALaterCallAndCostsItsPhaseAlone) {
  test::RankFault fault(comm, 0, Fault::Call::write, Fault::Kind::fails, 1);
  const Opener failing = fault.in(open_posix);
  const Resources resources{.comm = comm,
                            .open =
                                [&](const std::string& path, OpenMode mode) {
                                  const bool is_second = path.find("000200.vtk") != std::string::npos;
                                  return is_second ? failing(path, mode) : open_posix(path, mode);
                                },
                            .policy = Policy::parse("gathered,async=2"),
                            .memory_bytes = 1 << 20};
  const SurfaceGrid grid = dealt({comm.size(), 1, 1});
  SurfaceWriter writer(resources, grid, three_planes());
  write(writer, grid, 1, false);
  write(writer, grid, 2, false);
  write(writer, grid, 3, false);
  const auto error = thrown([&] { write(writer, grid, 4, false); });
  EXPECT_TRUE(fault.is_told_by(error));
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().where.file.find("000200.vtk"), std::string::npos) << error->what();
  write(writer, grid, 5, false);
  writer.close();
  expect_files({1, 3, 5}, false);
}

TEST_F(SurfaceWriterMpi, AVanishedFolderIsToldByAll) {
  const Resources resources{.comm = comm};
  const SurfaceGrid grid = dealt({1, comm.size(), 1});
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
  EXPECT_NE(error->parts().where.file.find("surfacexyvel000200.vtk"), std::string::npos) << error->what();
  writer.close();
}

TEST_F(SurfaceWriterMpi, WhatARankHasWrongIsRefusedByAll) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const SurfaceGrid sound = dealt({comm.size(), 1, 1});
  const auto make = [&](const SurfaceGrid& grid, const SurfaceOptions& options) {
    return [&resources, grid, options] { const SurfaceWriter writer(resources, grid, options); };
  };
  const auto changed = [&](auto&& change) {
    SurfaceGrid grid = sound;
    SurfaceOptions options = three_planes();
    change(grid, options);
    return make(grid, options);
  };
  using Grid = SurfaceGrid;
  using Options = SurfaceOptions;
  // The same wrong thing on all ranks.
  expect_refused(make(sound, {.prefix = folder / ""}), "no plane is chosen", 0);
  expect_refused(changed([](Grid&, Options& options) { options.xy_at_z = 7; }), "z = 7", 0);
  expect_refused(changed([](Grid&, Options& options) { options.yz_at_x = -2; }), "x = -2", 0);
  expect_refused(changed([](Grid&, Options& options) { options.plane_rows = 7; }), "7 rows of a plane from 1 on", 0);
  expect_refused(changed([](Grid&, Options& options) { options.first_plane_row = -1; }), "from -1 on", 0);
  expect_refused(changed([](Grid&, Options& options) { options.spacing[2] = 0; }), "spacing", 0);
  expect_refused(changed([](Grid& grid, Options&) { grid.shape = {13, 10}; }), "shape 13 x 10", 0);
  // On one rank.
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[1] += 1;
                 }),
                 "do not lie in the grid", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (!is_last) return;
                   grid.stored = grid.mine;
                   grid.stored.first[2] += 1;
                 }),
                 "do not hold all", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count = {1, 1};
                 }),
                 "no box of three dimensions", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[0] -= 1;
                 }),
                 "the ranks together hold", 0);
  if (comm.size() > 1) {
    expect_refused(changed([&](Grid&, Options& options) {
                     if (is_last) options.origin[0] = 1;
                   }),
                   "another grid, other planes or other options", last);
  }

  SurfaceWriter writer(resources, sound, three_planes());
  Field field = field_of(sound, false, 1);
  const VectorField whole_field = field.view();
  if (is_last) field.values[1].pop_back();
  expect_refused([&] { writer.write_phase(1, field.view()); }, "component y of the velocity has", last);
  expect_refused([&] { writer.write_phase(1, whole_field, whole_field); }, "displacement is given", 0);
  expect_refused([&] { writer.write_phase(-1, whole_field); }, "step is -1", 0);
  if (comm.size() > 1) {
    expect_refused([&] { writer.write_phase(is_last ? 2 : 1, whole_field); }, "at step 2, rank 0 at 1", last);
  }
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
  write(writer, sound, 1, false);  // all of that costs nothing but the call
  writer.close();
  expect_refused([&] { writer.write_phase(2, whole_field); }, "after the writer was closed", 0);
  expect_files({1}, false);

  SurfaceWriter with_displacement(resources, sound, three_planes(true));
  expect_refused([&] { with_displacement.write_phase(1, field_of(sound, false, 1).view()); },
                 "component x of the displacement has 0 values", 0);
  expect_files({}, true);
}

TEST_F(SurfaceWriterMpi, APointOfTwoRanksIsRefusedByAll) {
  if (comm.size() < 2) GTEST_SKIP() << "takes two ranks";
  SurfaceGrid grid = dealt({2, 1, 1});
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

TEST_F(SurfaceWriterMpi, WithoutClosingNothingIsLeftBehind) {
  const SurfaceGrid grid = dealt({comm.size(), 1, 1});
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
