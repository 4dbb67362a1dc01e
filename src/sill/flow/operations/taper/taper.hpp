// Ramps at both ends of traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `taper LENGTH`: applies ramps to the ends of traces, or of their live samples. See README.md.
[[nodiscard]] const OperationType& taper();

}  // namespace sill::flow
