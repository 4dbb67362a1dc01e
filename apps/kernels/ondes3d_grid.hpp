// The distribution of the grid of Ondes3D over ranks.
#pragma once

#include <cmath>
#include <cstdint>

#include "sill/layout/box.hpp"

namespace sill::kernels {

/// Local. Returns the number of blocks in x and in y: as close to a square as the number of ranks allows. Every block
/// contains all of z. Source: F. Z. Boito et al. 2017, section IV. Precondition: ranks > 0.
[[nodiscard]] inline Index ondes3d_parts(int ranks) {
  auto y = static_cast<std::int64_t>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % y != 0) --y;
  return {ranks / y, y};
}

}  // namespace sill::kernels
