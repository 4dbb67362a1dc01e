// Hints for MPI-IO when a file is opened.
#pragma once

#include <cstdint>

namespace sill {

/// Hints for MPI-IO: only hints with an observed effect.
struct MpiioHints {
  int aggregators = 0;  ///< ranks that write in collective calls; 0: one per node
  /// Size of the buffer of each aggregator, and of the section of the file that one collective call writes; below 1
  /// GiB.
  std::int64_t buffer_bytes = std::int64_t{16} << 20U;

  friend bool operator==(const MpiioHints&, const MpiioHints&) = default;
};

}  // namespace sill
