#include "kernels/netcdf/gccom_arrays.hpp"

#include <span>
#include <string>

#include "kernels/awp_volume_arrays.hpp"
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
