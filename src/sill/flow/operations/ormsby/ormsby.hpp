// Ormsby filter.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `ormsby F1,F2,F3,F4`: a zero-phase filter with a trapezoidal amplitude response. See README.md for
/// the formula.
[[nodiscard]] const OperationType& ormsby();

}  // namespace sill::flow
