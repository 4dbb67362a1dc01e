#include "sill/formats/surface/interleaved_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/surface/surface_file.hpp"

namespace sill::surface {
namespace {

// Each column of a row of the file is in another cache line, and usually in another page, of each array. So the plane
// is copied in tiles of several rows: the rows of a tile use the same pages, and the cache lines of the file are still
// cached when the next column is copied.
constexpr std::int64_t tile_columns = 16;
constexpr std::int64_t tile_rows = 8;

void put_vector(const PlaneArrays& from, std::int64_t place, std::byte* to) {
  store(to, from.first[0][place], ByteOrder::big);
  store(to + 4, from.first[1][place], ByteOrder::big);
  store(to + 8, from.first[2][place], ByteOrder::big);
}

}  // namespace

PlaneArrays plane_arrays(const Box& part, const Box& stored, const std::array<const float*, 3>& arrays,
                         PointOrder order) {
  const Index& count = part.count;
  if (count[0] != 1 && count[1] != 1 && count[2] != 1) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a box of {} x {} x {} points is not a plane", count[0], count[1], count[2]),
                 .action = "give a box that is one point thick"});
  }
  // The two dimensions of the plane, in file order.
  const std::size_t row = count[2] == 1 ? 1 : 2;
  const std::size_t column = row == 1 || count[1] == 1 ? 0 : 1;
  const Index strides = strides_of(stored.count, order);
  Index begin = part.first;
  for (std::size_t d = 0; d < 3; ++d) begin[d] -= stored.first[d];
  const std::int64_t first = offset_of(begin, strides);
  PlaneArrays from{.columns = part.count[column],
                   .rows = part.count[row],
                   .column_stride = strides[column],
                   .row_stride = strides[row]};
  for (std::size_t c = 0; c < 3; ++c) from.first[c] = arrays[c] + first;
  return from;
}

void InterleavedPlane::fill(ByteRange range, std::span<std::byte> bytes) const {
  const std::int64_t row_bytes = from_.columns * point_bytes;
  std::byte* to = bytes.data();
  for (std::int64_t at = range.offset; at < range.end();) {
    const std::int64_t row = at / row_bytes;
    const std::int64_t in_row = at % row_bytes;
    const std::int64_t whole_rows = in_row == 0 ? (range.end() - at) / row_bytes : 0;
    std::int64_t length = whole_rows * row_bytes;
    if (whole_rows > 0) {
      fill_rows(row, whole_rows, to);
    } else {
      length = std::min(row_bytes - in_row, range.end() - at);
      fill_within_row(row, {in_row, length}, to);
    }
    at += length;
    to += length;
  }
}

void InterleavedPlane::fill_rows(std::int64_t first_row, std::int64_t rows, std::byte* to) const {
  const PlaneArrays from = from_;  // a copy that the written bytes cannot alias
  const std::int64_t row_bytes = from.columns * point_bytes;
  for (std::int64_t row = 0; row < rows; row += tile_rows) {
    const std::int64_t row_end = std::min(row + tile_rows, rows);
    for (std::int64_t column = 0; column < from.columns; column += tile_columns) {
      const std::int64_t column_end = std::min(column + tile_columns, from.columns);
      for (std::int64_t c = column; c < column_end; ++c) {
        std::int64_t place = (first_row + row) * from.row_stride + c * from.column_stride;
        for (std::int64_t r = row; r < row_end; ++r) {
          put_vector(from, place, to + r * row_bytes + c * point_bytes);
          place += from.row_stride;
        }
      }
    }
  }
}

void InterleavedPlane::fill_within_row(std::int64_t row, ByteRange of_row, std::byte* to) const {
  const PlaneArrays from = from_;
  std::int64_t at = of_row.offset;
  while (at < of_row.end()) {
    const std::int64_t within = at % point_bytes;
    const std::int64_t length = std::min(point_bytes - within, of_row.end() - at);
    const std::int64_t place = row * from.row_stride + at / point_bytes * from.column_stride;
    if (length == point_bytes) {
      put_vector(from, place, to);
    } else {
      std::array<std::byte, point_bytes> vector;
      put_vector(from, place, vector.data());
      std::memcpy(to, vector.data() + within, static_cast<std::size_t>(length));
    }
    at += length;
    to += length;
  }
}

}  // namespace sill::surface
