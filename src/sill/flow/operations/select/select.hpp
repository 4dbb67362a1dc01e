// Selects traces by a condition.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `select CONDITION`: keeps the traces that meet the condition; `kill CONDITION`: sets the traces that
/// meet the condition to zero. See README.md.
[[nodiscard]] const OperationType& select();
[[nodiscard]] const OperationType& kill();

}  // namespace sill::flow
