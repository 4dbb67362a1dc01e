// What a rank of GCCOM has: arrays with ghost points, and what its file describes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The positions of points, which are written once, and what is written each phase.
inline constexpr std::array<std::string_view, 3> gccom_positions{"x", "y", "z"};
inline constexpr std::array<std::string_view, 7> gccom_variables{"u", "v", "w", "p", "T", "S", "D"};

/// Local. Returns the description of the file of a grid of so many points in x, y and z.
[[nodiscard]] DatasetDescription gccom_description(const Index& grid);

/// Local. Returns the value of a variable at a point in a step; in step -1 of a position.
[[nodiscard]] double gccom_value(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t variable,
                                 std::int64_t step);

/// The part of a rank with a layer of ghost points around it. Dimensions are z, y, x.
struct GccomArrays {
  Box mine;
  Box stored;
  std::vector<std::vector<double>> values;

  /// Local. The part `mine` of a grid of so many points in x, y and z.
  GccomArrays(const Box& mine, const Index& grid, std::size_t variables = gccom_variables.size());
  /// Local. The values of so many variables as the step leaves them.
  void compute(std::size_t variables, std::int64_t step);
};

/// Local. Returns what a rank has of a grid of so many points in x, y and z: a block with little surface. z, y, x.
[[nodiscard]] Box gccom_box(const Index& grid, int rank, int ranks);

/// Collective. Puts a variable of all ranks into `whole_grid`, row-major, on rank 0, which receives their parts one
/// after another, as programs do that do not write in parallel. `values`: those of `arrays`, with ghost points;
/// `received`: room for the parts, to be kept from call to call.
void collect_on_root(Communicator& comm, const Index& grid, const GccomArrays& arrays,
                     const std::vector<double>& values, std::vector<double>& whole_grid, std::vector<double>& received);

/// Local. Computes what is written in a step, or the positions without one, and returns it as parts of the dataset, to
/// be written before the arrays change.
[[nodiscard]] std::vector<ArrayPart> gccom_parts(GccomArrays& arrays, std::optional<std::int64_t> step);

}  // namespace sill::kernels
