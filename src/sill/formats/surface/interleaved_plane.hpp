// Converts three arrays of a simulation to the vectors of a surface file: interleaved, transposed and big-endian, in
// one pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/layout/box.hpp"
#include "sill/layout/point_order.hpp"
#include "sill/plan/extent.hpp"

namespace sill::surface {

/// A section of a plane whose three components are in three arrays of one shape. The file has rows of columns, with one
/// vector per column.
struct PlaneArrays {
  std::array<const float*, 3> first{};  ///< the first point of each component
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t column_stride = 0;  ///< distance between columns in the arrays, in floats
  std::int64_t row_stride = 0;
};

/// Local. Returns the positions in memory of the points `part` of a grid, a box one point thick. The arrays contain the
/// points `stored` in the order `order`. Errors: usage if `part` is not a plane. Precondition: `part` is inside
/// `stored`.
[[nodiscard]] PlaneArrays plane_arrays(const Box& part, const Box& stored, const std::array<const float*, 3>& arrays,
                                       PointOrder order = PointOrder::z_fastest);

/// Encodes the vectors of a PlaneArrays as bytes of the file. Points that are neighbours in the file are far apart in
/// memory, each on a cache line and often a page of its own. Therefore the encoder works tile by tile, along memory
/// within each tile, without a buffer.
class InterleavedPlane final : public Encoder {
 public:
  explicit InterleavedPlane(const PlaneArrays& from) : from_(from) {}

  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  void fill_rows(std::int64_t first_row, std::int64_t rows, std::byte* to) const;
  void fill_within_row(std::int64_t row, ByteRange of_row, std::byte* to) const;

  PlaneArrays from_;
};

}  // namespace sill::surface
