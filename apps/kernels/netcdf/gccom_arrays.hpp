// The data of a rank of GCCOM: arrays with ghost points, and the description of its file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The positions of points, which are written once, and the variables, which are written in each phase.
inline constexpr std::array<std::string_view, 3> gccom_positions{"x", "y", "z"};
inline constexpr std::array<std::string_view, 7> gccom_variables{"u", "v", "w", "p", "T", "S", "D"};

/// Local. Returns the description of the file for a grid with `grid` points in x, y and z.
[[nodiscard]] DatasetDescription gccom_description(const Index& grid);

/// Local. Returns the value of variable number `variable` at a point in step `step`; for step -1, the value of
/// coordinate number `variable`.
[[nodiscard]] double gccom_value(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t variable,
                                 std::int64_t step);

/// The block of a rank with a layer of ghost points around it. Dimensions are z, y, x.
struct GccomArrays {
  Box mine;
  Box stored;
  std::vector<std::vector<double>> values;

  /// Local. Allocates the block `mine` of a grid with `grid` points in x, y and z.
  GccomArrays(const Box& mine, const Index& grid, std::size_t variables = gccom_variables.size());
  /// Local. Computes the values of the first `variables` variables at the end of the step.
  void compute(std::size_t variables, std::int64_t step);
};

/// Local. Returns the block of a rank in a grid with `grid` points in x, y and z: a block with a small surface. Order
/// z, y, x.
[[nodiscard]] Box gccom_box(const Index& grid, int rank, int ranks);

/// Local. Computes the values of step `step`, or the positions if `step` is nullopt. Returns them as sections of the
/// dataset, which must be written before the arrays change.
[[nodiscard]] std::vector<ArrayPart> gccom_parts(GccomArrays& arrays, std::optional<std::int64_t> step);

}  // namespace sill::kernels
