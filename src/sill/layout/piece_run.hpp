// Equal pieces of a file at a constant stride, to be concatenated.
#pragma once

#include <cstdint>

namespace sill {

/// `count` pieces of `piece_bytes` each, the first at byte `first_byte` (from 0) of a file, each `stride_bytes` after
/// the preceding one.
struct PieceRun {
  std::int64_t first_byte = 0;
  std::int64_t piece_bytes = 0;
  std::int64_t stride_bytes = 0;
  std::int64_t count = 1;

  [[nodiscard]] constexpr std::int64_t total_bytes() const { return count * piece_bytes; }
};

}  // namespace sill
