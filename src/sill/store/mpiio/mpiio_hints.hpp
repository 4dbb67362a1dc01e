// What MPI-IO is asked for when a file is opened.
#pragma once

#include <cstdint>

namespace sill {

/// What MPI is asked for; hints that were seen to have an effect, and no others.
struct MpiioHints {
  int aggregators = 0;  ///< ranks that write in collective calls; 0: one a node
  /// Each of them buffers this much, and so much of the file is written by one collective call; below 1 GiB.
  std::int64_t buffer_bytes = std::int64_t{16} << 20U;

  friend bool operator==(const MpiioHints&, const MpiioHints&) = default;
};

}  // namespace sill
