// Gains that are known beforehand.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `gain ...`: a factor that depends on time. See README.md.
[[nodiscard]] const OperationType& gain();

}  // namespace sill::flow
