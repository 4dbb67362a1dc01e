#include "kernels/awp_volume_arrays.hpp"

#include <cmath>
#include <limits>

#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {
namespace {

constexpr float ghost_value = -1e30F;  // must not be found in a file

}  // namespace

Index process_grid(int ranks, const Index& shape) {
  Index best;
  double min = std::numeric_limits<double>::max();
  for (std::int64_t x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (std::int64_t y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const Index parts{x, y, ranks / x / y};
      double surface = 0;  // of a block, relative to its volume
      for (std::size_t d = 0; d < 3; ++d) surface += static_cast<double>(parts[d]) / static_cast<double>(shape[d]);
      if (surface >= min) continue;
      min = surface;
      best = parts;
    }
  }
  return best;
}

Index near_square(int ranks) {
  auto smaller = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % smaller != 0) --smaller;
  return {ranks / smaller, smaller};
}

VolumeArrays::VolumeArrays(const Index& shape, int rank, int ranks) {
  grid.shape = shape;
  grid.mine = GridDecomposition::blocks(shape, process_grid(ranks, shape)).box_of(rank);
  grid.stored = grid.mine;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.stored.first[d] -= ghost_layers;
    grid.stored.count[d] += 2 * ghost_layers;
  }
  for (std::vector<float>& each : values) each.assign(static_cast<std::size_t>(grid.stored.items()), ghost_value);
}

void VolumeArrays::compute(std::int64_t step) {
  const Box& mine = grid.mine;
  const Index& stored = grid.stored.count;
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::int64_t z = 0; z < mine.count[2]; ++z) {
      for (std::int64_t y = 0; y < mine.count[1]; ++y) {
        float* const row =
            values[c].data() + ((z + ghost_layers) * stored[1] + y + ghost_layers) * stored[0] + ghost_layers;
        for (std::int64_t x = 0; x < mine.count[0]; ++x) {
          row[x] =
              volume_value(mine.first[0] + x, mine.first[1] + y, mine.first[2] + z, static_cast<std::int64_t>(c), step);
        }
      }
    }
  }
}

}  // namespace sill::kernels
