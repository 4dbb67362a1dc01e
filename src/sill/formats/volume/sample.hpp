// The positions of selected points in a simulation's array, and the copy of these points.
#pragma once

#include <cstdint>

#include "sill/formats/volume/volume_file.hpp"
#include "sill/layout/box.hpp"
#include "sill/layout/point_order.hpp"
#include "sill/layout/range.hpp"

namespace sill::volume {

/// The position of the surface in the grid.
enum class Surface {
  at_first_z,
  at_last_z,  ///< z counts upwards, as in AWP-ODC
};

/// Local. Returns `box`, a box of points of a grid with `points_z` points in z, with z counted from the surface down
/// instead of in the order of the grid.
[[nodiscard]] Box from_surface(Box box, std::int64_t points_z, Surface surface);

/// The selected points in an array.
struct Sample {
  std::int64_t first = 0;  ///< number of floats before the first point
  Index count;             ///< number of points in x, y, z
  Index strides;           ///< distances between points in x, y, z (down), in floats; may be negative

  /// Local. Returns true if the points of a row are contiguous.
  [[nodiscard]] bool has_whole_rows() const { return strides[0] == 1 || count[0] <= 1; }
};

/// Local. Returns the positions of the selected points `part` in arrays that hold the points `stored` of the grid; all
/// boxes count z from the surface down. Precondition: the points are inside `stored`; `part` is not empty.
[[nodiscard]] Sample sample_of(const KeptPoints& kept, const Box& part, const Box& stored, PointOrder order,
                               Surface surface);

/// Local. Copies points from `array` to consecutive memory, in file order. Copies only the rows `rows`, counted in y
/// among the sample's rows, so that threads can share the work. `to`: the destination of the first point of the sample.
void copy_sample(const Sample& sample, ItemRange rows, const float* array, float* to);

}  // namespace sill::volume
