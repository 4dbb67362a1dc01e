// A grid of points that is distributed to ranks in boxes, from which simulations write their output.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// What a rank has of a grid of points. Dimensions are x, y, z.
struct DistributedGrid {
  Index shape;  ///< of the whole grid, the same on all ranks
  /// The points that this rank writes: each is one rank's. May be empty; without dimensions it is.
  Box mine = {};
  /// What its arrays hold: `mine` and any margins of ghost points, also beyond the grid. Without dimensions: `mine`
  /// alone.
  Box stored = {};
};

/// The components x, y, z of a vector field at the points that a rank stores.
using VectorField = std::array<std::span<const float>, 3>;

/// Local. `grid` with boxes that have dimensions. Errors: usage, which begin with `output`, unless the shape is one of
/// points in x, y, z, `mine` lies in it, and `stored` holds `mine`.
[[nodiscard]] DistributedGrid sound_grid(DistributedGrid grid, std::string_view output);

/// Points of which each must be some rank's: one that no rank had would be a hole in a file.
struct DistributedPoints {
  std::string name;      ///< in words, for messages
  std::int64_t all = 0;  ///< how many there are
  std::int64_t mine = 0;
};

/// Collective. Precondition: as many elements on every rank. Errors: usage, which begin with `output`, if the ranks
/// together do not have all points of an element. (Points that two have are found when they are written.)
void require_all_points(Communicator& comm, std::span<const DistributedPoints> points, std::string_view output);

/// Local. A box in words, for messages: how many points from which on.
[[nodiscard]] std::string points_text(const Box& box);

}  // namespace sill
