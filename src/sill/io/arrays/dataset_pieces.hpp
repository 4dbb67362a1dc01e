// A dataset in pieces that fit the memory of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// What a rank has of a variable in a piece; may be empty.
struct PieceOfVariable {
  std::size_t variable = 0;
  Box box;
};

/// In a buffer each variable of a piece begins at a multiple of this.
inline constexpr std::int64_t piece_alignment = 8;

/// Local. Returns the room that so many bytes take in such a buffer.
[[nodiscard]] constexpr std::int64_t room_of(std::int64_t bytes) {
  return (bytes + piece_alignment - 1) / piece_alignment * piece_alignment;
}

/// Ranks, and how many bytes of elements each may hold: a multiple of piece_alignment.
struct PieceLimits {
  int rank = 0;
  int ranks = 1;
  std::int64_t max_bytes = piece_alignment;
};

/// Local. Calls `visit` with pieces, one after another, that together are all elements of `variables` (of one step): as
/// many on every rank, each element on one rank. Small variables share a piece; large ones are cut.
void for_each_piece(const DatasetDescription& description, std::span<const std::size_t> variables,
                    const PieceLimits& limits, const std::function<void(std::span<const PieceOfVariable>)>& visit);

}  // namespace sill
