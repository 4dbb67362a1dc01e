// Where the points that are kept lie in a simulation's array, and taking them from there.
#pragma once

#include <cstdint>

#include "sill/formats/volume/volume_file.hpp"
#include "sill/layout/box.hpp"
#include "sill/layout/point_order.hpp"
#include "sill/layout/range.hpp"

namespace sill::volume {

/// Where the grid has its surface.
enum class Surface {
  at_first_z,
  at_last_z,  ///< z counts upwards, as AWP-ODC has it
};

/// Local. The points `box` of a grid with so many points in z, counted from the surface down.
[[nodiscard]] Box from_surface(Box box, std::int64_t points_z, Surface surface);

/// Kept points in an array.
struct Sample {
  std::int64_t first = 0;  ///< how many floats before the first of them
  Index count;             ///< in x, y, z
  Index strides;           ///< from one to the next in x, y, z (down), in floats; may be negative

  /// Local. Whether the points of a row lie one behind the other.
  [[nodiscard]] bool has_whole_rows() const { return strides[0] == 1 || count[0] <= 1; }
};

/// Local. The kept points `part` in arrays that hold the points `stored` of the grid, all boxes with z from the surface
/// down. Precondition: the points lie in `stored`; `part` is not empty.
[[nodiscard]] Sample sample_of(const KeptPoints& kept, const Box& part, const Box& stored, PointOrder order,
                               Surface surface);

/// Local. Copies them from `array` to consecutive memory, in the order of the file: those of `rows`, counted in y
/// among the sample's, for threads to share the work. `to`: where the first of all belongs.
void copy_sample(const Sample& sample, ItemRange rows, const float* array, float* to);

}  // namespace sill::volume
