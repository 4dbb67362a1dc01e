// Changing the interval of samples.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `resample INTERVAL`. See README.md.
[[nodiscard]] const OperationType& resample();

}  // namespace sill::flow
