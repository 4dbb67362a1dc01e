// The one thing formats and movers share: a run of bytes of a file and where it lies in memory.
#pragma once

#include <cstdint>

#include "sill/layout/range.hpp"

namespace sill {

/// The bytes `bytes` of file number `file` correspond to the caller's memory from `memory_offset_bytes` on.
struct Extent {
  int file = 0;
  ByteRange bytes;
  std::int64_t memory_offset_bytes = 0;

  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace sill
