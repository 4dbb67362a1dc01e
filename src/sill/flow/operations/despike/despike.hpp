// Removes spikes from traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `despike WINDOW`. See README.md for the formula.
[[nodiscard]] const OperationType& despike();

}  // namespace sill::flow
