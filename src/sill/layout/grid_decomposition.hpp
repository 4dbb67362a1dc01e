// How an n-dimensional grid is distributed to ranks: in closed form, so that every rank knows what every other holds.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/layout/box.hpp"

namespace sill {

/// A grid cut along planes into boxes, one a part; parts are numbered row-major. Every element is in one part; parts
/// may be empty.
class GridDecomposition {
 public:
  /// Local. `parts[d]` nearly equal blocks in every dimension, the first ones larger by one where there is a remainder.
  /// Errors: usage if the dimensions differ, a shape is negative or there are no parts.
  [[nodiscard]] static GridDecomposition blocks(const Index& shape, const Index& parts);

  /// Local. Blocks of any sizes: part i of dimension d holds elements `cuts[d][i]` to `cuts[d][i + 1]` - 1. Errors:
  /// usage unless every list of cuts ascends (equal cuts make empty parts), begins with 0 and has two at least.
  [[nodiscard]] static GridDecomposition irregular(std::vector<std::vector<std::int64_t>> cuts);

  [[nodiscard]] Index shape() const;
  [[nodiscard]] std::int64_t parts() const;
  /// Local. What part `part` holds; nothing for parts from `parts()` on.
  [[nodiscard]] Box box_of(std::int64_t part) const;
  /// Local. The part that holds element `index`. Precondition: it lies in the grid.
  [[nodiscard]] std::int64_t part_holding(const Index& index) const;

 private:
  explicit GridDecomposition(std::vector<std::vector<std::int64_t>> cuts) : cuts_(std::move(cuts)) {}

  std::vector<std::vector<std::int64_t>> cuts_;
};

}  // namespace sill
