// Cutting traces in time.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `window BEGIN END`: the samples of these times. See README.md.
[[nodiscard]] const OperationType& window();

}  // namespace sill::flow
