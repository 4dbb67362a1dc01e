// What the machine offers to a rank: cores and memory.
#pragma once

#include <cstdint>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Local. This rank's share of the cores that it may run on, among the ranks of the node that may run on just the same
/// ones; less than 1 where there are more of these than cores.
[[nodiscard]] double core_share(const Communicator& comm);

/// Local. How many nodes the ranks are on.
[[nodiscard]] int node_count(const Communicator& comm);

/// Local. How many threads this rank should use: its share of the cores it may run on, among the ranks of the node
/// that may run on just the same ones; at least 1.
[[nodiscard]] int usable_cores(const Communicator& comm);

/// Local. The memory this process may use, in bytes: the least of the physical memory and of the limits of its control
/// groups (version 1 and 2), as it was at the first call.
[[nodiscard]] std::int64_t memory_limit_bytes();

/// Local. How much file data the system can keep cached for this process, in bytes: the least of the memory available
/// now and of the control groups' limits.
[[nodiscard]] std::int64_t cacheable_bytes();

}  // namespace sill
