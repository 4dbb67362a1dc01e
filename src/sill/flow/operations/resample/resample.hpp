// Changes the sample interval.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `resample INTERVAL`. See README.md.
[[nodiscard]] const OperationType& resample();

}  // namespace sill::flow
