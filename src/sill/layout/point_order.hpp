// The order of the points of a grid in memory.
#pragma once

#include "sill/layout/box.hpp"

namespace sill {

/// The dimension of a simulation's arrays over x, y, z that varies fastest.
enum class PointOrder {
  x_fastest,  ///< then y, then z: Fortran's u(x, y, z)
  z_fastest,  ///< then y, then x: C's u[x][y][z]
};

/// Local. Returns the distances between neighbours in x, y, z in an array of `shape`, in elements. Precondition:
/// `shape` has three dimensions.
[[nodiscard]] inline Index strides_of(const Index& shape, PointOrder order) {
  return order == PointOrder::z_fastest ? Index{shape[1] * shape[2], shape[2], 1}
                                        : Index{1, shape[0], shape[0] * shape[1]};
}

}  // namespace sill
