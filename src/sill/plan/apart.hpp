// Tests whether extents share bytes, using only their steps.
#pragma once

#include "sill/plan/extent.hpp"

namespace sill {

/// Local. Returns true if the extents certainly have no byte of a file in common. Returns false if they have, and also
/// for some extents that interleave with steps of different strides. The cost does not depend on the number of runs.
/// Precondition: extents as in an AccessPlan.
[[nodiscard]] bool are_apart(const Extent& a, const Extent& b);

}  // namespace sill
