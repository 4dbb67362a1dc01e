// Which ranks write what a survey becomes, by the policy.
#pragma once

#include <cstdint>

#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// Local. How many ranks bring traces into their final places: all, or rank 0 where it alone writes.
[[nodiscard]] int writing_ranks(const Resources& resources);

/// Local. Those of `items` of a new file that this rank brings into their final places.
[[nodiscard]] ItemRange block_to_write(const Resources& resources, std::int64_t items);

/// Local. Whether a mover writes what the ranks bring. Elsewhere each of `writing_ranks`, with all its
/// threads, can write its own.
[[nodiscard]] bool writes_together(const Policy& policy);

}  // namespace sill
