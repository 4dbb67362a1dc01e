// Whether extents share bytes, from their steps alone.
#pragma once

#include "sill/plan/extent.hpp"

namespace sill {

/// Local. True if the extents certainly have no byte of a file in common; false if they do, and also for some that take
/// turns with steps of different strides. Its cost does not depend on the number of runs. Precondition: extents as in
/// an AccessPlan.
[[nodiscard]] bool are_apart(const Extent& a, const Extent& b);

}  // namespace sill
