// Gain functions with known parameters.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `gain ...`: a factor that depends on time. See README.md.
[[nodiscard]] const OperationType& gain();

}  // namespace sill::flow
