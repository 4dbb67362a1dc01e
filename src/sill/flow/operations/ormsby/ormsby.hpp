// Ormsby filter.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `ormsby F1,F2,F3,F4`: a trapezoid of frequencies, without change of phase. See README.md for the formula.
[[nodiscard]] const OperationType& ormsby();

}  // namespace sill::flow
