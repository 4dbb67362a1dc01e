// The cores and memory of the machine that are available to a rank.
#pragma once

#include <cstdint>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Local. Returns this rank's share of the cores it may run on: their number divided by the number of ranks of the node
/// that may run on exactly the same cores. The result is less than 1 if there are more such ranks than cores.
[[nodiscard]] double core_share(const Communicator& comm);

/// Local. Returns the number of nodes on which the ranks of `comm` run.
[[nodiscard]] int node_count(const Communicator& comm);

/// Local. Returns the number of threads this rank should use: `core_share`, rounded down, at least 1.
[[nodiscard]] int usable_cores(const Communicator& comm);

/// Local. Returns the memory this process may use, in bytes: the minimum of the physical memory and of the limits of
/// its control groups (versions 1 and 2), determined at the first call.
[[nodiscard]] std::int64_t memory_limit_bytes();

/// Local. Returns the number of bytes of file data that the system can cache for this process: the minimum of the
/// memory available now and of the control groups' limits.
[[nodiscard]] std::int64_t cacheable_bytes();

}  // namespace sill
