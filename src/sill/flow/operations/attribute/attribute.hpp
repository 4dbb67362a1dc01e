// The analytic signal of traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `attribute KIND`, `envelope`, `phase ANGLE`. See README.md for formulas.
[[nodiscard]] const OperationType& attribute();
[[nodiscard]] const OperationType& envelope();
[[nodiscard]] const OperationType& phase();

}  // namespace sill::flow
