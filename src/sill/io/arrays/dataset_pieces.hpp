// Division of a dataset into pieces that fit the memory of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// The box of a variable that a rank has in a piece; may be empty.
struct PieceOfVariable {
  std::size_t variable = 0;
  Box box;
};

/// The alignment of each variable of a piece in a buffer.
inline constexpr std::int64_t piece_alignment = 8;

/// Local. Returns the size of a variable of `bytes` bytes in a buffer with this alignment: `bytes`, rounded up to a
/// multiple of piece_alignment.
[[nodiscard]] constexpr std::int64_t room_of(std::int64_t bytes) {
  return (bytes + piece_alignment - 1) / piece_alignment * piece_alignment;
}

/// The number of ranks, and the maximum bytes of elements per rank: a multiple of piece_alignment.
struct PieceLimits {
  int rank = 0;
  int ranks = 1;
  std::int64_t max_bytes = piece_alignment;
};

/// Local. Calls `visit` with one piece after another. The pieces together contain all elements of `variables` (of one
/// step), each element on one rank; every rank has the same number of pieces. Small variables share a piece; large ones
/// are divided.
void for_each_piece(const DatasetDescription& description, std::span<const std::size_t> variables,
                    const PieceLimits& limits, const std::function<void(std::span<const PieceOfVariable>)>& visit);

}  // namespace sill
