// Taking away a mean or a line, and changing the sign.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `debias`: takes the mean or a line off the live samples; `polarity`: x -1. See README.md.
[[nodiscard]] const OperationType& debias();
[[nodiscard]] const OperationType& polarity();

}  // namespace sill::flow
