// The data of a rank of AWP-ODC: three arrays with ghost points, and values that encode position and time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// Local. Returns the value of a component (from 0) at a point (from 0, z upwards) in a step: a cheap function whose
/// values differ between neighbours in every dimension, the same on every machine.
[[nodiscard]] inline float volume_value(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t component,
                                        std::int64_t step) {
  const auto number = static_cast<std::uint32_t>(x) * 0x9E3779B1U + static_cast<std::uint32_t>(y) * 0x85EBCA77U +
                      static_cast<std::uint32_t>(z) * 0xC2B2AE3DU +
                      static_cast<std::uint32_t>(component) * 0x27D4EB2FU +
                      static_cast<std::uint32_t>(step) * 0x165667B1U;
  // 24 bits, which a float holds exactly: from -1 to 1.
  return static_cast<float>(static_cast<std::int32_t>(number) >> 8) * 0x1p-23F;
}

/// Layers of ghost points around the block of a rank.
inline constexpr std::int64_t ghost_layers = 2;

/// Local. Returns the process grid of `ranks` ranks: the one whose blocks of a grid of `shape` have the smallest
/// surface; for M8 on 30,000 ranks the paper's 75 x 40 x 10.
[[nodiscard]] Index process_grid(int ranks, const Index& shape);

/// Local. Returns two factors of `ranks`, the larger one first: as close to each other as possible. Precondition: ranks
/// > 0.
[[nodiscard]] Index near_square(int ranks);

/// The block of a rank, x fastest, with its ghost points.
struct VolumeArrays {
  DistributedGrid grid;
  std::array<std::vector<float>, 3> values;

  /// Local. Allocates the block of `rank` in a grid of `shape`.
  VolumeArrays(const Index& shape, int rank, int ranks);
  /// Local. Computes the values at the end of a step.
  void compute(std::int64_t step);
  [[nodiscard]] VectorField field() const { return {values[0], values[1], values[2]}; }
};

}  // namespace sill::kernels
