// Distribution of an n-dimensional grid to ranks, in closed form: every rank can compute the box of every other rank.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/layout/box.hpp"

namespace sill {

/// A grid cut along planes into boxes, one per part; parts are numbered row-major. Every element is in exactly one
/// part; parts may be empty.
class GridDecomposition {
 public:
  /// Local. Returns a decomposition into `parts[d]` nearly equal blocks in every dimension; the first blocks are larger
  /// by one if there is a remainder. Errors: usage if `shape` and `parts` have different numbers of dimensions, if a
  /// length is negative, or if a number of parts is below 1.
  [[nodiscard]] static GridDecomposition blocks(const Index& shape, const Index& parts);

  /// Local. Returns a decomposition into blocks of any sizes: part i of dimension d contains elements `cuts[d][i]` to
  /// `cuts[d][i + 1]` - 1. Errors: usage unless every list of cuts ascends (equal cuts make empty parts), begins with 0
  /// and has at least two cuts.
  [[nodiscard]] static GridDecomposition irregular(std::vector<std::vector<std::int64_t>> cuts);

  [[nodiscard]] Index shape() const;
  [[nodiscard]] std::int64_t parts() const;
  /// Local. Returns the box of part `part`; an empty box if `part` >= `parts()`.
  [[nodiscard]] Box box_of(std::int64_t part) const;
  /// Local. Returns the part that contains element `index`. Precondition: `index` is inside the grid.
  [[nodiscard]] std::int64_t part_holding(const Index& index) const;

 private:
  explicit GridDecomposition(std::vector<std::vector<std::int64_t>> cuts) : cuts_(std::move(cuts)) {}

  std::vector<std::vector<std::int64_t>> cuts_;
};

}  // namespace sill
