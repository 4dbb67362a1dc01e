// Automatic gain control.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `agc WINDOW`: divides each sample by the amplitude around it. See README.md for the formula.
[[nodiscard]] const OperationType& agc();

}  // namespace sill::flow
