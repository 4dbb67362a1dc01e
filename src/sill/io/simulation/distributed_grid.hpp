// A grid of points that is distributed over ranks in boxes; simulations write their output from it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// The points of a grid that one rank has. Dimensions are x, y, z.
struct DistributedGrid {
  Index shape;  ///< shape of the complete grid, the same on all ranks
  /// The box of points that this rank writes; each point belongs to one rank. The box may be empty. A box without
  /// dimensions is empty.
  Box mine = {};
  /// The box that the arrays of this rank store: `mine` and any margins of ghost points, even outside the grid. A box
  /// without dimensions stands for `mine`.
  Box stored = {};
};

/// The components x, y, z of a vector field at the points that a rank stores.
using VectorField = std::array<std::span<const float>, 3>;

/// Local. Returns `grid` with boxes that have dimensions. Errors: usage, with texts that begin with `output`, unless
/// the shape is a valid number of points in x, y, z, `mine` is within it, and `stored` contains `mine`.
[[nodiscard]] DistributedGrid sound_grid(DistributedGrid grid, std::string_view output);

/// Points that must each belong to a rank: a point without a rank would be a hole in a file.
struct DistributedPoints {
  std::string name;      ///< description for messages
  std::int64_t all = 0;  ///< total number of points
  std::int64_t mine = 0;
};

/// Collective. Checks that the ranks together have all points of each element. Precondition: all ranks pass the same
/// number of elements. Errors: usage, with texts that begin with `output`, if points are missing. (Points that two
/// ranks have are found during writing.)
void require_all_points(Communicator& comm, std::span<const DistributedPoints> points, std::string_view output);

/// Local. Returns a box as text for messages: the number of points and the first point.
[[nodiscard]] std::string points_text(const Box& box);

}  // namespace sill
