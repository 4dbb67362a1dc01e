#include "sill/formats/volume/sample.hpp"

#include <algorithm>
#include <cstdlib>

namespace sill::volume {
namespace {

struct Tile {
  std::int64_t x;
  std::int64_t z;
};

// If z varies fastest, neighbours in x are on different pages: a tile copies all values on their cache lines at once.
Tile tile_of(const Sample& sample) {
  const bool is_z_fastest = std::abs(sample.strides[2]) < std::abs(sample.strides[0]);
  return is_z_fastest ? Tile{64, 16} : Tile{sample.count[0], 1};
}

}  // namespace

Box from_surface(Box box, std::int64_t points_z, Surface surface) {
  if (surface == Surface::at_last_z) box.first[2] = points_z - box.first[2] - box.count[2];
  return box;
}

Sample sample_of(const KeptPoints& kept, const Box& part, const Box& stored, PointOrder order, Surface surface) {
  const Index& count = stored.count;
  Index strides = strides_of(count, order);
  Sample sample{.count = part.count, .strides = Index(3)};
  if (surface == Surface::at_last_z) {
    sample.first = (count[2] - 1) * strides[2];
    strides[2] = -strides[2];
  }
  for (std::size_t d = 0; d < 3; ++d) {
    sample.first += (kept[d].first + part.first[d] * kept[d].skip - stored.first[d]) * strides[d];
    // The stride to another point is limited by the length of the array that contains both; without another point the
    // product could overflow.
    sample.strides[d] = part.count[d] > 1 ? kept[d].skip * strides[d] : strides[d];
  }
  return sample;
}

void copy_sample(const Sample& sample, ItemRange rows, const float* array, float* to) {
  const auto [nx, ny, nz] = std::array{sample.count[0], sample.count[1], sample.count[2]};
  const auto [stride_x, stride_y, stride_z] = std::array{sample.strides[0], sample.strides[1], sample.strides[2]};
  const float* const from = array + sample.first;
  const Tile tile = tile_of(sample);
  for (std::int64_t z0 = 0; z0 < nz; z0 += tile.z) {
    const std::int64_t z1 = std::min(z0 + tile.z, nz);
    for (std::int64_t y = rows.first; y < rows.end(); ++y) {
      for (std::int64_t x0 = 0; x0 < nx; x0 += tile.x) {
        const std::int64_t x1 = std::min(x0 + tile.x, nx);
        for (std::int64_t z = z0; z < z1; ++z) {
          const float* const row = from + z * stride_z + y * stride_y;
          float* const row_to = to + (z * ny + y) * nx;
          for (std::int64_t x = x0; x < x1; ++x) row_to[x] = row[x * stride_x];
        }
      }
    }
  }
}

}  // namespace sill::volume
