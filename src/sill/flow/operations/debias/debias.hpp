// Subtracts a mean or a line, and changes the polarity.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `debias`: subtracts the mean or a line from the live samples; `polarity`: multiplies by -1. See
/// README.md.
[[nodiscard]] const OperationType& debias();
[[nodiscard]] const OperationType& polarity();

}  // namespace sill::flow
