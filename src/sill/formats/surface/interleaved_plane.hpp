// Three arrays of a simulation as the vectors of a surface file: interleaved, transposed, and big-endian, in one pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/layout/box.hpp"
#include "sill/layout/point_order.hpp"
#include "sill/plan/extent.hpp"

namespace sill::surface {

/// Part of a plane whose three components lie in three arrays of one shape. The file has rows of columns, a vector
/// each.
struct PlaneArrays {
  std::array<const float*, 3> first{};  ///< the first point of each component
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t column_stride = 0;  ///< from column to column in the arrays, in floats
  std::int64_t row_stride = 0;
};

/// Local. The points `part` of a grid, a box one point thick, out of arrays that hold the points `stored` in
/// `order`. Errors: usage if the part is no plane. Precondition: the part lies in `stored`.
[[nodiscard]] PlaneArrays plane_arrays(const Box& part, const Box& stored, const std::array<const float*, 3>& arrays,
                                       PointOrder order = PointOrder::z_fastest);

/// Makes the bytes of such a part. Points that follow each other in the file lie far apart in memory, each on a cache
/// line and often a page of its own; so it goes tile by tile, along memory in each, and no byte passes through a
/// buffer.
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
