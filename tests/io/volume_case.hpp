// A field over a small grid, distributed to ranks, and what the files of its kept points must hold.
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
#include "sill/io/simulation/volume_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::test {

inline const Index volume_shape{13, 10, 7};

// The field: exact in a float, and another number at each point, component and step; z counts upwards.
inline float volume_value(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t component, std::int64_t step) {
  return static_cast<float>((((step * 3 + component) * 16 + x) * 16 + y) * 8 + z) / 4.0F - 500.0F;
}

// What is kept of it, in AWP-ODC's words: counted from 1, z from the surface, which is the last z.
struct Selection {
  std::array<std::int64_t, 3> nbg{1, 1, 1};
  std::array<std::int64_t, 3> ned{13, 10, 7};
  std::array<std::int64_t, 3> nskp{1, 1, 1};
  std::int64_t ntiskp = 1;
  std::int64_t write_step = 1;
};

// The files of a run of `steps` steps by their names, put down value by value.
inline std::map<std::string, Bytes> volume_files(const Selection& s, std::int64_t steps, std::string_view components) {
  std::map<std::string, Bytes> files;
  for (const char letter : components) {
    Bytes bytes;
    for (std::int64_t step = 1; step <= steps; ++step) {
      const bool is_sampled = step % s.ntiskp == 0;
      for (std::int64_t down = s.nbg[2]; is_sampled && down <= s.ned[2]; down += s.nskp[2]) {
        for (std::int64_t y = s.nbg[1]; y <= s.ned[1]; y += s.nskp[1]) {
          for (std::int64_t x = s.nbg[0]; x <= s.ned[0]; x += s.nskp[0]) {
            const float value = volume_value(x - 1, y - 1, volume_shape[2] - down, letter - 'X', step);
            std::array<std::byte, 4> native;
            std::memcpy(native.data(), &value, 4);
            bytes.insert(bytes.end(), native.begin(), native.end());
          }
        }
      }
      const std::int64_t last_sample = step / s.ntiskp * s.ntiskp;
      if (bytes.empty() || (step % (s.ntiskp * s.write_step) != 0 && step < steps)) continue;
      std::array<char, 32> name;
      (void)std::snprintf(name.data(), name.size(), "S%c%07d", letter, static_cast<int>(last_sample));
      files[name.data()] = bytes;
      bytes.clear();
    }
  }
  return files;
}

class VolumeCase : public OutputCase {
 protected:
  [[nodiscard]] VolumeOptions options_of(const Selection& s, const std::string& components = "XYZ",
                                         PointOrder order = PointOrder::x_fastest) const {
    VolumeOptions options{.prefix = folder.path() + "/",
                          .components = components,
                          .steps_per_sample = s.ntiskp,
                          .samples_per_file = s.write_step,
                          .order = order};
    for (std::size_t d = 0; d < 3; ++d) options.kept[d] = {s.nbg[d] - 1, s.ned[d] - 1, s.nskp[d]};
    return options;
  }

  // The box of this rank: part `rank` of the grid cut so, nothing for ranks beyond.
  [[nodiscard]] DistributedGrid distributed(const Index& parts, std::int64_t margin = 0) const {
    return with_ghosts(GridDecomposition::blocks(volume_shape, parts).box_of(comm.rank()), margin);
  }
  [[nodiscard]] static DistributedGrid with_ghosts(const Box& mine, std::int64_t margin) {
    DistributedGrid grid{.shape = volume_shape, .mine = mine};
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
    void spoil() {
      for (std::vector<float>& each : values) std::fill(each.begin(), each.end(), 1e30F);
    }
  };
  [[nodiscard]] static Field field_of(const DistributedGrid& grid, PointOrder order, std::int64_t step) {
    const Box& stored = grid.stored.dimensions() == 0 ? grid.mine : grid.stored;
    Field field;
    if (stored.dimensions() == 0) return field;
    const std::size_t slow = order == PointOrder::x_fastest ? 2 : 0;
    const std::size_t fast = 2 - slow;
    for (std::int64_t component = 0; component < 3; ++component) {
      std::vector<float>& values = field.values[static_cast<std::size_t>(component)];
      values.reserve(static_cast<std::size_t>(stored.items()));
      for (std::int64_t i = 0; i < stored.count[slow]; ++i) {
        for (std::int64_t j = 0; j < stored.count[1]; ++j) {
          for (std::int64_t k = 0; k < stored.count[fast]; ++k) {
            std::array<std::int64_t, 3> point{};
            point[slow] = stored.first[slow] + i;
            point[1] = stored.first[1] + j;
            point[fast] = stored.first[fast] + k;
            bool is_mine = true;
            for (std::size_t d = 0; d < 3; ++d) {
              is_mine = is_mine && point[d] >= grid.mine.first[d] && point[d] < grid.mine.first[d] + grid.mine.count[d];
            }
            values.push_back(is_mine ? volume_value(point[0], point[1], point[2], component, step) : -7.0F);
          }
        }
      }
    }
    return field;
  }

  // Steps `first` to `last` of a run; the arrays are the program's again after each call.
  static void write(VolumeWriter& writer, const DistributedGrid& grid, PointOrder order, std::int64_t first,
                    std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) {
      Field field = field_of(grid, order, step);
      writer.write_step(step, field.view());
      field.spoil();
    }
  }

  // Collective. What the folder holds, hidden files included, is just these files; it is emptied.
  void expect_files(const std::map<std::string, Bytes>& files) {
    comm.barrier();
    if (comm.rank() == 0) {
      std::vector<std::string> names;
      for (const auto& [name, bytes] : files) {
        names.push_back(name);
        if (std::filesystem::exists(folder / name)) {
          EXPECT_TRUE(bytes_of_file(folder / name) == bytes) << name;
        }
      }
      const std::vector<std::string> found = names_in(folder.path());
      EXPECT_EQ(found, names);
      for (const std::string& name : found) std::filesystem::remove(folder / name);
    }
    comm.barrier();
  }
};

}  // namespace sill::test
