// Conversion of a distributed grid from C to C++.
#pragma once

#include "sill.h"
#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/layout/point_order.hpp"
#include "status.hpp"

namespace sill::bindings {

/// Local. Converts three numbers to an index.
[[nodiscard]] inline Index index_of(const std::int64_t (&values)[3]) { return {values[0], values[1], values[2]}; }

/// Local. Converts a grid.
[[nodiscard]] inline DistributedGrid distributed_grid(const sill_grid& grid) {
  DistributedGrid all{.shape = index_of(grid.shape), .mine = {index_of(grid.first), index_of(grid.count)}};
  if (index_of(grid.stored_count) != Index(3, 0)) {
    all.stored = {index_of(grid.stored_first), index_of(grid.stored_count)};
  }
  return all;
}

/// Local. Returns the point order with this number. Errors: usage for an invalid number.
[[nodiscard]] inline PointOrder point_order(int number) {
  if (number != SILL_Z_FASTEST && number != SILL_X_FASTEST) {
    refuse("the order of points in memory is " + std::to_string(number), "give SILL_Z_FASTEST or SILL_X_FASTEST");
  }
  return number == SILL_X_FASTEST ? PointOrder::x_fastest : PointOrder::z_fastest;
}

}  // namespace sill::bindings
