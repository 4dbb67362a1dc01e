// Arrays that are stored as chunks: boxes of equal shape, each with its elements together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sill/formats/array/array_code.hpp"
#include "sill/layout/box.hpp"
#include "sill/plan/subarray.hpp"

namespace sill {

/// The chunks of an array. Chunks have row-major numbers, and row-major elements. Chunks at the end of a dimension have
/// the shape of the others; their elements outside the array have no meaning.
class ChunkGrid {
 public:
  ChunkGrid() = default;
  /// Local. Creates the grid of an array of `shape` with chunks of shape `chunk`. If the array has steps, the first
  /// dimension counts them, and its length does not matter. Preconditions: equal numbers of dimensions, all counts at
  /// least 1.
  ChunkGrid(Index shape, Index chunk, std::int64_t element_bytes);

  [[nodiscard]] const Index& shape() const { return shape_; }
  [[nodiscard]] const Index& chunk() const { return chunk_; }
  /// Local. Returns the number of chunks in each dimension.
  [[nodiscard]] const Index& counts() const { return counts_; }
  [[nodiscard]] std::int64_t chunks() const { return whole(counts_).items(); }
  [[nodiscard]] std::int64_t chunk_elements() const { return whole(chunk_).items(); }
  [[nodiscard]] std::int64_t chunk_bytes() const { return chunk_elements() * element_bytes_; }
  [[nodiscard]] std::int64_t element_bytes() const { return element_bytes_; }
  /// Local. Returns the index of a chunk in each dimension, and its number.
  [[nodiscard]] Index index_of(std::int64_t number) const;
  [[nodiscard]] std::int64_t number_of(const Index& index) const;
  struct Place {
    std::int64_t chunk = 0;
    std::int64_t element = 0;
  };
  /// Local. Returns the number of the chunk that contains an element, and the number of the element in that chunk.
  [[nodiscard]] Place place_of(const Index& element) const;

  /// The elements of a box that are in one chunk.
  struct Piece {
    std::int64_t chunk = 0;
    Box in_chunk = {};        ///< box in the chunk
    ArrayBox in_memory = {};  ///< the elements in memory
  };
  /// Local. Visits the pieces of `box`, whose elements are at `memory`, in ascending order of their chunks.
  /// Precondition: the box is in the array, and not empty.
  void for_each_piece(const Box& box, const ArrayBox& memory, const std::function<void(const Piece&)>& visit) const;

 private:
  Index shape_;
  Index chunk_;
  Index counts_;
  std::int64_t element_bytes_ = 1;
};

/// The maximum size of a chunk, even if damaged metadata states more.
inline constexpr std::int64_t max_stored_chunk_bytes = std::int64_t{1} << 32U;

/// The maximum size of a chunk that `default_chunk` returns.
inline constexpr std::int64_t default_chunk_bytes = std::int64_t{2} << 20U;

/// Local. Returns the default shape of chunks: the longest dimension is halved until a chunk has at most
/// `default_chunk_bytes` bytes; of equal dimensions the slowest. `divides`: only even lengths are halved, so that
/// chunks divide `shape`; they may have more bytes.
[[nodiscard]] Index default_chunk(Index shape, std::int64_t element_bytes, bool divides = false);

/// Local. Returns `shape` with the first dimensions at most as long as the limits of this name, if there are any.
[[nodiscard]] Index limited_shape(Index shape, const std::map<std::string, Index>& limits, const std::string& name);

/// Local. Returns the shape of the chunks of a new array: `wanted` if it has as many dimensions, otherwise
/// default_chunk; chunks are not longer than the array. `is_limited`: `shape` is a limit of limited_shape, and windows
/// of the wanted chunks divide it; the default chunk divides it, too, so that no chunk is part of two of them. Errors:
/// usage for a chunk with a length below 1.
[[nodiscard]] Index new_chunk(const Index& shape, std::int64_t element_bytes, const std::optional<Index>& wanted,
                              bool is_limited);

}  // namespace sill
