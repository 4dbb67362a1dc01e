#include "kernels/netcdf/gccom_arrays.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/time_loop.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {

DatasetDescription gccom_description(const Index& grid) {
  DatasetDescription description{
      .dimensions = {{"time", unlimited}, {"nz", grid[2]}, {"ny", grid[1]}, {"nx", grid[0]}},
      .attributes = {{"title", "General Curvilinear Coastal Ocean Model"}, {"Conventions", "CF-1.8"}}};
  for (const std::string_view name : gccom_positions) {
    description.variables.push_back({std::string(name), ElementType::f8, {"nz", "ny", "nx"}, {{"units", "m"}}});
  }
  constexpr std::array units{"m s-1", "m s-1", "m s-1", "Pa", "degree_C", "1e-3", "kg m-3"};
  for (std::size_t v = 0; v < gccom_variables.size(); ++v) {
    description.variables.push_back({std::string(gccom_variables[v]),
                                     ElementType::f8,
                                     {"time", "nz", "ny", "nx"},
                                     {{"units", units[v]}, {"coordinates", "x y z"}}});
  }
  return description;
}

double gccom_value(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t variable, std::int64_t step) {
  return double{volume_value(x, y, z, variable, step)} / 3;
}

GccomArrays::GccomArrays(const Box& of_rank, const Index& grid, std::size_t variables)
    : mine(of_rank), stored(with_margin(of_rank, {1, 1, 1}, {1, 1, 1}, {grid[2], grid[1], grid[0]})) {
  if (mine.empty()) stored = mine;
  values.assign(variables, std::vector<double>(static_cast<std::size_t>(stored.items())));
}

void GccomArrays::compute(std::size_t variables, std::int64_t step) {
  for (std::size_t v = 0; v < variables; ++v) {
    std::size_t at = 0;
    for (std::int64_t z = stored.first[0]; z < stored.first[0] + stored.count[0]; ++z) {
      for (std::int64_t y = stored.first[1]; y < stored.first[1] + stored.count[1]; ++y) {
        for (std::int64_t x = stored.first[2]; x < stored.first[2] + stored.count[2]; ++x) {
          values[v][at++] = gccom_value(z, y, x, static_cast<std::int64_t>(v), step);
        }
      }
    }
  }
}

Box gccom_box(const Index& grid, int rank, int ranks) {
  const Index shape{grid[2], grid[1], grid[0]};
  return GridDecomposition::blocks(shape, process_grid(ranks, shape)).box_of(rank);
}

void collect_on_root(Communicator& comm, const Index& grid, const GccomArrays& arrays,
                     const std::vector<double>& values, std::vector<double>& whole_grid,
                     std::vector<double>& received) {
  const Index strides = row_major_strides({grid[2], grid[1], grid[0]}, 1);
  const auto for_each_row = [&](const Box& box, auto&& visit) {
    for (std::int64_t row = 0; row < box.count[0] * box.count[1]; ++row) {
      const Index first{box.first[0] + row / box.count[1], box.first[1] + row % box.count[1], box.first[2]};
      visit(row, first);
    }
  };
  const auto put_in_place = [&](const Box& box, const std::vector<double>& part) {
    for_each_row(box, [&](std::int64_t row, const Index& first) {
      std::copy_n(part.begin() + row * box.count[2], box.count[2], whole_grid.begin() + offset_of(first, strides));
    });
  };
  // The rank's points without ghost points, in order.
  std::vector<double> mine(static_cast<std::size_t>(arrays.mine.items()));
  if (!mine.empty()) {
    const Index stored = row_major_strides(arrays.stored.count, 1);
    for_each_row(arrays.mine, [&](std::int64_t row, Index first) {
      for (std::size_t d = 0; d < 3; ++d) first[d] -= arrays.stored.first[d];
      std::copy_n(values.begin() + offset_of(first, stored), arrays.mine.count[2],
                  mine.begin() + row * arrays.mine.count[2]);
    });
  }
  if (comm.rank() != 0) {
    if (!mine.empty()) send_to(comm, 0, mine);
    return;
  }
  if (!mine.empty()) put_in_place(arrays.mine, mine);
  for (int rank = 1; rank < comm.size(); ++rank) {
    const Box box = gccom_box(grid, rank, comm.size());
    if (box.empty()) continue;
    received.resize(static_cast<std::size_t>(box.items()));
    receive_from(comm, rank, received);
    put_in_place(box, received);
  }
}

std::vector<ArrayPart> gccom_parts(GccomArrays& arrays, std::optional<std::int64_t> step) {
  const std::span<const std::string_view> names =
      step ? std::span<const std::string_view>(gccom_variables) : std::span<const std::string_view>(gccom_positions);
  arrays.compute(names.size(), step.value_or(-1));
  std::vector<ArrayPart> parts;
  for (std::size_t v = 0; v < names.size(); ++v) {
    parts.emplace_back(std::string(names[v]), arrays.mine, arrays.stored, arrays.values[v].data());
  }
  return parts;
}

}  // namespace sill::kernels
