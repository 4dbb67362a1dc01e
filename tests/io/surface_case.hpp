// A field over a small grid, distributed to ranks, and what the files of its planes must hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/output_case.hpp"
#include "sill/io/simulation/surface_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::test {

inline const Index grid_shape{13, 10, 7};
inline constexpr std::int64_t z_of_xy = 5;
inline constexpr std::int64_t y_of_xz = 4;
inline constexpr std::int64_t x_of_yz = 12;

// The field: exact in a float, and another number at each point, component, quantity and step.
inline float value_at(std::int64_t x, std::int64_t y, std::int64_t z, std::size_t component, bool displacement,
                      std::int64_t step) {
  const std::int64_t number =
      (((step * 2 + (displacement ? 1 : 0)) * 3 + static_cast<std::int64_t>(component)) * 16 + x) * 256 + y * 16 + z;
  return static_cast<float>(number) / 8.0F - 1000.0F;
}

// What a plane's file must hold: header and points put down one by one.
inline Bytes plane_bytes(const Index& first, const Index& count, const std::array<double, 3>& origin, double spacing,
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

class SurfaceCase : public OutputCase {
 protected:
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
  [[nodiscard]] DistributedGrid distributed(const Index& parts, std::int64_t margin = 0) const {
    DistributedGrid grid{.shape = grid_shape, .mine = GridDecomposition::blocks(grid_shape, parts).box_of(comm.rank())};
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
  [[nodiscard]] static Field field_of(const DistributedGrid& grid, bool displacement, std::int64_t step) {
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
  static void write(SurfaceWriter& writer, const DistributedGrid& grid, std::int64_t step, bool displacement) {
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
            EXPECT_TRUE(bytes_of_file(folder / name) == bytes) << name;
          }
        }
      }
      std::sort(names.begin(), names.end());
      const std::vector<std::string> found = names_in(folder.path());
      EXPECT_EQ(found, names);
      for (const std::string& name : found) std::filesystem::remove(folder / name);
    }
    comm.barrier();
  }
};

}  // namespace sill::test
