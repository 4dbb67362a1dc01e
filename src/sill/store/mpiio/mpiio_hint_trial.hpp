// What hints do to collective writes, seen from the writes that the system counted.
#pragma once

#include <cstdint>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/mpiio/mpiio_hints.hpp"

namespace sill {

/// What hints did to a file.
struct MpiioEffect {
  int aggregators = 0;           ///< ranks that wrote
  std::int64_t write_bytes = 0;  ///< the longest write of one of them
};

/// Collective over all of `comm`. Tries hints on a small file in `folder`, which is removed again, and reports what
/// they did there, as seen from the writes that the system counted (/proc/self/io), not from what MPI says of them.
/// Errors, the same on all ranks: io; usage as open_mpiio_together.
[[nodiscard]] MpiioEffect try_mpiio_hints(Communicator& comm, const std::string& folder, const MpiioHints& hints);

}  // namespace sill
