// Cuts traces to a time window.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `window BEGIN END`: keeps the samples in this time range. See README.md.
[[nodiscard]] const OperationType& window();

}  // namespace sill::flow
