// Taking spikes out of traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `despike WINDOW`. See README.md for the formula.
[[nodiscard]] const OperationType& despike();

}  // namespace sill::flow
