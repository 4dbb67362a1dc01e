// Taking traces by a condition.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `select CONDITION`: the traces for which it holds; `kill CONDITION`: zeros for those. See README.md.
[[nodiscard]] const OperationType& select();
[[nodiscard]] const OperationType& kill();

}  // namespace sill::flow
